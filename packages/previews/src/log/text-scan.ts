import type { Severity } from './line-words.ts'
import type { TextCounts } from './text-counts.ts'

/** A kept line, as a terminal would show it. */
export interface ScannedLine {
  readonly number: number
  /** Number of blank lines directly before the line. */
  readonly blanksBefore: number
  /** The line, or the start of a long line. */
  readonly text: string
  /** End of a line whose middle was cut, otherwise empty. */
  readonly end: string
  /** Number of UTF-16 units between `text` and `end`. */
  readonly hidden: number
  readonly red: boolean
  /** Severity that the line reports. A line that only mentions errors has none. */
  readonly severity: Severity
  /** Hash of the template. Lines with the same template differ only in numbers. */
  readonly template: number
  /** Number of lines with the same template. */
  readonly repeats: number
  /** Number of consecutive lines with the same template, from this line on. */
  readonly run: number
  /** Number of earlier lines that report errors, and number that report warnings. */
  readonly errorsBefore: number
  readonly warningsBefore: number
  /** Importance of the line, from its own words and the lines around it. */
  readonly rank: number
}

/** Lines without their common prefixes. */
export interface BareLines {
  readonly lines: readonly ScannedLine[]
  /** Description of the removed prefixes for the header. */
  readonly note: string
}

export interface LineScores extends BareLines {
  /** Probability that a line is important, from 0 to 1, by line number. A missing line has the probability 0. */
  readonly scores: ReadonlyMap<number, number>
  /** Numbers of the few lines that differ from all other lines. */
  readonly odd: ReadonlySet<number>
}

/** Data of a text from which its preview is written. The size of the data is limited. */
export interface TextScan {
  /** Number of lines. A final newline does not start a line, and an empty text has no lines. */
  readonly lines: number
  readonly length: number
  /** Number of lines that report errors, and number that report warnings. */
  readonly errors: number
  readonly warnings: number
  readonly counts: TextCounts
  /** Return the scores, which are computed only once. */
  scores(): LineScores
  /** Kept lines in order, without blank lines. */
  readonly kept: readonly ScannedLine[]
}
