import { ContextOffloader, type EventJournal, type RetrievalCall, type Storage } from '@spillway/core'
import type { Summarize } from '@spillway/history'
import type { Invocation } from '../commands/command.ts'
import { listenUntilSignal, readTokens } from '../serving.ts'
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
import { withStore } from '../store/with-store.ts'

interface ServeOptions
  extends StoreOptions, OffloaderOptions, ListenOptions, ModelOptions, ContextOffloadOptions, LimitOptions {
  readonly quiet?: boolean
  readonly inspector?: boolean
}

const DEFAULT_ADDRESS = { host: '127.0.0.1', port: 8_002 }

export async function serve({ options }: Invocation<ServeOptions>): Promise<void> {
  const summarize = createSummarizer(options)
  const { scope, ...place } = options
  const use = async (storage: Storage, journal: EventJournal | undefined): Promise<void> => {
    const [{ serve: start }, tokens] = await Promise.all([import('@spillway/server/node'), readTokens(options)])
    const pages = options.inspector === true ? await import('@spillway/inspector') : undefined
    // The service logs requests, so events of the offloader are not logged.
    const offloader = createOffloader({ storage, journal }, place, new EventLog(false))
    const shown = scope ?? (tokens ? [] : ['default'])
    const mount = pages?.createInspector({ storage, journal, scope: shown, path: '/inspector' })
    const service = await listenUntilSignal(
      start(offloader, {
        ...(options.listen ?? DEFAULT_ADDRESS),
        allowedHosts: options.allowHost,
        tokens,
        scope,
        summarize: summarize && loggedSummarizer(summarize),
        contextOffload: contextOffloadOf(options),
        limits: limitsOf(options),
        maxSpoolBytes: options.maxSpool,
        mount,
        log: (record) => {
          if (record.type === 'fault' || options.quiet !== true) void noteJson(record)
        },
      }),
      async ({ url }) => {
        await noteLine(`Listening at ${url}`)
        if (mount !== undefined) await noteLine(`The inspector is at ${mount.url(url)}`)
      },
    )
    await service.close({ graceMs: options.grace })
  }
  return await withStore(place, use, { allowEphemeral: true, isServer: true })
}

const loggedSummarizer =
  (summarize: Summarize): Summarize =>
  async (request) => {
    try {
      return await summarize(request)
    } catch (error) {
      // The messages of other errors may quote content.
      if (error instanceof ModelError)
        void noteJson({ type: 'model-failed', time: new Date().toISOString(), message: error.message })
      throw error
    }
  }

interface InspectOptions extends StoreOptions {
  readonly listen?: ListenAddress
  readonly allowDelete?: boolean
  readonly open?: boolean
}

export async function inspect({ options, command }: Invocation<InspectOptions>): Promise<void> {
  const { scope, listen = { port: 0 }, allowDelete, open, ...place } = options
  return await withStore(place, async (storage, journal) => {
    const [{ createInspector }, { serve: start }] = await Promise.all([
      import('@spillway/inspector'),
      import('@spillway/server/node'),
    ])
    const mount = createInspector({ storage, scope, journal, allowDelete, formatCommand: commandFormat(command) })
    const starting = start(new ContextOffloader({ storage }), { ...listen, mount })
    const service = await listenUntilSignal(starting, async ({ url }) => {
      await printLine(mount.url(url))
      if (open === true) openBrowser(mount.url(url))
    })
    await service.close({ graceMs: 0 })
  })
}

/** Repeated options are joined to one scope, which overrides a scope of the environment. */
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

/** The URL is printed, so a missing browser is not an error. */
function openBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const opening = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  opening.on('error', () => void noteLine('No browser could be started. Open the URL yourself.'))
  opening.unref()
}
