import type { ContentBlock } from '@spillway/core'
import type { HistoryContent, HistoryFormat, HistoryMessage, HistoryPart } from '@spillway/history'
import type { TinyMessage, TinyOutput, TinyPrompt, TinyToolCall } from './tiny-framework.ts'
import { toBlock } from './tiny-adapter.ts'

const NAME = 'tiny'

/** Read and write prompts of the tiny framework, which have a separate system prompt. */
export function tinyFormat(): HistoryFormat<TinyPrompt> {
  const asRead = new WeakSet<HistoryMessage>()
  const read = (message: TinyMessage): HistoryMessage => {
    const neutral = { ...neutralOf(message), native: { format: NAME, value: message } }
    asRead.add(neutral)
    return neutral
  }
  return {
    name: NAME,
    read: ({ system, messages }) => [
      ...(system === '' ? [] : [{ role: 'system', parts: [{ type: 'text', text: system }] } as const]),
      ...messages.map(read),
    ],
    write: (messages) => ({
      system: messages
        .filter(({ role }) => role === 'system')
        .map(({ parts }) => textOf(parts))
        .join('\n\n'),
      messages: messages
        .filter(({ role }) => role !== 'system')
        // Every message was read above, except a new system message.
        .map((message) => (asRead.has(message) ? (message.native!.value as TinyMessage) : written(message))),
    }),
  }
}

function neutralOf(message: TinyMessage): HistoryMessage {
  if ('text' in message) return { role: message.role, parts: [{ type: 'text', text: message.text }] }
  if (message.role === 'assistant') {
    const calls = message.toolCalls.map((call) => ({ type: 'tool-call', inputIsText: false, ...call }) as const)
    return { role: 'assistant', parts: calls }
  }
  const { toolCallId: callId, toolName, output } = message
  const result = { type: 'tool-result', callId, toolName, content: contentOf(output) } as const
  return { role: 'tool', parts: [{ ...result, isError: output.type === 'error' }] }
}

function contentOf(output: TinyOutput): readonly HistoryContent[] {
  if (output.type === 'json') return [{ type: 'json', value: output.value }]
  if (output.type !== 'parts') return [{ type: 'text', text: output.value }]
  return output.value.map((part) => opaqueUnlessText(toBlock(part)))
}

const opaqueUnlessText = (block: ContentBlock): HistoryContent =>
  block.type === 'text' ? block : { type: 'opaque', value: block }

function written({ role, parts, native }: HistoryMessage): TinyMessage {
  const message = native?.value as TinyMessage
  if (role === 'tool' && message.role === 'tool') {
    const [result] = parts
    const content = result?.type === 'tool-result' ? result.content : []
    return { ...message, output: { type: message.output.type === 'error' ? 'error' : 'text', value: textOf(content) } }
  }
  if ('toolCalls' in message) {
    const calls = parts.flatMap((part): TinyToolCall[] => {
      if (part.type !== 'tool-call') return []
      const { id, name, input } = part
      return [{ id, name, input }]
    })
    return { ...message, toolCalls: calls }
  }
  return { ...message, text: textOf(parts) } as TinyMessage
}

const textOf = (parts: readonly (HistoryPart | HistoryContent)[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
