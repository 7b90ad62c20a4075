import type { ContextOffloader } from '@spillway/core'
import { OffloadRelay } from '../relay/offload-relay.ts'
import type { McpOffloadOptions } from '../relay/relay-options.ts'
import type { Connection } from './connection.ts'

/** The two ends that a proxy stands between. */
export interface ProxyEnds {
  readonly client: Connection
  readonly server: Connection
}

/**
 * Connect a client with a server through a relay, until either closes. Resolves with the reason when both are closed; rejects where the
 * server cannot be started.
 */
export async function connectProxy(
  { client, server }: ProxyEnds,
  offloader: ContextOffloader,
  { onError = () => {}, ...options }: McpOffloadOptions = {},
): Promise<string> {
  const failed = (thrown: unknown): void => onError(thrown instanceof Error ? thrown : new Error(String(thrown)))
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  const relay = new OffloadRelay(
    { ...options, offloader },
    {
      toClient: (message, sending) => void client.send(message, sending).catch(failed),
      toServer: (message, sending) => void server.send(message, sending).catch(failed),
      onError: failed,
    },
  )
  await server.start({
    onMessage: (message) => relay.fromServer(message),
    // The client gets what the server had sent before it ended.
    onClose: (reason) => {
      relay.close()
      void Promise.resolve(relay.delivering).then(() => end(reason))
    },
    onError: failed,
  })
  await client.start({
    onMessage: (message, { authInfo } = {}) => relay.fromClient(message, { authInfo }),
    onClose: end,
    onError: failed,
  })
  const reason = await ended
  relay.close()
  await Promise.all([server.close(), client.close()])
  return reason
}
