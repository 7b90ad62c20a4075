import type { ContextOffloader } from '@spillway/core'
import { OffloadRelay } from '../relay/offload-relay.ts'
import type { McpOffloadOptions } from '../relay/relay-options.ts'
import type { Connection } from './connection.ts'

/** The two connections of a proxy. */
export interface ProxyEnds {
  readonly client: Connection
  readonly server: Connection
}

/** The end of a proxy that closed first. */
export interface ProxyEnd {
  readonly side: 'client' | 'server'
  readonly reason: string
}

/**
 * Connect a client with a server through a relay, and resolve when both are closed.
 *
 * Rejects if the server cannot start, and leaves the client's connection open.
 *
 * @param offloader - The offloader of the client: `offloader.forScope(tenant)`.
 *
 * @example
 * ```ts
 * import { PassThrough } from 'node:stream'
 * import { ContextOffloader } from '@spillway/core'
 * import { ChildConnection, connectProxy, openServer, StdioConnection } from '@spillway/mcp/proxy'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const input = new PassThrough() // in a program: process.stdin
 * const client = new StdioConnection({ input, output: new PassThrough() }) // process.stdout
 * const server = openServer({ name: 'logs', open: () => new ChildConnection({ command: 'cat' }) })
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const ended = connectProxy({ client, server }, offloader)
 * input.end()
 * console.assert((await ended).side === 'client')
 * ```
 */
export async function connectProxy(
  { client, server }: ProxyEnds,
  offloader: ContextOffloader,
  { onError = () => {}, ...options }: McpOffloadOptions = {},
): Promise<ProxyEnd> {
  const failed = (thrown: unknown): void => onError(thrown instanceof Error ? thrown : new Error(String(thrown)))
  const { promise: ended, resolve: end } = Promise.withResolvers<ProxyEnd>()
  const relay = new OffloadRelay(
    { ...options, offloader },
    {
      toClient: (message, sending) => client.send(message, sending),
      toServer: (message, sending) => void server.send(message, sending).catch(failed),
      onError: failed,
    },
  )
  await server.start({
    onMessage: (message) => void Promise.resolve(relay.fromServer(message)).catch(failed),
    // The client gets all messages that the server sent before it ended.
    onClose: (reason) => {
      relay.close()
      void Promise.resolve(relay.delivering).then(() => end({ side: 'server', reason }))
    },
    onError: failed,
  })
  await client.start({
    onMessage: (message, { authInfo } = {}) => relay.fromClient(message, { authInfo }),
    onClose: (reason) => end({ side: 'client', reason }),
    onError: failed,
  })
  const ending = await ended
  relay.close()
  await Promise.all([server.close(), client.close()])
  return ending
}
