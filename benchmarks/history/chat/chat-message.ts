/** A tool call in OpenAI's chat API. */
export interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A message of OpenAI's chat API, with the fields that transcripts need. All content is text. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | ChatAssistantMessage
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

/** A message of the model. The text is `null` if the message contains only calls. */
export interface ChatAssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly ChatToolCall[]
}

/** Return the calls of a message; empty if it has none. */
export const callsOf = (message: ChatMessage): readonly ChatToolCall[] =>
  message.role === 'assistant' ? (message.tool_calls ?? []) : []

/** Create a message of the model. Empty `content` becomes `null`, and an empty list of calls is left out. */
export function assistantMessage(content: string, calls: readonly ChatToolCall[]): ChatAssistantMessage {
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** Create a call. Arguments are serialized with `JSON.stringify`, so that all subjects have the same tokens. */
export const toolCall = (id: string, name: string, input: unknown): ChatToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})
