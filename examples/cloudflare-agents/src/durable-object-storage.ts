import {
  createStorage,
  type EntryInfo,
  type ManagedStorage,
  type ManagedStorageOptions,
  type StorageDriver,
} from '@spillway/core'
import { collectChunks } from './collect-chunks.ts'

/** Half of the 2 MB that a row may have. */
const CHUNK_BYTES = 1_048_576

/** Options of {@link durableObjectStorage}. */
export interface DurableObjectStorageOptions extends ManagedStorageOptions {
  /** Prefix of the names of the two tables. Defaults to `spillway`. */
  readonly table?: string
}

/** Store entries in the SQLite database of a Durable Object: their info in one table, and their content in another. */
export function durableObjectStorage(
  storage: DurableObjectStorage,
  options: DurableObjectStorageOptions = {},
): ManagedStorage {
  const { table = 'spillway', ...managed } = options
  const { sql } = storage
  const entries = `"${table}_entries"`
  const chunks = `"${table}_chunks"`
  sql.exec(`CREATE TABLE IF NOT EXISTS ${entries} (id TEXT PRIMARY KEY, info TEXT, used_at INTEGER) WITHOUT ROWID`)
  sql.exec(`CREATE TABLE IF NOT EXISTS ${chunks} (id TEXT, number INTEGER, content BLOB, PRIMARY KEY (id, number))`)

  const driver = {
    async write(id, source, { lastUsedAt, ...description }) {
      const content = await (await collectChunks(source)).arrayBuffer()
      return storage.transactionSync(() => {
        if (setLastUse(id, lastUsedAt) !== undefined) return false
        const info = JSON.stringify({ ...description, size: content.byteLength })
        sql.exec(`INSERT INTO ${entries} VALUES (?, ?, ?)`, id, info, lastUsedAt)
        for (let number = 0; number * CHUNK_BYTES < content.byteLength; number += 1) {
          const chunk = content.slice(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES)
          sql.exec(`INSERT INTO ${chunks} VALUES (?, ?, ?)`, id, number, chunk)
        }
        return true
      })
    },

    async read(id, range) {
      const info = infoOf(id)
      if (info === undefined) return undefined
      const start = Math.min(range?.offset ?? 0, info.size)
      const end = Math.min(start + (range?.length ?? info.size), info.size)
      const [first, last] = [Math.floor(start / CHUNK_BYTES), Math.ceil(end / CHUNK_BYTES)]
      const query = `SELECT content FROM ${chunks} WHERE id = ? AND number >= ? AND number < ? ORDER BY number`
      const rows = sql.exec<{ content: ArrayBuffer }>(query, id, first, last).toArray()
      const content = await new Blob(rows.map((row) => row.content)).bytes()
      return { content: content.subarray(start - first * CHUNK_BYTES, end - first * CHUNK_BYTES), info }
    },

    async remove(id) {
      return removeUnused(id, Number.MAX_SAFE_INTEGER)
    },

    async *list(prefix) {
      // Every character of an id sorts before `~`.
      const query = `SELECT id FROM ${entries} WHERE id >= ? AND id < ? || '~'`
      for (const { id } of sql.exec<{ id: string }>(query, prefix, prefix).toArray()) {
        const info = infoOf(id)
        if (info !== undefined) yield { id, info }
      }
    },

    async touch(id, lastUsedAt) {
      return setLastUse(id, lastUsedAt)
    },

    async evict(id, unusedSince) {
      return removeUnused(id, unusedSince)
    },
  } satisfies StorageDriver

  function infoOf(id: string): EntryInfo | undefined {
    const query = `SELECT info, used_at FROM ${entries} WHERE id = ?`
    const [row] = sql.exec<{ info: string; used_at: number }>(query, id).toArray()
    return row && ({ ...JSON.parse(row.info), lastUsedAt: row.used_at } as EntryInfo)
  }

  function removeUnused(id: string, unusedSince: number): boolean {
    return storage.transactionSync(() => {
      const query = `DELETE FROM ${entries} WHERE id = ? AND used_at <= ? RETURNING id`
      const isGone = sql.exec(query, id, unusedSince).toArray().length > 0
      if (isGone) sql.exec(`DELETE FROM ${chunks} WHERE id = ?`, id)
      return isGone
    })
  }

  function setLastUse(id: string, usedAt: number): number | undefined {
    const query = `UPDATE ${entries} SET used_at = max(?, used_at + 1) WHERE id = ? RETURNING used_at`
    return sql.exec<{ used_at: number }>(query, usedAt, id).toArray()[0]?.used_at
  }

  return createStorage(driver, managed)
}
