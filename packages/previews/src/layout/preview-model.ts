import type { RawLine } from './raw-lines.ts'

/** One line, or a few lines shown as one. */
export interface Item {
  /** First line, 1-based. */
  start: number
  end: number
  /** The stored line, or the start of a long one. */
  text: string
  /** End of a cut line. */
  tail: string
  /** UTF-16 units missing between `text` and `tail`. */
  readonly hidden: number
  /** Blank lines directly before it. */
  readonly blanks: number
  /** Worth of showing it. */
  value: number
  /** Index of its share of the budget. */
  part: number
  /** Required context, for example the heading of its section. */
  parent: Item | undefined
  /** Shown in brackets. */
  note: string
  /** Whether its line number is always shown. */
  numbered: boolean
  /** Whether it is useful without its neighbors: gaps between such items share one mark. */
  lone: boolean
}

export interface PreviewModel {
  readonly items: readonly Item[]
  /** Last and first line of the text; `from` defaults to 1. */
  readonly lines: number
  readonly from?: number | undefined
  /** Lines shown before the items, for example the columns of a table. */
  readonly head?: readonly string[] | undefined
  /** First line of the preview, without brackets. */
  readonly header: string
  /** Whether the header is shown even if nothing is hidden. */
  readonly alwaysHeader?: boolean
  /** For places other than lines: their name with a count, and the call that shows a range. */
  readonly counted?: ((count: number) => string) | undefined
  readonly show?: ((start: number, end: number) => string | undefined) | undefined
  /** Text before an item after a gap. Defaults to its line number. */
  readonly label?: ((place: number) => string) | undefined
  /** Share of the budget for each part, by its index. */
  readonly shares: readonly number[]
  /** Largest share of the budget for one line while others are hidden. */
  readonly lineShare: number
  /** Share of a shown long line that is its end. */
  readonly endShare: number
  /** Describes the hidden lines from `start` to `end`. */
  readonly hidden?: (start: number, end: number) => string
  readonly names?: HiddenNames | undefined
}

/** Names shown in place of hidden lines, below their gap. */
export interface HiddenNames {
  /** Returns names of about so many tokens, in any order. */
  readonly choose: (tokens: number) => readonly HiddenName[]
  /** Writes the names of one gap, in the order of their lines. */
  readonly write: (names: readonly HiddenName[]) => string[]
}

export interface HiddenName {
  readonly line: number
  readonly name: string
  readonly tokens: number
}

/** Label of an item rewritten from several lines. */
export function lineLabel(line: number): string {
  return `[line ${line}] `
}

export function textItem(start: number, text: string, value: number, parent?: Item): Item {
  return itemOf({ number: start, text, tail: '', hidden: 0 }, 0, value, 0, parent)
}

export function itemOf(
  { number, text, tail, hidden }: RawLine,
  blanks: number,
  value: number,
  part: number,
  parent: Item | undefined,
): Item {
  return {
    start: number,
    end: number,
    text,
    tail,
    hidden,
    blanks,
    value,
    part,
    parent,
    note: '',
    numbered: false,
    lone: false,
  }
}
