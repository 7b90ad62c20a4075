import type { ContextOffloader, EventJournal, Storage } from '@spillway/core'
import {
  ChildConnection,
  connectProxy,
  openServer,
  StdioConnection,
  type Connection,
  type ProxyEnd,
  type UpstreamEvent,
} from '@spillway/mcp/proxy'
import type { Command } from 'commander'
import { basename } from 'node:path'
import type { Invocation } from '../commands/command.ts'
import { CliError, EXIT_CODE, usageError } from '../cli-error.ts'
import { holdDownMemory } from '../hold-down-memory.ts'
import { runUntilSignal } from '../serving.ts'
import type { ListenOptions, OffloaderOptions } from '../commands/options.ts'
import { createOffloader, EventLog, listen } from '../mcp/event-log.ts'
import { parseHeaders, parseServerUrl, readConfig, type ServerSettings } from '../mcp/read-config.ts'
import { parseDuration, parseScope } from '../option-parsers.ts'
import { noteLine } from '../output.ts'
import type { StoreOptions } from '../store/store-options.ts'
import { withStore } from '../store/with-store.ts'

interface ProxyOptions extends StoreOptions, OffloaderOptions, ListenOptions {
  readonly url?: string
  readonly header?: readonly string[]
  readonly config?: string
  readonly name?: string
  readonly exclude?: readonly string[]
  readonly ttl?: number
  readonly maxMessageBytes?: number
  readonly logEvents?: boolean
}

export async function mcpProxy({ args, options: given, command }: Invocation<ProxyOptions>): Promise<number> {
  holdDownMemory()
  const { server: settings, options } = await readSettings(args, given, command)
  const log = new EventLog(options.logEvents === true)
  const open = await serverOpener(settings, options, log)
  const excluded = [...(options.exclude ?? []), ...settings.exclude]
  const tools = Object.fromEntries(excluded.map((name) => [name, { offload: false }]))
  const use = async (storage: Storage, journal: EventJournal | undefined): Promise<number> => {
    const offloader = createOffloader({ storage, journal }, { ...options, tools }, log)
    const connect = (client: Connection, server: Connection, own: ContextOffloader): Promise<ProxyEnd> =>
      connectProxy({ client, server }, own, { onError: (error) => log.error(error) })
    if (options.listen !== undefined)
      return await serveSessions(offloader, (client, own) => connect(client, open(), own), options, log)
    const client = new StdioConnection({ input: process.stdin, output: process.stdout })
    const server = open()
    const { side, reason } = await runUntilSignal(
      started(connect(client, server, offloader)),
      () => void client.close(),
    )
    if (side === 'client') return EXIT_CODE.ok
    await noteLine(`The server has ended (${reason}), and with it the proxy.`)
    return EXIT_CODE.nothing
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
): Promise<number> {
  const { HttpSessions } = await import('@spillway/mcp/http')
  const sessions = new HttpSessions({
    serve: (client, scope) => serve(client, scope.length === 0 ? offloader : offloader.forScope(...scope)),
    onError: (error) => log.error(error),
  })
  const fetch = (request: Request, scope: readonly string[]): Promise<Response> => sessions.fetch(request, scope)
  await listen({ fetch, close: () => sessions.close() }, options, log)
  return EXIT_CODE.ok
}

async function started(connected: Promise<ProxyEnd>): Promise<ProxyEnd> {
  try {
    return await connected
  } catch (error) {
    const { code } = Object((error as Error).cause) as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EACCES') throw error
    const exitCode = code === 'ENOENT' ? EXIT_CODE.notFound : EXIT_CODE.notExecutable
    throw new CliError('not-started', exitCode, `The server could not be started: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

async function readSettings(
  [program, ...args]: readonly string[],
  options: ProxyOptions,
  command: Command,
): Promise<{ readonly server: ServerSettings; readonly options: ProxyOptions }> {
  const { url, header = [], config, name } = options
  if ([program, url, config].filter((one) => one !== undefined).length !== 1)
    throw usageError('Name the server in one way: a command after --, --url, or --config.')
  if (header.length > 0 && url === undefined)
    throw usageError('--header needs --url. In a file, a server has "headers".')
  if (program !== undefined)
    return { server: { exclude: [], name: name ?? basename(program), server: { command: program, args } }, options }
  if (url !== undefined) {
    const server = { url: parseServerUrl(url), headers: parseHeaders(header) }
    return { server: { exclude: [], name: name ?? new URL(server.url).hostname, server }, options }
  }
  const { server, options: inFile } = await readConfig(String(config))
  return { server, options: { ...options, ...unlessGiven(inFile, command) } }
}

function unlessGiven(inFile: Readonly<Record<string, unknown>>, command: Command): Partial<ProxyOptions> {
  const entries = Object.entries(inFile)
    .filter(([name]) => [undefined, 'default'].includes(command.getOptionValueSource(name)))
    .map(([name, value]): readonly [string, unknown] => {
      if (name === 'ttl') return [name, parseDuration(String(value))]
      return [name, name === 'scope' ? parseScope(String(value)) : value]
    })
  return Object.fromEntries(entries) as Partial<ProxyOptions>
}

async function serverOpener(
  { name, server }: ServerSettings,
  { maxMessageBytes }: ProxyOptions,
  log: EventLog,
): Promise<() => Connection> {
  const onEvent = (event: UpstreamEvent): void => log.upstream(event)
  if (!('url' in server))
    return () => openServer({ name, onEvent, open: () => new ChildConnection(server, maxMessageBytes) })
  // The SDK loads slowly, and most servers are commands.
  const { HttpConnection } = await import('@spillway/mcp/http')
  return () => openServer({ name, onEvent, open: () => new HttpConnection(server) })
}
