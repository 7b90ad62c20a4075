import { countPromptTokens } from '../chat/count-tokens.ts'
import { MAX_TOTAL_TOKENS, type Subject } from '../subjects/subject.ts'
import type { Transcript } from '../transcripts/transcript.ts'
import { countPlaces, findLine, type LineCounts } from './find-lines.ts'

/** What a way makes of a whole transcript. */
export interface EndFigures {
  readonly before: number
  readonly after: number
  readonly fits: boolean
  /** What it says of a result that does not fit. */
  readonly reason: string | null
  /** Later-used lines in what is left of their result. */
  readonly lines: LineCounts
  /** Whether it can be undone to the same bytes; `null` where there is no way to undo it. */
  readonly isRestored: boolean | null
}

/** Make a whole transcript shorter, at its end. */
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
