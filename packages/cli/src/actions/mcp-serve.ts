import type { ContextOffloader, EventJournal, Storage } from '@spillway/core'
import type { RetrievalServerOptions } from '@spillway/mcp/server'
import type { Invocation } from '../commands/command.ts'
import { createOffloader, EventLog, listen } from '../mcp/event-log.ts'
import { runUntilSignal } from '../serving.ts'
import type { ListenOptions, OffloaderOptions } from '../commands/options.ts'
import { readVersion } from '../versions.ts'
import type { StoreOptions } from '../store/store-options.ts'
import { withStore } from '../store/with-store.ts'

interface ServeOptions extends StoreOptions, OffloaderOptions, ListenOptions {
  readonly readOnly?: boolean
  readonly logEvents?: boolean
}

export async function mcpServe({ options }: Invocation<ServeOptions>): Promise<void> {
  const log = new EventLog(options.logEvents === true)
  const use = async (storage: Storage, journal: EventJournal | undefined): Promise<void> => {
    const offloader = createOffloader({ storage, journal }, options, log)
    return options.listen === undefined
      ? await overStdio(offloader, options, log)
      : await overHttp(offloader, options, log)
  }
  const { scope: _ofTheOffloader, ...place } = options
  return withStore(place, use, { allowEphemeral: true, isServer: true })
}

async function overStdio(offloader: ContextOffloader, options: ServeOptions, log: EventLog): Promise<void> {
  const [{ retrievalServer }, { serveStdio }] = await Promise.all([
    import('@spillway/mcp/server'),
    import('@modelcontextprotocol/server/stdio'),
  ])
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const handle = serveStdio(() => retrievalServer(offloader, serverSettings(options)), {
    onerror: (error) => log.error(error),
  })
  process.stdin.once('end', end).once('close', end)
  await runUntilSignal(ended, end)
  await handle.close()
}

async function overHttp(offloader: ContextOffloader, options: ServeOptions, log: EventLog): Promise<void> {
  const [{ retrievalServer }, { createMcpHandler }] = await Promise.all([
    import('@spillway/mcp/server'),
    import('@modelcontextprotocol/server'),
  ])
  // Each request creates a server.
  const settings = serverSettings(options)
  const handlers = new Map<string, ReturnType<typeof createMcpHandler>>()
  const handlerOf = (scope: readonly string[]): ReturnType<typeof createMcpHandler> => {
    const key = JSON.stringify(scope)
    const cached = handlers.get(key)
    if (cached !== undefined) return cached
    const own = scope.length === 0 ? offloader : offloader.forScope(...scope)
    const made = createMcpHandler(() => retrievalServer(own, settings), { onerror: (error) => log.error(error) })
    handlers.set(key, made)
    return made
  }
  const fetch = (request: Request, scope: readonly string[]): Promise<Response> => handlerOf(scope).fetch(request)
  const close = (): Promise<unknown> => Promise.all([...handlers.values()].map((handler) => handler.close()))
  await listen({ fetch, close }, options, log)
}

const serverSettings = ({ readOnly }: ServeOptions): RetrievalServerOptions => ({ readOnly, version: readVersion() })
