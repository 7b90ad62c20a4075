import { countPromptTokens } from '../chat/count-tokens.ts'
import { MAX_TOTAL_TOKENS, type Subject } from '../subjects/subject.ts'
import type { Transcript } from '../transcripts/transcript.ts'
import { countPlaces, findLine, type LineCounts } from './find-lines.ts'

/** Result of a way for a whole transcript. */
export interface EndFigures {
  readonly before: number
  readonly after: number
  readonly fits: boolean
  /** The reason that the way gives if the history exceeds its limit. */
  readonly reason: string | null
  /** Lines that are used later, by their place in the shortened result. */
  readonly lines: LineCounts
  /** Whether the original bytes can be restored; `null` if the way cannot restore. */
  readonly isRestored: boolean | null
}

/** Shorten a whole transcript at its end. */
export async function measureEnd(subject: Subject, { messages, laterUses }: Transcript): Promise<EndFigures> {
  const sent = await subject.compact(messages)
  const after = countPromptTokens(sent.messages)
  const expanded = await sent.expand?.()
  return {
    before: countPromptTokens(messages),
    after,
    fits: after <= MAX_TOTAL_TOKENS,
    reason: sent.reason ?? null,
    lines: countPlaces(laterUses.map((use) => findLine(use, sent, 'result'))),
    isRestored: expanded === undefined ? null : JSON.stringify(expanded) === JSON.stringify(messages),
  }
}
