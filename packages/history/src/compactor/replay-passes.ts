import { hasLargeParts } from '../compact/choose-parts.ts'
import { compactMessages, isOutage } from '../compact/compact-messages.ts'
import { draftsOf, totalTokens, type Draft } from '../draft.ts'
import type { HistoryFormat } from '../history-format.ts'
import type { HistoryMessage } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import type { ArchivedByHistory, HistoryFailure } from '../history-outcome.ts'
import { recentStart } from '../measure/recent-start.ts'
import type { BegunHistory } from './begun-history.ts'

/** Compact a history that nothing is remembered of at the calls of the model at which it was over its limit. */
export async function replayPasses(
  messages: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<BegunHistory> {
  const all = draftsOf(messages, options.countTokens)
  const stored: ArchivedByHistory[] = []
  const failures: HistoryFailure[] = []
  if (options.mode === 'compress' || totalTokens(all) <= options.maxTotalTokens) return { messages, stored, failures }
  const begun: Draft[] = []
  let total = 0
  // What is before the recent messages once is so at all later calls: it is looked at once.
  let done = 0
  // Where nothing is there to be made smaller, or storage is out of reach, looking is all for nothing.
  let lastLarge = -1
  let isDown = false
  for (const [index, draft] of all.entries()) {
    const isAnswer = draft.message.role === 'assistant' && messages[index - 1]?.role !== 'assistant'
    if (isAnswer && total > options.maxTotalTokens && lastLarge >= done && !isDown) {
      const rest = begun.slice(done)
      const before = totalTokens(rest)
      const compacted = await compactMessages(rest, format, options)
      stored.push(...compacted.stored)
      failures.push(...compacted.failures)
      isDown = compacted.failures.some(isOutage)
      total += totalTokens(rest) - before
      done += recentStart(
        rest.map(({ message }) => message),
        options.keepRecentForCompact,
      )
    }
    if (hasLargeParts(draft.message, options)) lastLarge = begun.length
    begun.push(draft)
    total += draft.tokens
  }
  return { messages: begun.map(({ message }) => message), stored, failures }
}
