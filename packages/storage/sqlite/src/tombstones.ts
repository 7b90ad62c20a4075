import type { EntryId, Eviction, EvictionReason } from '@spillway/core/driver'
import type { IdRange } from './entries.ts'
import type { Session } from './session.ts'

/** How long evicted entries are remembered. */
export const TOMBSTONE_AGE_MS: number = 7 * 24 * 60 * 60 * 1000
/** How many evicted entries of one scope are remembered. */
export const MAX_TOMBSTONES = 1_000

export const LAST_PLACE = 'SELECT max(place) AS place FROM spillway_tombstone WHERE scope = ?'
const INSERT =
  'INSERT OR REPLACE INTO spillway_tombstone (id, scope, place, reason, evicted_at, metadata) VALUES (?, ?, ?, ?, ?, ?)'
export const DELETE_OLDEST = 'DELETE FROM spillway_tombstone WHERE scope = ? AND place <= ?'
export const DELETE = 'DELETE FROM spillway_tombstone WHERE id = ?'
export const DELETE_RANGE =
  'DELETE FROM spillway_tombstone WHERE id IN (SELECT id FROM spillway_tombstone WHERE id >= ? AND id < ? LIMIT ?)'
export const DELETE_OLD =
  'DELETE FROM spillway_tombstone WHERE id IN (SELECT id FROM spillway_tombstone WHERE evicted_at < ? LIMIT ?)'
export const SELECT =
  'SELECT reason, evicted_at, metadata FROM spillway_tombstone WHERE id = ? AND NOT EXISTS (SELECT 1 FROM spillway_entry WHERE id = ?)'
/** How many are removed before others get a turn. */
const BATCH = 1_000

/** Remember an eviction, and forget the oldest one of its scope beyond {@link MAX_TOMBSTONES}. */
export function insertTombstone(session: Session, id: EntryId, { reason, evictedAt, metadata }: Eviction): void {
  const scope = id.slice(0, Math.max(0, id.lastIndexOf('/')))
  const { place: last } = session.get(LAST_PLACE, scope) as { readonly place: number | null }
  const place = (last ?? 0) + 1
  session.run(INSERT, id, scope, place, reason, evictedAt, JSON.stringify(metadata))
  session.run(DELETE_OLDEST, scope, place - MAX_TOMBSTONES)
}

/** Find the tombstone of an entry that is not there. */
export function findTombstone(session: Session, id: EntryId): Eviction | undefined {
  const row = session.get(SELECT, id, id)
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
  session.run(DELETE, id)
}

/** Forget some of what was evicted in a range of ids; return whether there may be more. */
export const deleteTombstones = (session: Session, { from, to }: IdRange): boolean =>
  session.run(DELETE_RANGE, from, to, BATCH) === BATCH

/** Forget some of what was evicted too long ago; return whether there may be more. */
export const deleteOldTombstones = (session: Session, now: number): boolean =>
  session.run(DELETE_OLD, now - TOMBSTONE_AGE_MS, BATCH) === BATCH
