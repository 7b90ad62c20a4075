import type { TextScan } from '../log/text-scan.ts'
import type { Shape } from './shape.ts'
import type { Passage } from './passage-keeper.ts'

/** Data of a JSON text for its preview. Its size is limited. */
export interface JsonScan {
  /** Shape of the top-level values. */
  readonly root: Shape
  readonly values: number
  /** Whether each value has its own line, so that no value continues on the next line. */
  readonly byLine: boolean
  readonly oneLine: boolean
  /** Number of values cut at the end of their line, and of lines between values that are not JSON. */
  readonly abandoned: number
  readonly hasSingleQuotes: boolean
  readonly strays: number
  readonly strayUnits: number
  readonly length: number
  readonly lines: number
  /** Set if the JSON becomes invalid, or the text ends within a value. */
  readonly broken: (JsonBreak & { readonly atEnd: boolean }) | undefined
  readonly deeper: number
  /** The longest arrays and objects that are not inside arrays, the longest first. */
  readonly passages: readonly Passage[]
  /** The longest strings with many lines, the longest first. */
  readonly strings: readonly ScannedString[]
}

export interface ScannedString {
  /** Keys from the root. `''` means an item of an array. */
  readonly path: readonly string[]
  /** Length in UTF-16 units, including escapes. */
  readonly length: number
  readonly read: () => { readonly lines: TextScan } | { readonly json: JsonScan }
}

/** Receives the parts that a `JsonTokenizer` reads, with offsets in UTF-16 units and 1-based lines. */
export interface JsonSink {
  /** The next parts are in `text`, which starts at `origin`. */
  reading(text: string, origin: number): void
  read(end: number): void
  open(isObject: boolean, offset: number, line: number): void
  /** The innermost object or array ends before `offset`. */
  close(offset: number, line: number): void
  /** The name of the next member is in `text`, from `start` to `end`. It has no quotes, but may have escapes. */
  key(text: string, start: number, end: number, offset: number, line: number): void
  string(text: string, start: number, end: number, offset: number, line: number): void
  /** A long string starts. Its parts follow. */
  openString(offset: number, line: number): void
  /** A part of a long string, which may be cut anywhere. */
  stringPart(text: string, start: number, end: number): void
  closeString(): void
  number(text: string, start: number, end: number, offset: number, line: number): void
  /** `true`, `null`, `NaN`, and similar words. */
  word(text: string, start: number, end: number, offset: number, line: number): void
  /** The line ends, and therefore all open levels end. */
  abandon(offset: number): void
  /** A line between two values is not JSON. */
  stray(line: number): void
}

export interface JsonBreak {
  readonly offset: number
  readonly line: number
}
