import type { ChatMessage } from '../chat/chat-message.ts'

/** A line of a large result that the agent wrote again later. */
export interface LaterUse {
  /** The id of the call whose result has the line. */
  readonly callId: string
  /** The line, trimmed, with runs of blanks replaced by one blank. */
  readonly line: string
  /** Index of the message in which the agent wrote the line again. */
  readonly usedAt: number
}

/** A recorded session of an agent, as messages in OpenAI's chat API. */
export interface Transcript {
  readonly id: string
  readonly messages: readonly ChatMessage[]
  readonly laterUses: readonly LaterUse[]
}

/** Return the indexes of the model's messages that follow another message: the model calls. */
export const modelCalls = ({ messages }: Pick<Transcript, 'messages'>): readonly number[] =>
  messages.flatMap(({ role }, index) => (role === 'assistant' && index > 0 ? [index] : []))
