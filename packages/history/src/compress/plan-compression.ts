import type { Draft } from '../draft.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import { divideHistory, type DividedHistory } from './divide-history.ts'
import { findSystemSnapshot, type SystemSnapshot } from './system-snapshot.ts'

/** Less than this share of the limit is not worth a call of a model, nor a changed system message. */
const MIN_SHARE = 0.05

/** What compressing would do. */
export interface CompressionPlan extends DividedHistory {
  /** The snapshot that the history has already. */
  readonly before: SystemSnapshot | undefined
  /** Why nothing is compressed, where that is so. */
  readonly reason: 'no-summarize' | 'too-little' | undefined
}

/** Say what compressing would do. */
export function planCompression(drafts: readonly Draft[], options: ResolvedHistoryOptions): CompressionPlan {
  const divided = divideHistory(drafts, options)
  const systems = drafts.slice(0, divided.start).map(({ message }) => message)
  const found = findSystemSnapshot(systems, options.archive)
  const tokens = divided.units.flat().reduce((sum, index) => sum + drafts[index]!.tokens, 0)
  const isLittle = tokens < options.maxTotalTokens * MIN_SHARE
  const reason = isLittle ? 'too-little' : options.summarize === undefined ? 'no-summarize' : undefined
  return { ...divided, before: found, reason }
}

/** Note of all messages why they stay, as far as that is known before anything is tried. */
export function noteReasons(
  drafts: readonly Draft[],
  { start, recent, request, units, reason }: CompressionPlan,
): void {
  for (const [index, draft] of drafts.entries()) {
    if (draft.message.role === 'system') draft.reason = 'system'
    else if (index >= recent || index < start) draft.reason = 'recent'
  }
  if (reason !== undefined) for (const index of units.flat()) drafts[index]!.reason = reason
  if (request !== undefined) drafts[request]!.reason = 'request'
}
