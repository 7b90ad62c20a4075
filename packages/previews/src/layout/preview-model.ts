import { cleanLine, cutWithMark } from '@spillway/text/internal'
import type { RawLine } from './raw-lines.ts'

/** One line, or a few lines shown as one. */
export interface Item {
  /** Number of the first line, 1-based. */
  start: number
  end: number
  /** The stored line. If the line is long, only its start is included. */
  text: string
  /** End of a line whose middle was cut. */
  tail: string
  /** Number of UTF-16 units between `text` and `tail`. */
  readonly hidden: number
  /** Number of blank lines directly before the item. */
  readonly blanks: number
  /** Usefulness of the item in a preview. */
  value: number
  /** Index of the part whose share of the budget the item uses. */
  part: number
  /** The item that must be shown with this one, for example the heading of its section. */
  parent: Item | undefined
  /** A note that is shown in brackets. */
  note: string
  /** Whether the line number is always shown. */
  numbered: boolean
  /** Whether the item is useful without its neighbors. Gaps between such items share one mark. */
  lone: boolean
}

export interface PreviewModel {
  readonly items: readonly Item[]
  /** Number of the last line of the text, and of the first, which defaults to 1. */
  readonly lines: number
  readonly from?: number | undefined
  /** Lines shown before the items, for example the columns of a table. */
  readonly head?: readonly string[] | undefined
  /** First line of the preview, without its brackets. */
  readonly header: string
  /** Whether the header is shown even if nothing is hidden. */
  readonly alwaysHeader?: boolean
  /** If places are not lines: `counted` writes a number of places, and `show` the call that shows a range of places. */
  readonly counted?: ((count: number) => string) | undefined
  readonly show?: ((start: number, end: number) => string | undefined) | undefined
  /** Returns the text before an item that follows a gap. Defaults to the line number. */
  readonly label?: ((place: number) => string) | undefined
  /** Share of the budget for each part, by its index. */
  readonly shares: readonly number[]
  /** Largest share of the budget for one line, if other lines are hidden. */
  readonly lineShare: number
  /** Share of a long line's shown text that is from its end. */
  readonly endShare: number
  /** Returns a description of the hidden lines from `start` to `end`. */
  readonly hidden?: (start: number, end: number) => string
  readonly names?: HiddenNames | undefined
}

/** Names in hidden lines, which are shown below the mark of the gap. */
export interface HiddenNames {
  /** Returns names for about this many tokens, in any order. */
  readonly choose: (tokens: number) => readonly HiddenName[]
  /** Writes the names of one gap, in the order of their lines. */
  readonly write: (names: readonly HiddenName[]) => string[]
}

export interface HiddenName {
  readonly line: number
  readonly name: string
  readonly tokens: number
}

export function textItem(start: number, text: string, value: number, parent?: Item): Item {
  return itemOf({ number: start, text, tail: '', hidden: 0 }, 0, value, 0, parent)
}

export function itemOf(
  { number: start, text, tail, hidden }: RawLine,
  blanks: number,
  value: number,
  part: number,
  parent: Item | undefined,
): Item {
  return { start, end: start, text, tail, hidden, blanks, value, part, parent, note: '', numbered: false, lone: false }
}

const LONGEST_LINE = 160

/** Write a line that is not part of the structure of a text, such as a message of a program, with its line number. */
export const foreignLine = (line: number, text: string): string =>
  `${line}| ${cutWithMark(cleanLine(text), LONGEST_LINE)}`
