import * as o200k from 'gpt-tokenizer/encoding/o200k_base'
import { callsOf, type ChatMessage } from './chat-message.ts'

/** Text that looks like a special token counts as any other text. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
/** What the role and the marks around a message cost, and around a call. */
const FRAME = 4

const known = new Map<string, number>()

/** Count the tokens of a text by o200k. Long texts are counted once in a process. */
export function countTokens(text: string): number {
  if (text.length < 32) return o200k.countTokens(text, PLAIN)
  const count = known.get(text) ?? o200k.countTokens(text, PLAIN)
  known.set(text, count)
  return count
}

/** Count what a message costs: its text, its calls with names and arguments, and four tokens around it and each call. */
export function countMessageTokens(message: ChatMessage): number {
  const calls = callsOf(message).map(({ function: called }) => [called.name, called.arguments])
  return [[message.content ?? ''], ...calls].reduce(
    (sum, texts) => sum + FRAME + texts.reduce((total, text) => total + countTokens(text), 0),
    0,
  )
}

/** Count what messages cost together. */
export const countPromptTokens = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + countMessageTokens(message), 0)
