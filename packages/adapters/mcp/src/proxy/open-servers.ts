import type { Connection } from './connection.ts'
import { MergedServers } from './merged-servers.ts'
import { Upstream, type UpstreamEvent } from './upstream.ts'

/** A server as a proxy is told of it. */
export interface ProxiedServer {
  /** What messages and events call it. */
  readonly name: string
  /** What the names of its tools and prompts begin with where there are several servers. Defaults to the name and `_`. */
  readonly prefix?: string | undefined
  /** Make a connection to it that is not started; called once more for each restart. */
  readonly open: () => Connection
}

/** Options of {@link openServers}. */
export interface OpenServersOptions {
  /** Start a server again that has ended, at most 5 times a minute. Defaults to `false`. */
  readonly restart?: boolean | undefined
  readonly onEvent?: ((event: UpstreamEvent) => void) | undefined
  /** What several servers call themselves together. Defaults to `{ name: 'spillway', version: '0.0.0' }`. */
  readonly info?: { readonly name: string; readonly version: string } | undefined
}

/**
 * Make the connection to a server, or to several as if they were one; it is not started.
 *
 * Where a server ends, each request that it has not answered is answered with an error, and an event says so. Several
 * servers have their tools and prompts under names with a prefix; one has them as they are.
 *
 * @throws TypeError where there is no server, or two have the same name or prefix.
 *
 * @example
 * ```ts
 * import { ChildConnection, openServers } from '@spillway/mcp/proxy'
 *
 * // It answers whatever it is asked with what it was asked.
 * const open = () => new ChildConnection({ command: 'cat' })
 * const server = openServers([{ name: 'echo', open }])
 * const answers: unknown[] = []
 * await server.start({ onMessage: ({ method }) => answers.push(method), onClose() {}, onError() {} })
 * await server.send({ jsonrpc: '2.0', method: 'notifications/hello' })
 * while (answers.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
 * console.assert(answers[0] === 'notifications/hello')
 * await server.close()
 * ```
 */
export function openServers(servers: readonly ProxiedServer[], options: OpenServersOptions = {}): Connection {
  const { restart = false, onEvent = () => {}, info = { name: 'spillway', version: '0.0.0' } } = options
  if (!Array.isArray(servers) || servers.length === 0) throw new TypeError('servers must have one server or more.')
  const opened = servers.map(({ name, prefix = `${name}_`, open }) => {
    return { name, prefix, connection: new Upstream({ name, restart, onEvent, open }) }
  })
  const [first] = opened
  if (first !== undefined && opened.length === 1) return first.connection
  for (const key of ['name', 'prefix'] as const)
    if (new Set(opened.map((server) => server[key])).size < opened.length)
      throw new TypeError(`Two servers have the same ${key}: their tools could not be told apart.`)
  return new MergedServers(opened, info)
}
