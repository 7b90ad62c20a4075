import type { Severity } from './line-words.ts'
import type { TextCounts } from './text-counts.ts'

/** A kept line, as a terminal shows it. */
export interface ScannedLine {
  readonly number: number
  /** Blank lines directly before it. */
  readonly blanksBefore: number
  /** The line, or the start of a long one. */
  readonly text: string
  /** End of a cut line. */
  readonly end: string
  /** UTF-16 units missing between `text` and `end`. */
  readonly hidden: number
  readonly red: boolean
  readonly severity: Severity
  /** Lines of one template differ only in numbers. */
  readonly template: number
  /** Number of lines with this template. */
  readonly repeats: number
  /** Length of the run of such lines from this one on. */
  readonly run: number
  /** Numbers of earlier lines with errors and warnings. */
  readonly errorsBefore: number
  readonly warningsBefore: number
}

/** Lines without their common prefixes. */
export interface BareLines {
  readonly lines: readonly ScannedLine[]
  /** Names the prefixes for the header. */
  readonly note: string
}

/** Scores of kept lines by line number. */
export interface LineScores extends BareLines {
  /** Likelihood that a line matters, from 0 to 1. */
  readonly scores: ReadonlyMap<number, number>
  /** The few lines unlike all others. */
  readonly odd: ReadonlySet<number>
}

/** Bounded data of a text for its preview. */
export interface TextScan {
  /** A final newline ends the last line; an empty text has no lines. */
  readonly lines: number
  readonly length: number
  /** Numbers of lines with errors and warnings. */
  readonly errors: number
  readonly warnings: number
  readonly counts: TextCounts
  /** Computed once. */
  scores(): LineScores
  /** In order, without blank lines. */
  readonly kept: readonly ScannedLine[]
}
