import type { Message } from '../relay/message.ts'

/** What a connection tells of. */
export interface ConnectionHandlers {
  readonly onMessage: (message: Message, extra?: { readonly authInfo?: unknown }) => void
  /** Called once, whoever closed it; nothing is told after. `reason` says how a server ended. */
  readonly onClose: (reason: string) => void
  /** Called with what cost no message. Its text has no part of one. */
  readonly onError: (error: Error) => void
}

/** One end of a connection over which messages go. */
export interface Connection {
  /** Connect; rejects where that fails, and tells nothing then. */
  start(handlers: ConnectionHandlers): Promise<void>
  send(message: Message, options?: unknown): Promise<void>
  /** Close it; resolves when all is closed. Closing twice does nothing more. */
  close(): Promise<void>
  /** Be told which revision of the protocol was agreed on, where messages must name it. */
  agree?(protocolVersion: string): void
}
