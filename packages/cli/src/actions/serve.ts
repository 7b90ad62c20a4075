import type { EventJournal, Storage } from '@spillway/core'
import type { Summarize } from '@spillway/history'
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
import { noteJson, noteLine } from '../output.ts'
import type { StoreOptions } from '../store/store-options.ts'
import { withStore, type OpenStore } from '../store/with-store.ts'

interface ServeOptions
  extends StoreOptions, OffloaderOptions, ListenOptions, ModelOptions, ContextOffloadOptions, LimitOptions {
  readonly quiet?: boolean
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
      log: (record) => log.write(record),
    }),
  )
  await noteLine(`Listening at ${service.url}`)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  await runUntilSignal(stopped, stop)
  await service.close({ graceMs: options.grace })
  return EXIT_CODE.ok
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
