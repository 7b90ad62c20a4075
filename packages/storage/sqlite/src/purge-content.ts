import type { Connection } from './connection.ts'
import { purgeSome } from './contents.ts'

/** Remove a loose content, some of it at a time; return how many bytes that were. */
export async function purgeContent(connection: Connection, content: number): Promise<number> {
  for (let removed = 0; ;) {
    const { bytes, ended } = await connection.write((session) => purgeSome(session, content))
    removed += bytes
    if (ended) return removed
  }
}
