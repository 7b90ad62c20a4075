import type { TextSubject } from '../previewer.ts'

/** What one line of a listing says. */
export interface ListedLine {
  /** Where the entry belongs: a folder, or the file of a match; absent where it is that of the line before. */
  readonly group?: string | undefined
  /** The entry as it is shown; absent where the line only names the group. */
  readonly item?: string | undefined
}

/** How the lines of a listing are read. It may remember the lines before. */
export interface ListingReader {
  /** Read a line, or return `undefined` where it is none of the listing. */
  read(line: string): ListedLine | undefined
}

/** A kind of listing. */
export interface ListingForm {
  /** What it is called in the first line of a preview. */
  readonly name: string
  /** What its groups and its entries are called. */
  readonly group: string
  readonly item: string
  /** Whether each entry has a line of its own. */
  readonly onLines: boolean
  /** What stands behind the name of a group. */
  readonly mark: string
  /** What stands between a group and its entry where both are said. */
  readonly joint: string
  /** Say how sure it is that these lines are such a listing, from 0 to 1. */
  readonly recognize: (lines: readonly string[], subject: TextSubject) => number
  readonly start: () => ListingReader
}

/** The share of the lines that a reader takes. */
export function shareRead(lines: readonly string[], reader: ListingReader): number {
  // The reader sees blank lines too: they may part groups.
  const taken = lines.filter((line) => reader.read(line) !== undefined && line !== '').length
  const filled = lines.filter((line) => line !== '').length
  return filled === 0 ? 0 : taken / filled
}
