import type { CollectReport } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import { claimLoose, type LooseContent } from './contents.ts'
import { idRange } from './entries.ts'
import { purgeContent } from './purge-content.ts'
import { returnSpace } from './return-space.ts'
import { deleteOldTombstones } from './tombstones.ts'

/** How long nobody must have been at work on a loose content for it to be a leftover: a living writer says so every minute. */
export const LEFTOVER_AGE_MS: number = 10 * 60_000

export const SELECT_LEFTOVER =
  'SELECT content, id FROM spillway_loose WHERE content > ? AND id >= ? AND id < ? AND renewed_at < ? ORDER BY content LIMIT 1'

/** Remove what killed processes left behind, forget old evictions, and give space back to the disk. */
export async function collect(connection: Connection, prefix: string, now: number): Promise<CollectReport> {
  const report = { leftovers: 0, bytes: 0 }
  const isThere = (await connection.read(() => true)) === true
  if (!isThere) return report
  const { from, to } = idRange(prefix)
  // What nobody works on any more has the time 0.
  const before = Math.max(1, now - LEFTOVER_AGE_MS)
  for (let content = 0; ;) {
    const found = await connection.read((session) => session.get(SELECT_LEFTOVER, content, from, to, before))
    if (found === undefined) break
    const leftover = found as LooseContent
    ;({ content } = leftover)
    if (!(await connection.write((session) => claimLoose(session, leftover, before)))) continue
    report.bytes += await purgeContent(connection, leftover)
    report.leftovers += 1
  }
  while (await connection.write((session) => deleteOldTombstones(session, now))) continue
  await returnSpace(connection)
  return report
}
