import {
  encodeDescription,
  regroupChunks,
  StorageError,
  type EntryId,
  type NewEntryInfo,
  type WrittenEntry,
} from '@spillway/core/driver'
import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import { purge } from './leftovers.ts'

/** Size of the chunks that one statement sends, in bytes. */
const BATCH_BYTES = 1024 * 1024
const HEARTBEAT_MS = 60_000

const ON_CONFLICT =
  'ON CONFLICT (id) DO UPDATE SET last_used_at = greatest(excluded.last_used_at, e.last_used_at + 1) RETURNING content, last_used_at'
/** Inserts an entry. If the returned row has the content of another writer, the entry existed before. */
export const INSERT_ENTRY: string = `INSERT INTO @entry AS e (id, content, size, chunk_bytes, last_used_at, description, line_index, bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ${ON_CONFLICT}`
/** Makes chunks visible. Returns no row if the chunks were removed in the meantime. */
export const COMMIT_CHUNKS: string = `WITH mine AS (SELECT content FROM @pending WHERE content = $2 AND renewed_at > 0 FOR UPDATE),
  written AS (INSERT INTO @entry AS e (id, content, size, chunk_bytes, last_used_at, description, line_index)
    SELECT $1, content, $3::bigint, $4::int, $5::double precision, $6, $7 FROM mine ${ON_CONFLICT}),
  settled AS (DELETE FROM @pending WHERE content = $2 AND content IN (SELECT content FROM written))
  SELECT content, last_used_at FROM written`
const BEGIN_PENDING = 'INSERT INTO @pending (content, id, renewed_at) VALUES ($1, $2, $3) RETURNING content'
const RENEW = 'UPDATE @pending SET renewed_at = $3 WHERE content = $1 AND id = $2 AND renewed_at > 0 RETURNING content'
const ABANDON = 'UPDATE @pending SET renewed_at = 0 WHERE content = $1 RETURNING content'

/** Returns a statement that inserts `count` chunks. It returns their rows, or none if earlier chunks were removed. */
export function insertChunks(count: number, isFirst: boolean): string {
  const rows = Array.from({ length: count }, (_, index) => `($4::int + ${index}, $${index + 5}::bytea)`)
  return `WITH mine AS (${isFirst ? BEGIN_PENDING : RENEW})
  INSERT INTO @chunk (content, number, id, bytes) SELECT content, number, $2, bytes FROM mine, (VALUES ${rows.join(', ')}) AS chunk (number, bytes) RETURNING number`
}

/** Writes small entries in one statement, and larger ones by chunk. The last statement shows the chunks. */
export class EntryWriter {
  readonly #connection: Connection
  readonly #id: EntryId
  readonly #chunkBytes: number
  readonly #content: string = randomUUID()
  #chunks: Uint8Array[] = []
  #written = 0
  #size = 0
  #heartbeat: NodeJS.Timeout | undefined

  constructor(connection: Connection, id: EntryId, chunkBytes: number) {
    this.#connection = connection
    this.#id = id
    this.#chunkBytes = chunkBytes
  }

  async write(
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined,
  ): Promise<WrittenEntry> {
    try {
      for await (const chunk of regroupChunks(chunks, this.#chunkBytes)) {
        if ((this.#chunks.length + 1) * this.#chunkBytes > BATCH_BYTES) await this.#flush()
        this.#chunks.push(chunk)
        this.#size += chunk.length
      }
      const isSmall = this.#size <= this.#chunkBytes
      if (!isSmall) await this.#flush()
      return await this.#commit(info, lineIndex() ?? null, isSmall)
    } catch (error) {
      // Content that cannot be removed now is collected later.
      if (!(StorageError.isInstance(error) && error.code === 'unavailable')) await Promise.allSettled([this.#abandon()])
      throw error
    } finally {
      clearInterval(this.#heartbeat)
    }
  }

  async #flush(): Promise<void> {
    if (this.#chunks.length === 0) return
    const isFirst = this.#heartbeat === undefined
    // A failed mark loses nothing. The next statement reports the failure.
    this.#heartbeat ??= setInterval(() => void Promise.allSettled([this.#renew()]), HEARTBEAT_MS).unref()
    const sql = insertChunks(this.#chunks.length, isFirst)
    const values = [this.#content, this.#id, Date.now(), this.#written, ...this.#chunks.map(asBuffer)]
    if ((await this.#connection.query(sql, values)).length === 0) throw collectedError()
    this.#written += this.#chunks.length
    this.#chunks = []
  }

  async #commit(info: NewEntryInfo, lineIndex: string | null, isSmall: boolean): Promise<WrittenEntry> {
    const description = encodeDescription(info, { ascii: true })
    const values = [this.#id, this.#content, this.#size, this.#chunkBytes, info.lastUsedAt, description, lineIndex]
    const [row] = isSmall
      ? await this.#connection.query(INSERT_ENTRY, [...values, asBuffer(this.#chunks[0] ?? new Uint8Array(0))])
      : await this.#connection.query(COMMIT_CHUNKS, values)
    if (row === undefined) throw collectedError()
    const created = row['content'] === this.#content
    if (!created) await Promise.allSettled([this.#abandon()])
    return { created, lastUsedAt: Number(row['last_used_at']) }
  }

  async #renew(): Promise<void> {
    await this.#connection.query(RENEW, [this.#content, this.#id, Date.now()])
  }

  /** If the chunks did become visible, they are not pending and are not removed. */
  async #abandon(): Promise<void> {
    if (this.#heartbeat === undefined) return
    const pending = await this.#connection.query(ABANDON, [this.#content])
    if (pending.length > 0) await purge(this.#connection, [this.#content])
  }
}

/** Converts bytes to a buffer, because `pg` sends other arrays as text. */
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)

const collectedError = (): StorageError =>
  new StorageError('unavailable', 'The unfinished content was removed after a long pause. Store the content again.')
