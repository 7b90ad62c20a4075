import type { TextScan } from '../log/text-scan.ts'
import type { JsonBreak } from './json-sink.ts'
import type { Passage } from './passage.ts'
import type { Shape } from './shape.ts'

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
