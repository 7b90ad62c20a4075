import type { Connection } from './connection.ts'
import { purgeSome, type LooseContent } from './contents.ts'

/** Remove a loose content, some of it at a time; return how many bytes that were. */
export async function purgeContent(connection: Connection, loose: LooseContent): Promise<number> {
  for (let removed = 0; ;) {
    const { bytes, ended } = await connection.write((session) => purgeSome(session, loose))
    removed += bytes
    if (ended) return removed
  }
}
