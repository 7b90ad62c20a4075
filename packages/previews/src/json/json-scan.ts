import type { TextScan } from '../log/text-scan.ts'
import type { Shape } from './shape.ts'
import type { Passage } from './passage-keeper.ts'

/** Data of a JSON text from which its preview is written. The size of the data is limited. */
export interface JsonScan {
  /** Merged shape of all top-level values. */
  readonly root: Shape
  readonly values: number
  /** Whether each value is on its own line, so that a value never continues on the next line. */
  readonly byLine: boolean
  readonly oneLine: boolean
  /** Number of values that were incomplete at the end of their line. */
  readonly abandoned: number
  readonly hasSingleQuotes: boolean
  /** Number of lines between or after the values that are not JSON, and numbers of the first of them and of the last. */
  readonly strays: number
  readonly strayLines: readonly number[]
  readonly strayUnits: number
  readonly length: number
  readonly lines: number
  /** Set if the JSON becomes invalid, or if the text ends inside a value. */
  readonly broken: (JsonBreak & { readonly atEnd: boolean }) | undefined
  readonly deeper: number
  /** The longest arrays and objects of the document, the longest first. In an array, only the first item counts. */
  readonly passages: readonly Passage[]
  /** The longest strings that have many lines or contain JSON, the longest first. */
  readonly strings: readonly ScannedString[]
  readonly unusual: readonly UnusualRecord[]
}

export interface ScannedString {
  /** Keys from the root. The key of an array item is `''`. */
  readonly path: readonly string[]
  /** Length in UTF-16 units, including escapes. */
  readonly length: number
  readonly read: () => { readonly lines: TextScan } | { readonly json: JsonScan }
}

/** Receives the parts that a `JsonTokenizer` reads. Offsets are in UTF-16 units, and lines count from 1. */
export interface JsonSink {
  /** Offsets of the next parts refer to `text`, which starts at `origin`. */
  reading?(text: string, origin: number): void
  read?(end: number): void
  open(isObject: boolean, offset: number, line: number): void
  /** The innermost open object or array ended before `offset`. */
  close(offset: number, line: number): void
  /** The key of the next member is in `text`, from `start` to `end`. The key has no quotes, but may have escapes. */
  key(text: string, start: number, end: number, offset: number, line: number): void
  string(text: string, start: number, end: number, offset: number, line: number): void
  /** A long string starts. Parts of the string follow. */
  openString(offset: number, line: number): void
  /** A part of a long string, which may begin and end anywhere. */
  stringPart(text: string, start: number, end: number): void
  closeString(): void
  /** A number, or else a word such as `true`, `null`, or `NaN`. */
  plain(text: string, start: number, end: number, offset: number, line: number, isNumber: boolean): void
  /** All open levels end, because their line ended. */
  abandon?(offset: number): void
  /** A line between two values is not JSON. */
  stray?(line: number): void
}

export interface JsonBreak {
  readonly offset: number
  readonly line: number
}

/** A member or a value that was rare when it was read. */
export interface Rarity {
  /** Keys from the root. The key of an array item is `''`. */
  readonly path: readonly string[]
  /** The value, or `undefined` if the member itself was new. */
  readonly value: string | undefined
  /** 2 for a word of an error, 1 for a word of a warning, and 0 otherwise. */
  readonly failure: number
}

export interface RecordPlace {
  readonly path: readonly string[]
  /** Index in each array of the path, in order. */
  readonly indexes: readonly number[]
}

/** An object or row with values that were rare when they were read. */
export interface RareRecord extends RecordPlace {
  readonly start: number
  readonly end: number
  readonly line: number
  readonly text: string
  readonly rarities: readonly Rarity[]
}

/** A record that differs from the other records of the document under the same path. */
export interface UnusualRecord extends RareRecord {
  readonly shape: Shape
  /** Rank, from 0. Records with words of failure rank above 1. */
  readonly rank: number
}
