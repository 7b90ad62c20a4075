import type { Message } from '../relay/message.ts'

/** Handlers of a connection's messages and errors. */
export interface ConnectionHandlers {
  readonly onMessage: (message: Message, extra?: { readonly authInfo?: unknown }) => void
  /** Called once, as the last handler. `reason` says how a server ended. */
  readonly onClose: (reason: string) => void
  /** Called with an error that did not prevent the delivery of a message. The error's text contains no part of a message. */
  readonly onError: (error: Error) => void
}

/** One end of a connection for messages. */
export interface Connection {
  /** Connect. Rejects if connecting fails, and then calls no handler. */
  start(handlers: ConnectionHandlers): Promise<void>
  send(message: Message, options?: unknown): Promise<void>
  /** Resolves when everything is closed. A second call has no effect. */
  close(): Promise<void>
  /** Set the agreed revision of the protocol, if messages must name it. */
  agree?(protocolVersion: string): void
}
