import {
  decodeDescription,
  describeUnknown,
  type DriverEntry,
  type EntryId,
  type EntryInfo,
} from '@spillway/core/driver'
import type { Row } from './connection.ts'

export const COLUMNS = 'id, content, size, chunk_bytes, last_used_at, description'

export interface FoundEntry {
  readonly id: EntryId
  readonly content: string
  readonly size: number
  readonly chunkBytes: number
  readonly lastUsedAt: number
  /** Description of the entry. `undefined` if it is damaged. */
  readonly info: EntryInfo | undefined
}

/** Converts a row with {@link COLUMNS}, and with `line_index` if the statement selects it. */
export function foundEntry(row: Row): FoundEntry {
  const { id, content, size, chunk_bytes, last_used_at, description, line_index } = row as {
    readonly id: EntryId
    readonly content: string
    readonly size: number
    readonly chunk_bytes: number
    readonly last_used_at: number
    readonly description: string
    readonly line_index?: string | null
  }
  const decoded = decodeDescription(description)
  const lineIndex = line_index == null ? undefined : { lineIndex: line_index }
  const info = decoded && { ...decoded, size, lastUsedAt: last_used_at, ...lineIndex }
  return { id, content, size, chunkBytes: chunk_bytes, lastUsedAt: last_used_at, info }
}

/** Damaged entries are listed too, so that they can be found and removed. */
export const listed = ({ id, size, lastUsedAt, info }: FoundEntry): DriverEntry => ({
  id,
  info: info ?? describeUnknown(lastUsedAt, size),
})
