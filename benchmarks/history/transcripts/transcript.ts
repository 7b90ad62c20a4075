import type { ChatMessage } from '../chat/chat-message.ts'

/** A line of a large result which the agent later wrote again. */
export interface LaterUse {
  /** The id of the call whose result has the line. */
  readonly callId: string
  /** The line, trimmed, its runs of blanks as one. */
  readonly line: string
  /** Index of the message in which the agent wrote it again. */
  readonly usedAt: number
}

/** A recorded session of an agent, as messages of OpenAI's chat API. */
export interface Transcript {
  readonly id: string
  readonly messages: readonly ChatMessage[]
  readonly laterUses: readonly LaterUse[]
}

/** Indexes of the messages that the model wrote with something before it: the calls of the model. */
export const modelCalls = ({ messages }: Pick<Transcript, 'messages'>): readonly number[] =>
  messages.flatMap(({ role }, index) => (role === 'assistant' && index > 0 ? [index] : []))
