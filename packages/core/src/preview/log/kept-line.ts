import { detach } from '../../content/detach.ts'
import { cutAtGrapheme } from '../../tokens/cut-at-grapheme.ts'

/** Of a line away from the start and the end of the text, this much of its start and of its end is kept. */
const START_UNITS = 2_048
const END_UNITS = 512

/** A line as it is kept while a text is read: it is cleaned and classified at the end, if it is still there. */
export interface KeptLine {
  readonly number: number
  readonly raw: string
  /** The end of a line that is not kept whole, and the units between. */
  readonly rawEnd: string
  readonly hidden: number
  /** A hash of how the line begins. */
  readonly kind: number
  readonly errorsBefore: number
  readonly warningsBefore: number
  /** Whether the line holds a word that calls for a closer look: only such lines are counted. */
  readonly hit: boolean
  /** How much the line is worth keeping. */
  readonly rank: number
}

type Parts = Pick<KeptLine, 'raw' | 'rawEnd' | 'hidden'>

/** What is kept of a line: all of it where it is `whole` or short. */
export function keptParts(line: string, whole: boolean): Parts {
  const { raw, rawEnd, hidden } = shownParts(line, whole)
  return { raw: detach(raw), rawEnd: detach(rawEnd), hidden }
}

/** The same, while the text that the line was cut from is still there. */
export function shownParts(line: string, whole: boolean): Parts {
  if (whole || line.length <= START_UNITS + END_UNITS) return { raw: line, rawEnd: '', hidden: 0 }
  const raw = cutAtGrapheme(line, START_UNITS)
  const rawEnd = cutAtGrapheme(line, END_UNITS, true)
  return { raw, rawEnd, hidden: line.length - raw.length - rawEnd.length }
}
