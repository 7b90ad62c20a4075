import type { TextSubject } from '../previewer.ts'

export interface ListedLine {
  /** Folder or file of the entry; absent if unchanged. */
  readonly group?: string | undefined
  /** Shown entry; absent if the line only names the group. */
  readonly item?: string | undefined
}

/** Reads lines of a listing. May remember earlier lines. */
export interface ListingReader {
  /** Returns `undefined` if the line is not part of the listing. */
  read(line: string): ListedLine | undefined
}

export interface ListingForm {
  /** Shown in the first line of a preview. */
  readonly name: string
  /** Names for groups and entries. */
  readonly group: string
  readonly item: string
  /** Whether each entry has its own line. */
  readonly onLines: boolean
  /** Text after the name of a group. */
  readonly mark: string
  /** Text between a group and its entry. */
  readonly joint: string
  /** Returns the sureness from 0 to 1. */
  readonly recognize: (lines: readonly string[], subject: TextSubject) => number
  readonly start: () => ListingReader
}

export function shareRead(lines: readonly string[], reader: ListingReader): number {
  // The reader also gets blank lines, which may separate groups.
  const taken = lines.filter((line) => reader.read(line) !== undefined && line !== '').length
  const filled = lines.filter((line) => line !== '').length
  return filled === 0 ? 0 : taken / filled
}
