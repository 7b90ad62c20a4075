import type { Severity } from './line-words.ts'
import type { TextCounts } from './text-counts.ts'

/** A line that a scan has kept, as a terminal would show it. */
export interface ScannedLine {
  /** 1-based. */
  readonly number: number
  /** Blank lines that stand directly before it. */
  readonly blanksBefore: number
  /** The line, or the start of a long one. */
  readonly text: string
  /** The end of a line that is not kept whole. */
  readonly end: string
  /** UTF-16 units between `text` and `end` that are not kept. */
  readonly hidden: number
  readonly red: boolean
  readonly severity: Severity
  /** Lines of the same template are alike but for their numbers. */
  readonly template: number
  /** How many lines of the whole text are alike but for their numbers. */
  readonly repeats: number
  /** How many such lines follow each other from this one on. */
  readonly run: number
  /** Lines with errors, and with warnings, before this one in the whole text. */
  readonly errorsBefore: number
  readonly warningsBefore: number
}

/** What tells which of the kept lines matter, by their numbers in the text. */
export interface LineScores {
  /** How likely each line is to matter, from 0 to 1. */
  readonly scores: ReadonlyMap<number, number>
  /** The few lines that are unlike all others. */
  readonly odd: ReadonlySet<number>
}

/** What is kept of a text to make a preview of: bounded, however long the text was. */
export interface TextScan {
  /** Lines of the text; a final newline ends the last line, and an empty text has none. */
  readonly lines: number
  /** UTF-16 units of the text. */
  readonly length: number
  /** Lines with errors, and with warnings. */
  readonly errors: number
  readonly warnings: number
  readonly counts: TextCounts
  /** The scores of the kept lines, worked out once. */
  scores(): LineScores
  /** In order, without blank lines. */
  readonly kept: readonly ScannedLine[]
}
