import { cutAtGrapheme } from '../tokens/cut-at-grapheme.ts'

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

/** What is kept of a line: all of it where it is `whole` or short. */
export function keptParts(raw: string, whole: boolean): Pick<KeptLine, 'raw' | 'rawEnd' | 'hidden'> {
  if (whole || raw.length <= START_UNITS + END_UNITS) return { raw: detach(raw), rawEnd: '', hidden: 0 }
  const start = detach(cutAtGrapheme(raw, START_UNITS))
  const end = detach(cutAtGrapheme(raw, END_UNITS, true))
  return { raw: start, rawEnd: end, hidden: raw.length - start.length - end.length }
}

/** Copy a string, so that keeping it does not keep the text it was cut from. */
export function detach(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1)
}
