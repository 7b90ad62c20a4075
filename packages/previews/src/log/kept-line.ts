import { detach, cleanLine, isDrawn, cutAtGrapheme } from '@spillway/text/internal'

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
  /** As {@link LineWords} tell. */
  readonly kind: number
  readonly shape: number
  readonly template: number
  readonly crowd: number
  /** Whether the line holds a word that calls for a closer look. */
  readonly telling: boolean
  /** How much of a surprise the line was where it stands, in bits. */
  readonly surprise: number
  readonly errorsBefore: number
  readonly warningsBefore: number
  /** 1 where the line itself counts as an error, or as a warning. */
  readonly errors: number
  readonly warnings: number
  /** How much the line is worth keeping. */
  readonly rank: number
  /** Lines from this one on that follow each other and are alike but for their numbers. */
  run: number
}

type Parts = Pick<KeptLine, 'raw' | 'rawEnd' | 'hidden'>

/** What is kept of a line: all of it where it is `whole` or short. */
export function keptParts(line: string, whole: boolean): Parts {
  const { raw, rawEnd, hidden } = shownParts(line, whole)
  return { raw: detach(raw), rawEnd: detach(rawEnd), hidden }
}

/** The same, while the text that the line was cut from is still there. */
export function shownParts(stored: string, whole: boolean): Parts {
  const isLong = !whole && stored.length > START_UNITS + END_UNITS
  // Of progress, the states that a terminal no longer shows are no part of it.
  const line = isLong && isDrawn(stored) ? cleanLine(stored) : stored
  if (!isLong || line.length <= START_UNITS + END_UNITS) return { raw: line, rawEnd: '', hidden: 0 }
  const raw = cutAtGrapheme(line, START_UNITS)
  const rawEnd = cutAtGrapheme(line, END_UNITS, true)
  return { raw, rawEnd, hidden: line.length - raw.length - rawEnd.length }
}

/** A kept line as a terminal shows it. */
export function cleanParts(line: Pick<KeptLine, 'raw' | 'rawEnd'>): { text: string; end: string; both: string } {
  const text = cleanLine(line.raw)
  if (line.rawEnd === '') return { text, end: '', both: text }
  const end = cleanLine(line.rawEnd)
  return { text, end, both: `${text} ${end}` }
}
