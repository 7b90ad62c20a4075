import { emitEvent } from '@spillway/core/internal'
import { isAsRead } from './as-read.ts'
import { compactMessages } from './compact/compact-messages.ts'
import { compressMessages } from './compress/compress-messages.ts'
import { draftsOf, totalTokens, type Draft } from './draft.ts'
import { findObstacles } from './find-obstacles.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage } from './history-message.ts'
import type { ResolvedHistoryOptions } from './history-options.ts'
import type { ArchivedByHistory, HistoryFailure, HistoryOutcome, MessageStatistics } from './history-outcome.ts'

/** What one pass over a history did. */
export interface HistoryPass {
  readonly drafts: readonly Draft[]
  /** All that came in, also those that are in a summary now. */
  readonly all: readonly Draft[]
  readonly messages: readonly HistoryMessage[]
  readonly applied: readonly ('compact' | 'compress')[]
  readonly before: readonly number[]
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

/** Compact and compress the messages of a history as its options say. */
export async function compactPass(
  messages: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<HistoryPass> {
  const { mode, maxTotalTokens, compactRatioThreshold, countTokens } = options
  const all = draftsOf(messages, countTokens)
  const before = all.map(({ tokens }) => tokens)
  const total = totalTokens(all)
  const applied: ('compact' | 'compress')[] = []
  const stored: ArchivedByHistory[] = []
  const failures: HistoryFailure[] = []
  let drafts: readonly Draft[] = all
  const isOver = (): boolean => totalTokens(drafts) > maxTotalTokens
  if (isOver() && mode !== 'compress') {
    const compacted = await compactMessages(drafts, format, options)
    stored.push(...compacted.stored)
    failures.push(...compacted.failures)
    if (all.some(({ reason }) => reason === 'compacted')) applied.push('compact')
  }
  const isTooMuch = totalTokens(drafts) / total > compactRatioThreshold
  if (mode === 'compress' ? isOver() : mode === 'auto' && total > maxTotalTokens && (isTooMuch || isOver())) {
    const compressed = await compressMessages(drafts, format, options)
    const isCompressed = compressed.drafts !== drafts || compressed.stored.length > 0
    drafts = compressed.drafts
    stored.push(...compressed.stored)
    failures.push(...compressed.failures)
    if (isCompressed) applied.push('compress')
  }
  return { drafts, all, messages: drafts.map(({ message }) => message), applied, before, stored, failures }
}

/**
 * Say what a pass did, but for the conversation; an event says it, too, where the history was over its limit.
 *
 * @param after - Tokens of what came of it, as {@link tokensWritten} counts them.
 */
export function outcomeOf(
  messages: readonly HistoryMessage[],
  after: number,
  { drafts, all, applied, before, stored, failures }: HistoryPass,
  { maxTotalTokens: limit, offloader }: ResolvedHistoryOptions,
): Omit<HistoryOutcome<unknown>, 'messages'> {
  const statistics = all.map(({ index, message: { role }, tokens, reason = 'within-limits' }): MessageStatistics => ({
    index,
    role,
    tokens: { before: before[index] ?? 0, after: reason === 'compressed' ? 0 : tokens },
    reason,
  }))
  const made = drafts.find(({ index }) => index < 0)
  const total = before.reduce((sum, tokens) => sum + tokens, 0)
  const fits = after <= limit
  const changed = drafts.findIndex(({ message }, position) => message !== messages[position] || !isAsRead(message))
  if (total > limit)
    emitEvent(offloader.options, {
      type: 'history',
      applied,
      fits,
      tokens: { before: total, after, limit },
      stored: stored.length,
      failures: failures.length,
    })
  return {
    applied,
    tokens: { before: total, after, limit },
    fits,
    obstacles: fits ? [] : findObstacles(statistics, made, { after, limit }),
    statistics,
    unchanged: applied.length === 0 ? messages.length : changed < 0 ? drafts.length : changed,
    stored,
    failures,
  }
}

/** Count what came of a pass as its format writes it, which may escape some of what was put into it. */
export const tokensWritten = (
  written: readonly HistoryMessage[],
  { applied, drafts }: HistoryPass,
  { countTokens }: ResolvedHistoryOptions,
): number => totalTokens(applied.length === 0 ? drafts : draftsOf(written, countTokens))
