import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { ContextOffloader } from '@spillway/core'
import type { McpOffloadOptions } from '../src/index.ts'
import {
  ChildConnection,
  connectProxy,
  StdioConnection,
  type Connection,
  type Message,
  type ServerCommand,
  type UpstreamEvent,
} from '../src/proxy/index.ts'
import { Upstream } from '../src/proxy/upstream.ts'
import { newRecording, recordConnection, recordTransport, type Recording } from './recording.ts'
import { streamPair, type StreamEnd } from './streams.ts'

/** A client whose server runs in another process. */
export interface ProcessClient {
  readonly client: Client
  /** Messages between the client and its direct peer. */
  readonly atClient: Recording
  /** Messages between the server and its direct peer. Without a proxy, they are the same. */
  readonly atServer: Recording
  /** Events of the server that the proxy reported. */
  readonly events: readonly UpstreamEvent[]
  /** Errors in the proxy that did not prevent the delivery of a message. */
  readonly errors: readonly Error[]
  /** Resolves when the server has ended, and the proxy before it, if any. */
  readonly ended: Promise<unknown>
  readonly close: () => Promise<void>
}

/** Settings of a client. */
export interface ProcessClientOptions {
  readonly client?: ClientOptions
  /** Called with the client before it is connected. */
  readonly prepare?: (client: Client) => void
}

/** Settings of the proxy between a client and a server. */
export interface ProxyOptions {
  readonly offloader: ContextOffloader
  readonly options?: McpOffloadOptions
}

const MAX_BUFFER_BYTES = 100_000_000

/** Start a server and connect a client to it, through a proxy if requested. */
export async function connectProcess(
  server: ServerCommand,
  proxy: ProxyOptions | undefined,
  { client: options = {}, prepare }: ProcessClientOptions = {},
): Promise<ProcessClient> {
  const [clientEnd, proxyEnd] = streamPair()
  const [atClient, atServer] = [newRecording(), newRecording()]
  const events: UpstreamEvent[] = []
  const errors: Error[] = []
  const child = recordConnection(new ChildConnection(server), atServer)
  const ended =
    proxy === undefined
      ? pipe(proxyEnd, child)
      : connectProxy(
          {
            client: new StdioConnection(proxyEnd),
            server: new Upstream({
              name: 'reference',
              open: () => child,
              onEvent: (event) => void events.push(event),
            }),
          },
          proxy.offloader,
          { onError: (error) => void errors.push(error), ...proxy.options },
        )
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  prepare?.(client)
  await client.connect(recordTransport(clientTransport(clientEnd), atClient))
  return {
    client,
    atClient,
    atServer,
    events,
    errors,
    ended,
    async close() {
      await client.close()
      clientEnd.output.end()
      await ended
    },
  }
}

/** A client's transport over two streams. The SDK's server transport works for both sides. */
export const clientTransport = ({ input, output }: StreamEnd): StdioServerTransport =>
  new StdioServerTransport(input, output, { maxBufferSize: MAX_BUFFER_BYTES })

/** Pass messages on unchanged, as without a proxy. */
async function pipe(end: StreamEnd, server: Connection): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const client = new StdioConnection(end)
  let isOpen = true
  const to =
    (connection: Connection) =>
    (message: Message): void => {
      if (isOpen) void connection.send(message)
    }
  const onClose = (): void => {
    isOpen = false
    resolve()
  }
  const onError = (error: Error): void => {
    throw error
  }
  await server.start({ onMessage: to(client), onClose, onError })
  await client.start({ onMessage: to(server), onClose, onError })
  await ended
  await server.close()
}
