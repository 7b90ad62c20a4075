import type { TextSubject } from '../previewer.ts'

export interface ListedLine {
  /** Folder or file of the entry. Absent if it is the same as before. */
  readonly group?: string | undefined
  /** The entry to show. Absent if the line has only the name of a group. */
  readonly item?: string | undefined
}

/** Reads lines of a listing. A reader may use what it knows from earlier lines. */
export interface ListingReader {
  /** Returns `undefined` if the line is not part of the listing. */
  read(line: string): ListedLine | undefined
}

export interface ListingForm {
  /** Name that is shown in the first line of a preview. */
  readonly name: string
  /** Nouns for groups and entries. */
  readonly group: string
  readonly item: string
  /** Whether each entry has its own line. */
  readonly onLines: boolean
  /** Text after the name of a group. */
  readonly mark: string
  /** Text between the names of a group and its entry. */
  readonly joint: string
  /** Returns the confidence from 0 to 1. */
  readonly recognize: (lines: readonly string[], subject: TextSubject) => number
  readonly start: () => ListingReader
}

/** Whether a reader knows a share of the lines. It also gets blank lines, which may separate groups. */
export function knowsMost(lines: readonly string[], reader: Pick<ListingReader, 'read'>, share: number): boolean {
  const filled = lines.filter((line) => line !== '').length
  let known = filled
  return (
    filled > 0 && lines.every((line) => reader.read(line) !== undefined || line === '' || --known / filled >= share)
  )
}
