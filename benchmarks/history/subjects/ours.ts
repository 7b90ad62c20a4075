import { ContextOffloader } from '@spillway/core'
import { compactHistory, expandHistory, openAIChat, type HistoryObstacle } from '@spillway/history'
import { InMemoryStorage } from '@spillway/memory'
import { count } from '../../report/table.ts'
import type { ChatMessage } from '../chat/chat-message.ts'
import { countTokens } from '../chat/count-tokens.ts'
import { MAX_TOOL_MESSAGE_TOKENS, MAX_TOTAL_TOKENS, replacing, type Subject } from './subject.ts'

/** The name of the way with default settings. Bounds are about this way. */
export const OURS = 'Spillway'

/** Settings that differ from the defaults. */
interface Settings {
  /** Whether tokens are counted with the offloader's estimate instead of o200k. */
  readonly isEstimated?: boolean
  readonly keepRecent?: number
}

/** `compactHistory` in the mode `compact`, with a storage in memory. */
export function compacting(name: string, { isEstimated = false, keepRecent }: Settings = {}): Subject {
  return replacing(name, () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    const offloader = new ContextOffloader({ storage, ...(!isEstimated && { countTokens }) })
    const format = openAIChat<ChatMessage>()
    const stored = new Map<string, string>()
    return async (messages) => {
      const outcome = await compactHistory([...messages], {
        offloader,
        format,
        mode: 'compact',
        maxTotalTokens: MAX_TOTAL_TOKENS,
        maxToolMessageTokens: MAX_TOOL_MESSAGE_TOKENS,
        keepRecent,
      })
      for (const item of outcome.stored) {
        const { content } = await storage.retrieve(item.name)
        stored.set(item.name, new TextDecoder().decode(content))
      }
      return {
        messages: outcome.messages,
        stored: new Map(stored),
        reason: outcome.fits ? undefined : reasonsOf(outcome.obstacles),
        expand: async () => (await expandHistory(outcome.messages, { offloader, format })).messages,
      }
    }
  })
}

/** List why messages stay in a history over its limit, with the tokens of each reason. */
function reasonsOf(obstacles: readonly HistoryObstacle[]): string {
  const reasons = Map.groupBy(obstacles, ({ reason }) => reason)
  const sums = [...reasons].map(([reason, all]) => ({
    reason,
    tokens: all.reduce((sum, { tokens }) => sum + tokens.after, 0),
  }))
  return sums
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ reason, tokens }) => `\`${reason}\` ${count(tokens)}`)
    .join(', ')
}
