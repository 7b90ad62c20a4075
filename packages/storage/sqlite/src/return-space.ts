import type { Connection } from './connection.ts'

/** Pages given back before others get a turn. */
const PAGES = 128

/**
 * Give the pages that nothing is in any more back to the disk. A database of somebody else gives back what its own
 * settings allow, and its log is left to him.
 */
export async function returnSpace(connection: Connection): Promise<void> {
  for (let free = await freePages(connection); free > 0;) {
    await connection.write(({ database }) => void database.pragma(`incremental_vacuum(${PAGES})`))
    const left = await freePages(connection)
    if (left >= free) break
    free = left
  }
  if (!connection.isShared) await connection.read(({ database }) => database.pragma('wal_checkpoint(TRUNCATE)'))
}

const freePages = async (connection: Connection): Promise<number> =>
  (await connection.read(({ database }) => Number(database.pragma('freelist_count', { simple: true })))) ?? 0
