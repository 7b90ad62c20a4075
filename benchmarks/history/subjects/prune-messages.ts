import { pruneMessages, type ModelMessage, type ToolCallPart, type ToolContent, type TextPart } from 'ai'
import { assistantMessage, callsOf, toolCall, type ChatMessage } from '../chat/chat-message.ts'
import { MAX_TOTAL_TOKENS, replayWith, type Subject } from './subject.ts'

type ToolCalls = 'before-last-message' | 'before-last-3-messages'

/** Characters per token, as in the estimate of the AI SDK's guide. */
const CHARACTERS_PER_TOKEN = 4

/**
 * `pruneMessages` of the AI SDK in `prepareStep`. The pruned messages replace the history.
 *
 * @param isTriggered - Whether to prune only if the history exceeds the limit, as in the guide.
 */
export function pruning(name: string, toolCalls: ToolCalls, isTriggered: boolean): Subject {
  const prune = (messages: ModelMessage[]): ModelMessage[] => {
    if (isTriggered && JSON.stringify(messages).length / CHARACTERS_PER_TOKEN <= MAX_TOTAL_TOKENS) return messages
    return pruneMessages({ messages, toolCalls, emptyMessages: 'remove' })
  }
  const sent = (messages: readonly ModelMessage[]) => ({ messages: messages.flatMap(fromModel), stored: new Map() })
  return {
    name,
    compact: async (messages) => sent(prune(toModel(messages, new Map()))),
    replay: async (transcript) => {
      const names = new Map<string, string>()
      let history: ModelMessage[] = []
      return await replayWith(transcript, async (added) => {
        history = prune([...history, ...toModel(added, names)])
        return sent(history)
      })
    },
  }
}

/** Convert messages to the format of the AI SDK. Results of one step are one message. */
function toModel(messages: readonly ChatMessage[], names: Map<string, string>): ModelMessage[] {
  const written: ModelMessage[] = []
  let results: ToolContent = []
  for (const message of messages) {
    for (const { id, function: called } of callsOf(message)) names.set(id, called.name)
    if (message.role === 'tool') {
      const { tool_call_id: toolCallId, content: value } = message
      if (results.length === 0) written.push({ role: 'tool', content: results })
      const toolName = names.get(toolCallId) ?? ''
      results.push({ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } })
      continue
    }
    results = []
    if (message.role !== 'assistant') written.push({ role: message.role, content: message.content })
    else written.push({ role: 'assistant', content: partsOf(message) })
  }
  return written
}

function partsOf(message: ChatMessage): (TextPart | ToolCallPart)[] {
  const calls = callsOf(message).map(({ id, function: called }): ToolCallPart => {
    const input: unknown = JSON.parse(called.arguments)
    return { type: 'tool-call', toolCallId: id, toolName: called.name, input }
  })
  return message.content === null ? calls : [{ type: 'text', text: message.content }, ...calls]
}

function fromModel({ role, content }: ModelMessage): ChatMessage[] {
  if (role === 'tool')
    return content.flatMap((part): ChatMessage[] => {
      if (part.type !== 'tool-result' || part.output.type !== 'text')
        throw new TypeError('The result was not written by this benchmark.')
      return [{ role, tool_call_id: part.toolCallId, content: part.output.value }]
    })
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  if (role !== 'assistant') return [{ role, content: text }]
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [toolCall(part.toolCallId, part.toolName, part.input)] : [],
  )
  return [assistantMessage(text, calls)]
}
