import { ChildConnection, openServers, type Connection, type ProxiedServer } from '@spillway/mcp/proxy'
import { readVersion } from '../read-version.ts'
import type { EventLog } from './event-log.ts'
import type { ServerSettings } from './server-settings.ts'

/** What servers are opened with. */
export interface OpenSettings {
  readonly servers: readonly ServerSettings[]
  /** Whether a server that has ended is started again. */
  readonly restart: boolean
  readonly maxMessageBytes: number | undefined
  readonly log: EventLog
}

/** Make a function that opens connections to the servers, as one. */
export async function serverOpener({
  servers,
  restart,
  maxMessageBytes,
  log,
}: OpenSettings): Promise<() => Connection> {
  const needsHttp = servers.some(({ server }) => 'url' in server)
  // The SDK takes longer to load than all else, and most servers are programs.
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
