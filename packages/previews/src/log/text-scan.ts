import type { SignalKind } from './rules/line-rule.ts'

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
  readonly signal: SignalKind
  /** How much the line matters on its own, from 0 to 100. */
  readonly weight: number
  /** Where in `text` that shows. */
  readonly at: number
  /** Whether the line announces what stands below it. */
  readonly heads: boolean
  /** How many lines of the text begin like this one, or look like it, whichever are more. */
  readonly alike: number
  /** How many lines look like this one and hold the same telling words; 0 where it holds none. */
  readonly crowd: number
  /** Lines of the same template are alike but for their numbers. */
  readonly template: number
  /** How many telling lines of the whole text are alike but for their numbers; of another line, `alike`. */
  readonly repeats: number
  /** How many such lines follow each other from this one on. */
  readonly run: number
  /** How much of a surprise the line is where it stands, in bits: 0 where lines like it are common. */
  readonly surprise: number
  /** Lines with errors, and with warnings, before this one in the whole text. */
  readonly errorsBefore: number
  readonly warningsBefore: number
  /** 1 where the line itself counts as an error, or as a warning. */
  readonly errors: number
  readonly warnings: number
}

/** What is kept of a text to make a preview of: bounded, however long the text was. */
export interface TextScan {
  /** Lines of the text; a final newline ends the last line, and an empty text has none. */
  readonly lines: number
  /** UTF-16 units of the text. */
  readonly length: number
  readonly errors: number
  readonly warnings: number
  /** Whether errors and warnings were counted in full; where not, they are 0 here, and those of lines tell little. */
  readonly counted: boolean
  /** In order, without blank lines. */
  readonly kept: readonly ScannedLine[]
}
