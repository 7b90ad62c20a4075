import {
  decodeDescription,
  describeUnknown,
  rangeAfter,
  splitId,
  type DriverEntry,
  type EntryId,
  type EntryInfo,
  type Eviction,
  type EvictionReason,
  type IdRange,
} from '@spillway/core/driver'
import type { ContentPlace } from './contents.ts'
import type { Session } from './session.ts'

export interface FoundEntry {
  readonly id: EntryId
  readonly place: ContentPlace
  /** Description of the entry. `undefined` if the description is damaged. */
  readonly info: EntryInfo | undefined
  readonly lastUsedAt: number
}

interface Row {
  readonly id: string
  readonly content: number
  readonly size: number
  readonly chunk_bytes: number
  readonly last_used_at: number
  readonly description: string
}

export interface NewEntry {
  readonly id: EntryId
  readonly place: ContentPlace
  readonly lastUsedAt: number
  readonly description: string
}

/** Number of entries to examine before yielding to the event loop. */
const LOOKED_AT = 5_000
const COLUMNS = 'id, content, size, chunk_bytes, last_used_at, description'
export const INSERT_ENTRY: string = `INSERT INTO spillway_entry (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
export const SELECT_ENTRY: string = `SELECT ${COLUMNS} FROM spillway_entry WHERE id = ?`
export const SELECT_PAGE: string = `SELECT ${COLUMNS} FROM spillway_entry WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`
export const SELECT_IDS = 'SELECT id FROM spillway_entry WHERE id >= ? AND id < ? ORDER BY id LIMIT ?'
export const SELECT_UNUSED: string = `SELECT ${COLUMNS} FROM spillway_entry WHERE (last_used_at, id) > (?, ?) AND last_used_at <= ? ORDER BY last_used_at, id LIMIT ?`
export const SELECT_PAGE_UNUSED: string = `SELECT ${COLUMNS} FROM spillway_entry WHERE id >= ? AND id < ? AND +last_used_at <= ? ORDER BY id LIMIT ?`
export const SELECT_END = 'SELECT id FROM spillway_entry WHERE id >= ? AND id < ? ORDER BY id LIMIT 1 OFFSET ?'
export const TOUCH_ENTRY =
  'UPDATE spillway_entry SET last_used_at = max(?, last_used_at + 1) WHERE id = ? RETURNING last_used_at'
export const DELETE_ENTRY: string = `DELETE FROM spillway_entry WHERE id = ? RETURNING ${COLUMNS}`
export const DELETE_UNUSED: string = `DELETE FROM spillway_entry WHERE id = ? AND last_used_at <= ? RETURNING ${COLUMNS}`

/** Returns `false` if there is an entry with this id. */
export function insertEntry(session: Session, { id, place, lastUsedAt, description }: NewEntry): boolean {
  const { content, size, chunkBytes } = place
  return session.run(INSERT_ENTRY, id, content, size, chunkBytes, lastUsedAt, description) === 1
}

export function findEntry(session: Session, id: EntryId): FoundEntry | undefined {
  return found(session.get(SELECT_ENTRY, id))
}

export function touchEntry(session: Session, id: EntryId, lastUsedAt: number): number | undefined {
  return (session.get(TOUCH_ENTRY, lastUsedAt, id) as Row | undefined)?.last_used_at
}

/** The caller must release the content of the entry. */
export function deleteEntry(session: Session, id: EntryId, unusedSince?: number): FoundEntry | undefined {
  return found(unusedSince === undefined ? session.get(DELETE_ENTRY, id) : session.get(DELETE_UNUSED, id, unusedSince))
}

interface Page {
  readonly entries: readonly FoundEntry[]
  /** The range that was not examined, if any. */
  readonly left: IdRange | undefined
}

/** Returns entries by id. Entries whose ids are excluded are not read. */
export function entriesFrom(session: Session, range: IdRange, limit: number, except?: (id: EntryId) => boolean): Page {
  const sql = except === undefined ? SELECT_PAGE : SELECT_IDS
  const rows = session.all(sql, range.from, range.to, limit) as Pick<Row, 'id'>[]
  const find = (row: Pick<Row, 'id'>): FoundEntry | undefined => {
    if (except === undefined) return found(row)
    return except(row.id) ? undefined : findEntry(session, row.id)
  }
  return { entries: rows.flatMap((row) => find(row) ?? []), left: rangeLeft(rows, limit, range) }
}

/** Returns unused entries by id. Examines only a few entries at once. */
export function unusedEntriesFrom(session: Session, { from, to }: IdRange, unusedSince: number, limit: number): Page {
  const next = (session.get(SELECT_END, from, to, LOOKED_AT) as Pick<Row, 'id'> | undefined)?.id
  const rows = session.all(SELECT_PAGE_UNUSED, from, next ?? to, unusedSince, limit)
  const entries = rows.flatMap((row) => found(row) ?? [])
  const left = rangeLeft(entries, limit, { from, to })
  return { entries, left: left ?? (next === undefined ? undefined : { from: next, to }) }
}

function rangeLeft(rows: readonly Pick<Row, 'id'>[], limit: number, range: IdRange): IdRange | undefined {
  const last = rows.length < limit ? undefined : rows.at(-1)
  return last && rangeAfter(last.id, range)
}

export function leastUsedEntries(
  session: Session,
  after: Pick<FoundEntry, 'id' | 'lastUsedAt'> | undefined,
  unusedSince: number,
  limit: number,
): FoundEntry[] {
  const { id, lastUsedAt } = after ?? { id: '', lastUsedAt: Number.NEGATIVE_INFINITY }
  return session.all(SELECT_UNUSED, lastUsedAt, id, unusedSince, limit).flatMap((row) => found(row) ?? [])
}

/** Damaged entries are listed too, so that they can be found and removed. */
export function listed({ id, place, info, lastUsedAt }: FoundEntry): DriverEntry {
  return { id, info: info ?? describeUnknown(lastUsedAt, place.size) }
}

function found(value: unknown): FoundEntry | undefined {
  if (value === undefined) return undefined
  const { id, content, size, chunk_bytes: chunkBytes, last_used_at: lastUsedAt, description } = value as Row
  const decoded = decodeDescription(description)
  return {
    id,
    place: { content, size, chunkBytes },
    info: decoded && { ...decoded, size, lastUsedAt },
    lastUsedAt,
  }
}

export const TOMBSTONE_AGE_MS: number = 7 * 24 * 60 * 60 * 1000
export const MAX_TOMBSTONES = 1_000

export const SELECT_LAST_PLACE = 'SELECT max(place) AS place FROM spillway_tombstone WHERE scope = ?'
const INSERT =
  'INSERT OR REPLACE INTO spillway_tombstone (id, scope, place, reason, evicted_at, metadata) VALUES (?, ?, ?, ?, ?, ?)'
export const DELETE_OLDEST_TOMBSTONES = 'DELETE FROM spillway_tombstone WHERE scope = ? AND place <= ?'
export const DELETE_TOMBSTONE = 'DELETE FROM spillway_tombstone WHERE id = ?'
export const DELETE_TOMBSTONES =
  'DELETE FROM spillway_tombstone WHERE id IN (SELECT id FROM spillway_tombstone WHERE id >= ? AND id < ? LIMIT ?)'
export const DELETE_OLD_TOMBSTONES =
  'DELETE FROM spillway_tombstone WHERE id IN (SELECT id FROM spillway_tombstone WHERE evicted_at < ? LIMIT ?)'
export const SELECT_TOMBSTONE =
  'SELECT reason, evicted_at, metadata FROM spillway_tombstone WHERE id = ? AND NOT EXISTS (SELECT 1 FROM spillway_entry WHERE id = ?)'
const BATCH = 1_000

/** If the scope has more than {@link MAX_TOMBSTONES}, deletes the oldest. */
export function insertTombstone(session: Session, id: EntryId, { reason, evictedAt, metadata }: Eviction): void {
  const { path: scope } = splitId(id)
  const { place: last } = session.get(SELECT_LAST_PLACE, scope) as { readonly place: number | null }
  const place = (last ?? 0) + 1
  session.run(INSERT, id, scope, place, reason, evictedAt, JSON.stringify(metadata))
  session.run(DELETE_OLDEST_TOMBSTONES, scope, place - MAX_TOMBSTONES)
}

export function findTombstone(session: Session, id: EntryId): Eviction | undefined {
  const row = session.get(SELECT_TOMBSTONE, id, id)
  if (row === undefined) return undefined
  const {
    reason,
    evicted_at: evictedAt,
    metadata,
  } = row as {
    readonly reason: EvictionReason
    readonly evicted_at: number
    readonly metadata: string
  }
  return { reason, evictedAt, metadata: JSON.parse(metadata) as Eviction['metadata'] }
}

export function deleteTombstone(session: Session, id: EntryId): void {
  session.run(DELETE_TOMBSTONE, id)
}

/** Returns whether there may be more tombstones to delete. */
export const deleteTombstones = (session: Session, { from, to }: IdRange): boolean =>
  session.run(DELETE_TOMBSTONES, from, to, BATCH) === BATCH

export const deleteOldTombstones = (session: Session, now: number): boolean =>
  session.run(DELETE_OLD_TOMBSTONES, now - TOMBSTONE_AGE_MS, BATCH) === BATCH
