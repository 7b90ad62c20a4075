import type { ContextOffloader, EventJournal, Storage } from '@spillway/core'
import {
  ChildConnection,
  connectProxy,
  openServers,
  StdioConnection,
  type Connection,
  type ProxiedServer,
  type ProxyEnd,
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
import { readVersion } from '../read-version.ts'
import type { StoreOptions } from '../store/store-options.ts'
import { withStore } from '../store/with-store.ts'

interface ProxyOptions extends StoreOptions, OffloaderOptions, ListenOptions {
  readonly url?: string
  readonly header?: readonly string[]
  readonly config?: string
  readonly name?: string
  readonly exclude?: readonly string[]
  readonly resourceLinks?: boolean
  readonly restart?: boolean
  readonly ttl?: number
  readonly maxMessageBytes?: number
  readonly logEvents?: boolean
}

export async function mcpProxy({ args, options: given, command }: Invocation<ProxyOptions>): Promise<number> {
  holdDownMemory()
  const { servers, options } = await readSettings(args, given, command)
  const log = new EventLog(options.logEvents === true)
  const { resourceLinks = false, exclude = [] } = options
  const open = await serverOpener(servers, options, log)
  const excluded = [...exclude, ...servers.flatMap((server) => excludedOf(server, servers.length))]
  const tools = Object.fromEntries(excluded.map((name) => [name, { offload: false }]))
  const use = async (storage: Storage, journal: EventJournal | undefined): Promise<number> => {
    const offloader = createOffloader({ storage, journal }, { ...options, tools }, log)
    const connect = (client: Connection, server: Connection, own: ContextOffloader): Promise<ProxyEnd> =>
      connectProxy({ client, server }, own, {
        resourceLinks,
        onError: (error) => log.error(error),
      })
    if (options.listen !== undefined)
      return await serveSessions(offloader, (client, own) => connect(client, open(), own), options, log)
    const client = new StdioConnection({ input: process.stdin, output: process.stdout })
    const server = open()
    const { side, reason } = await runUntilSignal(
      started(connect(client, server, offloader)),
      () => void client.close(),
    )
    if (side === 'client') return EXIT_CODE.ok
    await noteLine(`The server has ended (${reason}), and with it the proxy. With --restart it would be started again.`)
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

/** Names of several servers' tools have prefixes. */
const excludedOf = ({ exclude, prefix }: ServerSettings, count: number): readonly string[] =>
  count === 1 ? exclude : exclude.map((name) => `${prefix}${name}`)

async function readSettings(
  [program, ...args]: readonly string[],
  options: ProxyOptions,
  command: Command,
): Promise<{ readonly servers: readonly ServerSettings[]; readonly options: ProxyOptions }> {
  const { url, header = [], config, name } = options
  if ([program, url, config].filter((one) => one !== undefined).length !== 1)
    throw usageError('Name the server in one way: a command after --, --url, or --config.')
  if (header.length > 0 && url === undefined)
    throw usageError('--header needs --url. In a file, servers have "headers".')
  const settings = { prefix: '', exclude: [] }
  if (program !== undefined)
    return { servers: [{ ...settings, name: name ?? basename(program), server: { command: program, args } }], options }
  if (url !== undefined) {
    const server = { url: parseServerUrl(url), headers: parseHeaders(header) }
    return { servers: [{ ...settings, name: name ?? new URL(server.url).hostname, server }], options }
  }
  const { servers, options: inFile } = await readConfig(String(config))
  return { servers, options: { ...options, ...unlessGiven(inFile, command) } }
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
  servers: readonly ServerSettings[],
  { restart = false, maxMessageBytes }: ProxyOptions,
  log: EventLog,
): Promise<() => Connection> {
  const needsHttp = servers.some(({ server }) => 'url' in server)
  // The SDK loads slowly, and most servers are commands.
  const http = needsHttp ? await import('@spillway/mcp/http') : undefined
  const proxied = servers.map(({ name, prefix, server }): ProxiedServer => {
    return {
      name,
      prefix,
      open() {
        if (!('url' in server)) return new ChildConnection(server, maxMessageBytes)
        if (http === undefined) throw new Error('A server by its URL needs @spillway/mcp/http.')
        return new http.HttpConnection(server)
      },
    }
  })
  const info = { name: 'spillway', version: readVersion() }
  return () => openServers(proxied, { restart, info, onEvent: (event) => log.upstream(event) })
}
