import type { CollectReport } from '@spillway/core/driver'
import type { Connection } from './connection.ts'

/** Content of this age is a leftover, because running writers renew their pending content every minute. */
const LEFTOVER_AGE_MS = 10 * 60_000
/** Number of rows that one statement deletes. */
const PURGED_CHUNKS = 64
const CLAIMED = 100

/** Claims content that was not renewed since $3. A writer of claimed content stops. */
export const CLAIM: string = `WITH stale AS (SELECT content FROM @pending WHERE id >= $1 AND id < $2 AND renewed_at < $3::double precision LIMIT ${CLAIMED} FOR UPDATE SKIP LOCKED)
  UPDATE @pending AS p SET renewed_at = 0 FROM stale WHERE p.content = stale.content RETURNING p.content`
export const DELETE_CHUNKS: string = `WITH part AS MATERIALIZED (SELECT content, number FROM @chunk WHERE content = ANY($1::uuid[]) AND EXISTS (SELECT FROM @pending AS p WHERE p.content = chunk.content AND p.renewed_at = 0) LIMIT ${PURGED_CHUNKS})
  DELETE FROM @chunk AS c USING part WHERE c.content = part.content AND c.number = part.number RETURNING octet_length(c.bytes) AS size`
export const DELETE_PENDING =
  'DELETE FROM @pending AS p WHERE content = ANY($1::uuid[]) AND renewed_at = 0 AND NOT EXISTS (SELECT FROM @chunk AS c WHERE c.content = p.content)'
export const DELETE_OLD_TOMBSTONES = 'DELETE FROM @tombstone WHERE evicted_at < $3 AND id >= $1 AND id < $2'
export const TOMBSTONE_AGE_MS: number = 7 * 24 * 60 * 60 * 1000

/** Removes abandoned content, a few chunks at a time. Returns the number of bytes removed. */
export async function purge(connection: Connection, contents: readonly string[]): Promise<number> {
  let bytes = 0
  for (;;) {
    const rows = await connection.query(DELETE_CHUNKS, [contents])
    for (const { size } of rows) bytes += Number(size)
    if (rows.length < PURGED_CHUNKS) break
  }
  await connection.query(DELETE_PENDING, [contents])
  return bytes
}

/** Removes leftovers of killed writers in a range of ids, and old tombstones. */
export async function collect(connection: Connection, from: string, to: string, now: number): Promise<CollectReport> {
  const report = { leftovers: 0, bytes: 0 }
  // Abandoned content has the time 0.
  const before = Math.max(1, now - LEFTOVER_AGE_MS)
  for (;;) {
    const claimed = await connection.query(CLAIM, [from, to, before])
    if (claimed.length === 0) break
    report.leftovers += claimed.length
    report.bytes += await purge(
      connection,
      claimed.map(({ content }) => String(content)),
    )
  }
  await connection.query(DELETE_OLD_TOMBSTONES, [from, to, now - TOMBSTONE_AGE_MS])
  return report
}
