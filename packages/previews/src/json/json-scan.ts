import type { TextScan } from '../log/text-scan.ts'
import type { Shape } from './shape.ts'
import type { Passage } from './passage-keeper.ts'

/** What is kept of a text of JSON to make a preview of: bounded, however long the text was. */
export interface JsonScan {
  /** What the values at the top are made of. */
  readonly root: Shape
  readonly values: number
  /** Whether each value stands on a line of its own, and whether none has more than one line. */
  readonly byLine: boolean
  readonly oneLine: boolean
  /** Values that broke off at the end of their line, and lines between values that are none. */
  readonly abandoned: number
  readonly strays: number
  readonly strayUnits: number
  /** UTF-16 units of the text. */
  readonly length: number
  /** The line that the text ends on. */
  readonly lines: number
  /** Where the text stops being JSON, or ends before its values do. */
  readonly broken: (JsonBreak & { readonly atEnd: boolean }) | undefined
  /** Objects and arrays below the levels that are told apart. */
  readonly deeper: number
  /** The longest arrays and objects that stand in no array, the longest first. */
  readonly passages: readonly Passage[]
  /** The longest strings of many lines, the longest first. */
  readonly strings: readonly ScannedString[]
}

/** A string of many lines in JSON, or one that is JSON itself. */
export interface ScannedString {
  /** The keys that lead to it; `''` for an item of an array. */
  readonly path: readonly string[]
  /** UTF-16 units as it stands in the text. */
  readonly length: number
  /** Its lines, or what it is made of as JSON. */
  readonly read: () => { readonly lines: TextScan } | { readonly json: JsonScan }
}

/** Takes in what a `JsonTokenizer` reads. Offsets are UTF-16 units from the start of the text, lines are 1-based. */
export interface JsonSink {
  /** What follows is read from this text, which starts at `origin`. */
  reading(text: string, origin: number): void
  /** It was read as far as `end`. */
  read(end: number): void
  /** An object or an array begins. */
  open(isObject: boolean, offset: number, line: number): void
  /** The innermost object or array ends before `offset`. */
  close(offset: number, line: number): void
  /** The name of the next member stands in `text` from `start` to `end`, without quotes and with its escapes. */
  key(text: string, start: number, end: number, offset: number, line: number): void
  string(text: string, start: number, end: number, offset: number, line: number): void
  /** A string of some length begins; its parts follow. */
  openString(offset: number, line: number): void
  /** The next part of a long string, cut anywhere. */
  stringPart(text: string, start: number, end: number): void
  closeString(): void
  number(text: string, start: number, end: number, offset: number, line: number): void
  /** `true`, `null`, `NaN` and the like. */
  word(text: string, start: number, end: number, offset: number, line: number): void
  /** What is open ends here, because its line ends. */
  abandon(offset: number): void
  /** Between two values stands a line that is none. */
  stray(line: number): void
}

/** Where a text stops being JSON. */
export interface JsonBreak {
  readonly offset: number
  readonly line: number
}
