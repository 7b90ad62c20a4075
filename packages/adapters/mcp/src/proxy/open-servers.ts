import type { Connection } from './connection.ts'
import { MergedServers } from './merged-servers.ts'
import { Upstream, type UpstreamEvent } from './upstream.ts'

/** A server behind a proxy. */
export interface ProxiedServer {
  /** The name in messages and events. */
  readonly name: string
  /** The prefix of tools' and prompts' names if there are several servers. Defaults to the name and `_`. */
  readonly prefix?: string | undefined
  /** Makes a connection that is not started; called again for each restart. */
  readonly open: () => Connection
}

/** Options of {@link openServers}. */
export interface OpenServersOptions {
  /** Restart a server that ended, at most 5 times a minute. Defaults to `false`. */
  readonly restart?: boolean | undefined
  readonly onEvent?: ((event: UpstreamEvent) => void) | undefined
  /** The name and version of several servers together. Defaults to `{ name: 'spillway', version: '0.0.0' }`. */
  readonly info?: { readonly name: string; readonly version: string } | undefined
}

/**
 * Make the connection to a server, or to several as if they were one; it is not started.
 *
 * If a server ends, each open request is answered with an error, and an event says so. Tools and prompts of several
 * servers have a prefix.
 *
 * @throws TypeError without a server, and if two have the same name or prefix.
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
