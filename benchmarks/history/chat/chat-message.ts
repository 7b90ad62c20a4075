/** A call of a tool, as OpenAI's chat API has it. */
export interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A message of OpenAI's chat API, as far as transcripts need it: all content is text. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | ChatAssistantMessage
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

/** What the model said: text is `null` where there are only calls. */
export interface ChatAssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly ChatToolCall[]
}

/** The calls of a message; none where it has none. */
export const callsOf = (message: ChatMessage): readonly ChatToolCall[] =>
  message.role === 'assistant' ? (message.tool_calls ?? []) : []

/** Make a message of the model: `content` becomes `null` where it is empty, and no calls leave no field. */
export function assistantMessage(content: string, calls: readonly ChatToolCall[]): ChatAssistantMessage {
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** Make a call; arguments are written as `JSON.stringify` writes them, so that all ways of having them count the same. */
export const toolCall = (id: string, name: string, input: unknown): ChatToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})
