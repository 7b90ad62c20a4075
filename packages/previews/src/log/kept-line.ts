import { detach, cleanLine, isDrawn, cutAtGrapheme } from '@spillway/text/internal'
import type { Severity } from './severity.ts'

/** Of a line away from the start and the end of the text, this much of its start and of its end is kept. */
const START_UNITS = 2_048
const END_UNITS = 512

/** A line as it is kept while a text is read: it is cleaned and classified at the end, if it is still there. */
export interface KeptLine {
  readonly number: number
  readonly blanksBefore: number
  readonly raw: string
  /** The end of a line that is not kept whole, and the units between. */
  readonly rawEnd: string
  readonly hidden: number
  /** Hash of all words: as of {@link LineWords}. */
  readonly template: number
  readonly red: boolean
  /** Lines with errors, and with warnings, before this one in the whole text. */
  readonly errorsBefore: number
  readonly warningsBefore: number
  readonly severity: Severity
  readonly at: number
  /** How much the line is worth keeping. */
  rank: number
  /** Lines from this one on that follow each other and are alike but for their numbers. */
  run: number
}

/** What is kept of a line's text. */
type Parts = Pick<KeptLine, 'raw' | 'rawEnd' | 'hidden'>

/** What is kept of a line that is still part of a text: all of it where it is `whole` or short. */
export function keptParts(stored: string, whole: boolean): Parts {
  const isLong = !whole && stored.length > START_UNITS + END_UNITS
  // Of progress, the states that a terminal no longer shows are no part of it.
  const line = isLong && isDrawn(stored) ? cleanLine(stored) : stored
  if (!isLong || line.length <= START_UNITS + END_UNITS) return { raw: detach(line), rawEnd: '', hidden: 0 }
  const raw = detach(cutAtGrapheme(line, START_UNITS))
  const rawEnd = detach(cutAtGrapheme(line, END_UNITS, true))
  return { raw, rawEnd, hidden: line.length - raw.length - rawEnd.length }
}
