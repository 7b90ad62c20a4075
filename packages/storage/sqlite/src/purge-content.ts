import type { Connection } from './connection.ts'
import { purgeSome, type LooseContent } from './contents.ts'

/**
 * Remove a loose content, some of it at a time; return how many bytes that were. It ends where another database has taken
 * the place of the one that the content is in.
 */
export async function purgeContent(connection: Connection, loose: LooseContent): Promise<number> {
  for (let removed = 0; ;) {
    const { bytes, ended } = await connection.write((session) =>
      session === loose.session ? purgeSome(loose) : { bytes: 0, ended: true },
    )
    removed += bytes
    if (ended) return removed
  }
}
