import type { HistoryMessage } from './history-message.ts'

/**
 * Read the messages of one API or framework as neutral ones, and write them back.
 *
 * Writing is lossless: a message that was not changed comes back as the very object that was read, and of one that was
 * changed every field and part but the changed ones. So prompt caches keep what comes before a change.
 *
 * @typeParam Conversation - What the API takes: an array of messages, or where the system prompt is apart an object of both.
 */
export interface HistoryFormat<Conversation> {
  /** Stands in {@link NativeValue.format}. */
  readonly name: string
  /** Read a conversation. Throws a `TypeError` that names the message where it is none of this format. */
  read(conversation: Conversation): readonly HistoryMessage[]
  /** Write messages that this format has read, and system messages of text. Throws a `TypeError` for any other. */
  write(messages: readonly HistoryMessage[]): Conversation
  /** Turn a conversation into a JSON value that {@link decode} turns back. Defaults to one that keeps bytes, URLs and dates. */
  encode?(conversation: Conversation): unknown
  /** Undo {@link encode}. */
  decode?(value: unknown): Conversation
}
