import type { TextSubject } from '../previewer.ts'

export interface ListedLine {
  /** Folder or file of the entry. Absent if it is the same as in the line before. */
  readonly group?: string | undefined
  /** The entry to show. Absent if the line is only the heading of a group. */
  readonly item?: string | undefined
}

/** Reads the lines of a listing in order. Earlier lines may affect how a line is read. */
export interface ListingReader {
  /** Read a line. Returns `undefined` if the line is not part of the listing. */
  read(line: string): ListedLine | undefined
}

export interface ListingForm {
  /** Name of the format in the first line of a preview. */
  readonly name: string
  /** Nouns for groups and entries. */
  readonly group: string
  readonly item: string
  /** Whether each entry has its own line. */
  readonly onLines: boolean
  /** Text after the name of a group in its heading. */
  readonly mark: string
  /** Text between the name of a group and the name of its entry. */
  readonly joint: string
  /** Return the confidence that lines are such a listing, from 0 to 1. */
  readonly recognize: (lines: readonly string[], subject: TextSubject) => number
  readonly start: () => ListingReader
}

/** Whether a reader accepts a share of the lines. The reader also gets blank lines, which may separate groups. */
export function knowsMost(lines: readonly string[], reader: Pick<ListingReader, 'read'>, share: number): boolean {
  const filled = lines.filter((line) => line !== '').length
  let known = filled
  return (
    filled > 0 && lines.every((line) => reader.read(line) !== undefined || line === '' || --known / filled >= share)
  )
}
