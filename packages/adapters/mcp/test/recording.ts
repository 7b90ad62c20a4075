import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Connection, Message } from '../src/proxy/index.ts'

/** Messages that passed one point, in order, by sender. Each message is a copy made at that time. */
export interface Recording {
  readonly fromClient: Message[]
  readonly fromServer: Message[]
}

export const newRecording = (): Recording => ({ fromClient: [], fromServer: [] })

const copyOf = (message: unknown): Message => JSON.parse(JSON.stringify(message)) as Message

/** Record what a client sends and gets over a transport. */
export function recordTransport(transport: Transport, { fromClient, fromServer }: Recording): Transport {
  const recorder: Transport = {
    async start() {
      Object.assign(transport, {
        onmessage: (message: never) => {
          fromServer.push(copyOf(message))
          recorder.onmessage?.(message)
        },
        onclose: () => recorder.onclose?.(),
        onerror: (error: Error) => recorder.onerror?.(error),
      })
      await transport.start()
    },
    async send(message, options) {
      fromClient.push(copyOf(message))
      await transport.send(message, options)
    },
    close: () => transport.close(),
  }
  return recorder
}

/** Record what a server gets and sends over a connection. */
export function recordConnection(connection: Connection, { fromClient, fromServer }: Recording): Connection {
  return {
    start: ({ onMessage, onClose, onError }) =>
      connection.start({
        onMessage: (message, extra) => {
          fromServer.push(copyOf(message))
          onMessage(message, extra)
        },
        onClose,
        onError,
      }),
    async send(message, options) {
      fromClient.push(copyOf(message))
      await connection.send(message, options)
    },
    close: () => connection.close(),
  }
}
