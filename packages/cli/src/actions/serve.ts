import { ContextOffloader, type EventJournal, type RetrievalCall, type Storage } from '@spillway/core'
import type { Summarize } from '@spillway/history'
import type { Inspector } from '@spillway/inspector'
import type { LogRecord } from '@spillway/server'
import type { Invocation } from '../commands/command.ts'
import { EXIT_CODE } from '../cli-error.ts'
import { explainListen, readTokens, runUntilSignal } from '../serving.ts'
import {
  type ListenOptions,
  type OffloaderOptions,
  type ModelOptions,
  contextOffloadOf,
  type ContextOffloadOptions,
  limitsOf,
  type LimitOptions,
} from '../commands/options.ts'
import { createOffloader, EventLog } from '../mcp/event-log.ts'
import { createSummarizer, ModelError } from '../model/chat-summarizer.ts'
import type { Command } from 'commander'
import { spawn } from 'node:child_process'
import { encodeScope, type ListenAddress } from '../option-parsers.ts'
import { noteJson, noteLine, printLine, quoteForShell } from '../output.ts'
import { formatCommand } from '../retrieval-commands.ts'
import { storeArguments, type StoreOptions } from '../store/store-options.ts'
import { withStore, type OpenStore } from '../store/with-store.ts'

interface ServeOptions
  extends StoreOptions, OffloaderOptions, ListenOptions, ModelOptions, ContextOffloadOptions, LimitOptions {
  readonly quiet?: boolean
  readonly inspector?: boolean
}

const DEFAULT_ADDRESS = { host: '127.0.0.1', port: 8_002 }

export async function serve({ options }: Invocation<ServeOptions>): Promise<number> {
  const summarize = createSummarizer(options)
  const { scope, ...place } = options
  const use = (storage: Storage, journal: EventJournal | undefined): Promise<number> =>
    serveStore({ storage, journal }, { ...place, scope }, summarize)
  return await withStore(place, use, { allowEphemeral: true })
}

async function serveStore(
  store: OpenStore,
  { scope, ...options }: Omit<ServeOptions, 'scope'> & { readonly scope: readonly string[] | undefined },
  summarize: ReturnType<typeof createSummarizer>,
): Promise<number> {
  const [{ serve: start }, tokens] = await Promise.all([import('@spillway/server/node'), readTokens(options)])
  // Requests are logged instead.
  const offloader = createOffloader(store, options, new EventLog(false))
  const mount = options.inspector === true ? await inspectorOf(store, scope ?? (tokens ? [] : ['default'])) : undefined
  const log = new RequestLog(options.quiet !== true)
  const service = await explainListen(
    start(offloader, {
      ...(options.listen ?? DEFAULT_ADDRESS),
      allowedHosts: options.allowHost,
      tokens,
      scope,
      summarize: summarize && loggedSummarizer(summarize, log),
      contextOffload: contextOffloadOf(options),
      limits: limitsOf(options),
      maxSpoolBytes: options.maxSpool,
      mount,
      log: (record) => log.write(record),
    }),
  )
  await noteLine(`Listening at ${service.url}`)
  if (mount !== undefined) await noteLine(`The inspector is at ${mount.url(service.url)}`)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  await runUntilSignal(stopped, stop)
  await service.close({ graceMs: options.grace })
  return EXIT_CODE.ok
}

async function inspectorOf(store: OpenStore, scope: readonly string[]): Promise<Inspector> {
  const { createInspector } = await import('@spillway/inspector')
  return createInspector({ ...store, scope, path: '/inspector' })
}

class RequestLog {
  readonly #requests: boolean

  constructor(requests: boolean) {
    this.#requests = requests
  }

  /** The message must not quote the request or answer. */
  modelFailed(message: string): void {
    void noteJson({ type: 'model-failed', time: new Date().toISOString(), message })
  }

  write(record: LogRecord): void {
    if (record.type === 'fault' || this.#requests) void noteJson(record)
  }
}

const loggedSummarizer =
  (summarize: Summarize, log: Pick<RequestLog, 'modelFailed'>): Summarize =>
  async (request) => {
    try {
      return await summarize(request)
    } catch (error) {
      // Other errors may quote content.
      if (error instanceof ModelError) log.modelFailed(error.message)
      throw error
    }
  }

interface InspectOptions extends StoreOptions {
  readonly listen?: ListenAddress
  readonly allowDelete?: boolean
  readonly open?: boolean
}

/** Run `spillway inspect`. */
export async function inspect({ options, command }: Invocation<InspectOptions>): Promise<number> {
  const { scope, listen = { port: 0 }, allowDelete, open, ...place } = options
  return await withStore(place, async (storage, journal) => {
    const [{ createInspector }, { serve: start }] = await Promise.all([
      import('@spillway/inspector'),
      import('@spillway/server/node'),
    ])
    const mount = createInspector({ storage, scope, journal, allowDelete, formatCommand: commandFormat(command) })
    const service = await explainListen(start(new ContextOffloader({ storage }), { ...listen, mount }))
    const url = mount.url(service.url)
    await printLine(url)
    if (open === true) openBrowser(url)
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    await runUntilSignal(stopped, stop)
    await service.close({ graceMs: 0 })
    return EXIT_CODE.ok
  })
}

/** Repeated scopes are joined, but one of the environment is replaced. */
function commandFormat(command: Command): (call: RetrievalCall, below: readonly string[]) => string {
  const { scope = [] } = command.opts<StoreOptions>()
  const replaced = command.getOptionValueSource('scope') === 'env' ? scope : []
  return (call, below) => {
    const segments = below.length === 0 ? [] : [...replaced, ...below]
    const nested = segments.length === 0 ? '' : ` --scope ${quoteForShell(encodeScope(segments))}`
    return formatCommand(call, storeArguments(command) + nested)
  }
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** The URL is printed, so a missing browser is no failure. */
function openBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const opening = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  opening.on('error', () => void noteLine('No browser could be started. Open the URL yourself.'))
  opening.unref()
}
