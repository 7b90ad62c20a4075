import type { ChatMessage } from '../chat/chat-message.ts'
import { countMessageTokens, countPromptTokens } from '../chat/count-tokens.ts'
import { MAX_TOOL_MESSAGE_TOKENS, MAX_TOTAL_TOKENS, replacing } from './subject.ts'

const KEEP_RECENT_COUNT = 1
const PREVIEW_CHAR_LENGTH = 100
const STORE_DIR = '/context_store'

/** ReMe's mode `compact` of `context_offload`, written again according to version 0.2 of November 2025. */
export const reme = replacing('ReMe', () => {
  const stored = new Map<string, string>()
  return async (messages) => ({ messages: compact(messages, stored), stored: new Map(stored) })
})

function compact(messages: readonly ChatMessage[], stored: Map<string, string>): readonly ChatMessage[] {
  const candidates = messages.filter(({ role }) => role !== 'system').slice(0, -KEEP_RECENT_COUNT)
  if (countPromptTokens(candidates) <= MAX_TOTAL_TOKENS) return messages
  const eligible = new Set(candidates)
  return messages.map((message) => {
    if (message.role !== 'tool' || !eligible.has(message)) return message
    if (countMessageTokens(message) <= MAX_TOOL_MESSAGE_TOKENS) return message
    const path = `${STORE_DIR}/${message.tool_call_id}.txt`
    stored.set(path, message.content)
    const content = `${message.content.slice(0, PREVIEW_CHAR_LENGTH)}... (detailed result is stored in ${path})`
    return { ...message, content }
  })
}
