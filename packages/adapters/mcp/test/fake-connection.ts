import { EventEmitter, once } from 'node:events'
import type { Connection, ConnectionHandlers, Message } from '../src/proxy/index.ts'

/** A connection whose other side is a test. */
export class FakeConnection implements Connection {
  /** Messages sent to the other side. */
  readonly sent: Message[] = []
  readonly agreed: string[] = []
  readonly #startFailure: Error | undefined
  #handlers: ConnectionHandlers | undefined
  closes = 0

  constructor(startFailure?: Error) {
    this.#startFailure = startFailure
  }

  async start(handlers: ConnectionHandlers): Promise<void> {
    if (this.#startFailure !== undefined) throw this.#startFailure
    this.#handlers = handlers
  }

  async send(message: Message): Promise<void> {
    this.sent.push(message)
    this.onSend?.(message)
  }

  async close(): Promise<void> {
    this.closes += 1
    if (this.closes === 1) this.#handlers?.onClose('closed')
  }

  agree(protocolVersion: string): void {
    this.agreed.push(protocolVersion)
  }

  /** Called with each message to the other side. */
  onSend: ((message: Message) => void) | undefined

  /** Simulate a message of the other side. */
  receive(fields: object, extra?: { readonly authInfo?: unknown }): void {
    this.#handlers?.onMessage({ jsonrpc: '2.0', ...fields }, extra)
  }

  /** Simulate the end of the other side. */
  end(reason: string): void {
    this.#handlers?.onClose(reason)
  }

  /** Simulate an error of the connection. */
  fail(error: Error): void {
    this.#handlers?.onError(error)
  }
}

/** Everything that a connection reports, by kind and in order. */
export interface Told extends ConnectionHandlers {
  readonly messages: Message[]
  readonly errors: Error[]
  readonly closes: string[]
  /** Resolves once the connection is closed. */
  readonly closed: Promise<void>
  /** Resolves once this many messages have arrived. */
  readonly received: (count: number) => Promise<void>
}

export function newTold(): Told {
  const [messages, errors, closes] = [[] as Message[], [] as Error[], [] as string[]]
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  const arrivals = new EventEmitter()
  return {
    messages,
    errors,
    closes,
    closed,
    async received(count) {
      while (messages.length < count) await once(arrivals, 'message')
    },
    onMessage(message) {
      messages.push(message)
      arrivals.emit('message')
    },
    onError: (error) => void errors.push(error),
    onClose(reason) {
      closes.push(reason)
      close()
    },
  }
}

export const request = (id: string | number, method: string, params: object = {}): Message =>
  ({ jsonrpc: '2.0', id, method, params }) as Message
