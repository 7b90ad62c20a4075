import type { TextScan } from '../log/text-scan.ts'
import type { Shape } from './shape.ts'
import type { Passage } from './passage-keeper.ts'

/** Bounded data of a JSON text for its preview. */
export interface JsonScan {
  /** Shape of the top-level values. */
  readonly root: Shape
  readonly values: number
  /** Whether each value has its own line, and whether no value spans lines. */
  readonly byLine: boolean
  readonly oneLine: boolean
  /** Values cut at the end of their line, and lines between values that are not JSON. */
  readonly abandoned: number
  readonly strays: number
  readonly strayUnits: number
  readonly length: number
  readonly lines: number
  /** Set if JSON stops, or the text ends before its values do. */
  readonly broken: (JsonBreak & { readonly atEnd: boolean }) | undefined
  readonly deeper: number
  /** Longest arrays and objects outside of arrays, the longest first. */
  readonly passages: readonly Passage[]
  /** Longest strings of many lines, the longest first. */
  readonly strings: readonly ScannedString[]
}

export interface ScannedString {
  /** Keys from the root; `''` for an item of an array. */
  readonly path: readonly string[]
  /** UTF-16 units, with escapes. */
  readonly length: number
  readonly read: () => { readonly lines: TextScan } | { readonly json: JsonScan }
}

/**
 * Receives the parts that a `JsonTokenizer` reads. Offsets are UTF-16 units from the start of the text, lines are
 * 1-based.
 */
export interface JsonSink {
  /** `text`, which starts at `origin`, holds the next parts. */
  reading(text: string, origin: number): void
  read(end: number): void
  open(isObject: boolean, offset: number, line: number): void
  /** The innermost object or array ends before `offset`. */
  close(offset: number, line: number): void
  /** The next member's name is in `text` from `start` to `end`, without quotes but with escapes. */
  key(text: string, start: number, end: number, offset: number, line: number): void
  string(text: string, start: number, end: number, offset: number, line: number): void
  /** A long string begins; its parts follow. */
  openString(offset: number, line: number): void
  /** A part may be cut anywhere. */
  stringPart(text: string, start: number, end: number): void
  closeString(): void
  number(text: string, start: number, end: number, offset: number, line: number): void
  /** `true`, `null`, `NaN`, and similar words. */
  word(text: string, start: number, end: number, offset: number, line: number): void
  /** Open levels end here because their line ends. */
  abandon(offset: number): void
  /** A line between two values is not JSON. */
  stray(line: number): void
}

export interface JsonBreak {
  readonly offset: number
  readonly line: number
}
