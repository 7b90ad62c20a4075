import * as o200k from 'gpt-tokenizer/encoding/o200k_base'
import { callsOf, type ChatMessage } from './chat-message.ts'

/** Settings that treat text that looks like a special token as ordinary text. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
/** Tokens for the role and the marks around a message, and around a call. */
const FRAME = 4

const known = new Map<string, number>()

/** Count the tokens of a text with o200k. Counts of long texts are cached. */
export function countTokens(text: string): number {
  if (text.length < 32) return o200k.countTokens(text, PLAIN)
  const count = known.get(text) ?? o200k.countTokens(text, PLAIN)
  known.set(text, count)
  return count
}

/** Count the tokens of a message: its text, names and arguments of its calls, and four tokens for it and each call. */
export function countMessageTokens(message: ChatMessage): number {
  const calls = callsOf(message).map(({ function: called }) => [called.name, called.arguments])
  return [[message.content ?? ''], ...calls].reduce(
    (sum, texts) => sum + FRAME + texts.reduce((total, text) => total + countTokens(text), 0),
    0,
  )
}

/** Count the tokens of messages. */
export const countPromptTokens = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + countMessageTokens(message), 0)
