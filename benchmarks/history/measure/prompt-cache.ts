import { known } from '../../report/known.ts'
import type { ChatMessage } from '../chat/chat-message.ts'
import { countMessageTokens } from '../chat/count-tokens.ts'

/** Effect of a prompt cache that contains the previous prompt. */
export interface CacheUse {
  /** Tokens of the messages before the first one that differs. */
  readonly cached: number
  /** Whether a message of the previous prompt is missing, moved, or changed. */
  readonly isBroken: boolean
  /** Tokens of unchanged messages after the first change, which must be read again because of the change. */
  readonly readAgain: number
}

/** Compare a prompt with the previous prompt. */
export function compareWithLast(last: readonly ChatMessage[], prompt: readonly ChatMessage[]): CacheUse {
  const before = last.map((message) => JSON.stringify(message))
  const now = prompt.map((message) => JSON.stringify(message))
  const differs = now.findIndex((message, index) => message !== before[index])
  const same = differs < 0 ? now.length : differs
  const had = new Map<string, number>()
  for (const message of before.slice(same)) had.set(message, (had.get(message) ?? 0) + 1)
  let readAgain = 0
  for (const [index, message] of now.slice(same).entries()) {
    const left = had.get(message) ?? 0
    if (left === 0) continue
    had.set(message, left - 1)
    readAgain += countMessageTokens(known(prompt[same + index]))
  }
  const cached = prompt.slice(0, same).reduce((sum, message) => sum + countMessageTokens(message), 0)
  return { cached, isBroken: same < before.length, readAgain }
}
