import type { RawLine } from './raw-lines.ts'

/** One line that a preview can show, or a few lines that it shows as one. */
export interface Item {
  /** Of the first line, 1-based. */
  start: number
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
  parent: Item | undefined
  /** What is said of it in brackets. */
  note: string
  /** Whether its line number always stands before it. */
  numbered: boolean
  /** Whether it tells something without the lines around it: gaps between such items share one mark. */
  lone: boolean
}

/** What a preview by items is made of. */
export interface PreviewModel {
  /** In order. */
  readonly items: readonly Item[]
  /** The last line of the text that an item may stand for or a gap hide, and the first one; 1, if absent. */
  readonly lines: number
  readonly from?: number | undefined
  /** Lines without a place in the text that stand before the items, such as the columns of a table. */
  readonly head?: readonly string[] | undefined
  /** The first line of the preview, without its brackets. */
  readonly header: string
  /** Whether the header stands there also where everything is shown. */
  readonly alwaysHeader?: boolean
  /** If places are not lines of the text: how so many are called, and the call that shows those from `start` to `end`. */
  readonly counted?: ((count: number) => string) | undefined
  readonly show?: ((start: number, end: number) => string | undefined) | undefined
  /** What stands before an item after a gap: the number of its line, if absent. */
  readonly label?: ((place: number) => string) | undefined
  /** Share of the budget that each part of the items has, by its index. */
  readonly shares: readonly number[]
  /** Share of the budget that one line has at most while others are hidden. */
  readonly lineShare: number
  /** Share of what is shown of a long line that is its end. */
  readonly endShare: number
  /** Say what is among the lines from `start` to `end`, which are hidden. */
  readonly hidden?: (start: number, end: number) => string
  readonly names?: HiddenNames | undefined
}

/** Names that stand for hidden lines, below the mark of their gap. */
export interface HiddenNames {
  /** Choose names that have about so many tokens together, in any order. */
  readonly choose: (tokens: number) => readonly HiddenName[]
  /** Write the names of one gap, in the order of their lines. */
  readonly write: (names: readonly HiddenName[]) => string[]
}

/** A name that stands for a hidden line, with what it costs. */
export interface HiddenName {
  readonly line: number
  readonly name: string
  readonly tokens: number
}

/** Labels an item that several lines are rewritten as. */
export function lineLabel(line: number): string {
  return `[line ${line}] `
}

/** An item with a text of its own, worth so much. */
export function textItem(start: number, text: string, value: number, parent?: Item): Item {
  return itemOf({ number: start, text, tail: '', hidden: 0 }, 0, value, 0, parent)
}

/** Make an item of a line, with what it is worth and the part of the preview that it belongs to. */
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
