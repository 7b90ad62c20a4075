/** One line that a preview can show, or a few lines that it shows as one. */
export interface LineItem {
  /** Of the first line, 1-based. */
  readonly start: number
  /** Of the last line. */
  end: number
  /** The line as stored, or the start of a long one. */
  text: string
  /** The end of a line that is not kept whole. */
  tail: string
  /** UTF-16 units between `text` and `tail` that are not kept. */
  readonly hidden: number
  /** Blank lines right before it. */
  readonly blanks: number
  /** What it is worth to see it. */
  value: number
  /** Which share of the budget it is shown from. */
  part: number
  /** What it makes no sense without, such as the heading of its section. */
  parent: LineItem | undefined
  /** What is said of it in brackets. */
  note: string
  /** Whether its line number always stands before it. */
  numbered: boolean
  /** Whether it tells something without the lines around it: gaps between such items share one mark. */
  lone: boolean
}
