import type { ContextOffloader, EventJournal, Storage } from '@spillway/core'
import {
  ChildConnection,
  connectProxy,
  openServer,
  StdioConnection,
  type Connection,
  type ProxyEnd,
  type ServerCommand,
  type UpstreamEvent,
} from '@spillway/mcp/proxy'
import type { ServerUrl } from '@spillway/mcp/http'
import { basename } from 'node:path'
import type { CommandResult, Invocation } from '../commands/command.ts'
import { CliError, EXIT_CODE, usageError } from '../cli-error.ts'
import { holdDownMemory } from '../hold-down-memory.ts'
import { runUntilSignal } from '../serving.ts'
import type { ListenOptions, OffloaderOptions } from '../commands/options.ts'
import { createOffloader, EventLog, listen } from '../mcp/event-log.ts'
import { parseHeaders, parseServerUrl } from '../mcp/server-url.ts'
import type { StoreOptions } from '../store/store-options.ts'
import { withStore } from '../store/with-store.ts'

interface ProxyOptions extends StoreOptions, OffloaderOptions, ListenOptions {
  readonly url?: string
  readonly header?: readonly string[]
  readonly sse?: boolean
  readonly name?: string
  readonly exclude?: readonly string[]
  readonly ttl?: number
  readonly maxMessageBytes?: number
  readonly logEvents?: boolean
}

export async function mcpProxy({ args, options }: Invocation<ProxyOptions>): CommandResult {
  holdDownMemory()
  const log = new EventLog(options.logEvents === true)
  const open = await serverOpener(args, options, log)
  const tools = Object.fromEntries((options.exclude ?? []).map((name) => [name, { offload: false }]))
  const use = async (storage: Storage, journal: EventJournal | undefined): CommandResult => {
    const offloader = createOffloader({ storage, journal }, { ...options, tools }, log)
    const connect = (client: Connection, server: Connection, own: ContextOffloader): Promise<ProxyEnd> =>
      connectProxy({ client, server }, own, { onError: (error) => log.error(error) })
    if (options.listen !== undefined)
      return await serveSessions(offloader, (client, own) => connect(client, open(), own), options, log)
    const client = new StdioConnection({ input: process.stdin, output: process.stdout })
    const server = open()
    const { side } = await runUntilSignal(started(connect(client, server, offloader)), () => void client.close())
    return side === 'client' ? EXIT_CODE.ok : EXIT_CODE.nothing
  }
  const { scope: _ofTheOffloader, ...place } = options
  return withStore(place, use, { allowEphemeral: true, ttlMs: options.ttl })
}

type Serve = (client: Connection, offloader: ContextOffloader) => Promise<ProxyEnd>

async function serveSessions(
  offloader: ContextOffloader,
  serve: Serve,
  options: ProxyOptions,
  log: EventLog,
): Promise<void> {
  const { HttpSessions } = await import('@spillway/mcp/http')
  const sessions = new HttpSessions({
    serve: (client, scope) => serve(client, scope.length === 0 ? offloader : offloader.forScope(...scope)),
    onError: (error) => log.error(error),
  })
  const fetch = (request: Request, scope: readonly string[]): Promise<Response> => sessions.fetch(request, scope)
  await listen({ fetch, close: () => sessions.close() }, options, log)
}

async function started(connected: Promise<ProxyEnd>): Promise<ProxyEnd> {
  try {
    return await connected
  } catch (error) {
    const { message, cause } = error as Error
    const { code } = Object(cause) as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EACCES') throw error
    const exitCode = code === 'ENOENT' ? EXIT_CODE.notFound : EXIT_CODE.notExecutable
    throw new CliError('not-started', exitCode, `The server did not start: ${message}`, { cause: error })
  }
}

function namedServer(
  [program, ...args]: readonly string[],
  { url, header = [], sse = false, name }: ProxyOptions,
): { readonly name: string; readonly server: ServerCommand | ServerUrl } {
  if ((program === undefined) === (url === undefined))
    throw usageError('Name the server in one way: a command after --, or --url.')
  if (program !== undefined) {
    if (header.length > 0 || sse) throw usageError('--header and --sse need --url.')
    return { name: name ?? basename(program), server: { command: program, args } }
  }
  const server = {
    url: parseServerUrl(String(url)),
    headers: parseHeaders(header),
    type: sse ? 'sse' : 'http',
  } as const
  return { name: name ?? new URL(server.url).hostname, server }
}

async function serverOpener(
  command: readonly string[],
  options: ProxyOptions,
  log: EventLog,
): Promise<() => Connection> {
  const { name, server } = namedServer(command, options)
  const onEvent = (event: UpstreamEvent): void => log.upstream(event)
  if (!('url' in server))
    return () => openServer({ name, onEvent, open: () => new ChildConnection(server, options.maxMessageBytes) })
  // The SDK loads slowly, and a server that is a command does not need it.
  const { HttpConnection } = await import('@spillway/mcp/http')
  return () => openServer({ name, onEvent, open: () => new HttpConnection(server) })
}
