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

/** A client of a server that is a process of its own. */
export interface ProcessClient {
  readonly client: Client
  /** What passed between the client and what it is connected to. */
  readonly atClient: Recording
  /** What passed between the server and what it is connected to; the same where that is the client. */
  readonly atServer: Recording
  /** What the proxy told of the server. */
  readonly events: readonly UpstreamEvent[]
  /** What went wrong in the proxy and cost no message. */
  readonly errors: readonly Error[]
  /** Resolves when the server has ended, and whatever is before it. */
  readonly ended: Promise<unknown>
  readonly close: () => Promise<void>
}

/** How a client is set up. */
export interface ProcessClientOptions {
  readonly client?: ClientOptions
  /** Called with the client before it is connected. */
  readonly prepare?: (client: Client) => void
}

/** What stands between a client and a server. */
export interface ProxyOptions {
  readonly offloader: ContextOffloader
  readonly options?: McpOffloadOptions
}

const MAX_BUFFER_BYTES = 100_000_000

/** Start a server and connect a client with it, through a proxy where one is asked for. */
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

/** A client's side of two streams: the transport of a server is as good. */
export const clientTransport = ({ input, output }: StreamEnd): StdioServerTransport =>
  new StdioServerTransport(input, output, { maxBufferSize: MAX_BUFFER_BYTES })

/** Hand messages on as they are, which is what a client without a proxy has. */
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
