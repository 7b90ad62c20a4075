import type { Severity } from './line-words.ts'
import type { TextCounts } from './text-counts.ts'

/** A kept line, in the form that a terminal shows. */
export interface ScannedLine {
  readonly number: number
  /** Number of blank lines directly before it. */
  readonly blanksBefore: number
  /** The line. If the line is long, only its start is included. */
  readonly text: string
  /** End of a line whose middle was cut. */
  readonly end: string
  /** Number of UTF-16 units between `text` and `end`. */
  readonly hidden: number
  readonly red: boolean
  readonly severity: Severity
  /** Id of the template. Lines of one template differ only in numbers. */
  readonly template: number
  /** Number of lines with the same template. */
  readonly repeats: number
  /** Number of consecutive lines with the same template, starting with this one. */
  readonly run: number
  /** Number of earlier lines with errors, and with warnings. */
  readonly errorsBefore: number
  readonly warningsBefore: number
  /** Importance of the line's own words, and of lines after it. */
  readonly rank: number
}

/** Lines without their common prefixes. */
export interface BareLines {
  readonly lines: readonly ScannedLine[]
  /** Description of the prefixes for the header. */
  readonly note: string
}

export interface LineScores extends BareLines {
  /** Likelihood that a line is important, from 0 to 1. Missing lines have 0. */
  readonly scores: ReadonlyMap<number, number>
  /** The few lines that are unlike all others. */
  readonly odd: ReadonlySet<number>
}

/** Data of a text for its preview. Its size is limited. */
export interface TextScan {
  /** Number of lines. A final newline starts no line, and an empty text has no lines. */
  readonly lines: number
  readonly length: number
  /** Number of lines with errors, and with warnings. */
  readonly errors: number
  readonly warnings: number
  readonly counts: TextCounts
  /** Returns the scores, which are computed only once. */
  scores(): LineScores
  /** Kept lines in order, without blank lines. */
  readonly kept: readonly ScannedLine[]
}
