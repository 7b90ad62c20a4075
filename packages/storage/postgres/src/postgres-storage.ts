import {
  assertKnownOptions,
  decodeDescription,
  encodeDescription,
  idRange,
  MANAGED_OPTIONS,
  ManagedStorage,
  rangeAfter,
  regroupChunks,
  scopePathOf,
  shellQuoted,
  splitId,
  StorageError,
  type EntryId,
  type Eviction,
  type EvictionCandidate,
  type EvictionOutcome,
  type EvictionReason,
  type ManagedStorageOptions,
  type NewEntryInfo,
  type StorageDriver,
  type WrittenEntry,
} from '@spillway/core/driver'
import { Connection, type PostgresPool, type Row } from './connection.ts'
import { COLUMNS, foundEntry, listed, type FoundEntry } from './entries.ts'
import { findEntry, openEntry, readEntry } from './entry-reader.ts'
import { collect, purge } from './leftovers.ts'
import { assertTarget, checkedOptions } from './postgres-options.ts'
import { quoteIdentifier } from './schema.ts'
import { randomUUID } from 'node:crypto'

const NAMES: readonly string[] = [
  ...(['schema', 'createTables', 'rowLevelSecurity', 'chunkBytes', 'timeoutMs'] as const),
  ...MANAGED_OPTIONS,
] satisfies (keyof PostgresStorageOptions)[]

/** Options of {@link PostgresStorage}. */
export interface PostgresStorageOptions extends ManagedStorageOptions {
  /** Schema of the tables. If storages share a database, each needs its own schema. Defaults to `spillway`. */
  readonly schema?: string | undefined
  /** Create and update the tables on first use. If `false`, run the SQL of `postgresSchema`. Defaults to `true`. */
  readonly createTables?: boolean | undefined
  /**
   * Create policies that limit the database role of a tenant to its scopes, even for SQL that the tenant runs. See
   * `PostgresStorage.grantScope`. Defaults to `false`.
   */
  readonly rowLevelSecurity?: boolean | undefined
  /** Number of content bytes per row, from 4,096 to 1,048,576. Existing rows do not change. Defaults to 131,072. */
  readonly chunkBytes?: number | undefined
  /** Milliseconds to wait for a connection, and for an answer, until `unavailable`. Defaults to 10,000. */
  readonly timeoutMs?: number | undefined
}

/**
 * Store content in tables of a PostgreSQL database. Any number of processes can share it, even through PgBouncer.
 *
 * The constructor does not connect. If the server cannot be reached, operations reject with `unavailable` within
 * `timeoutMs`. When the server is back, they work again. A full disk and missing permissions reject with `unavailable`,
 * and are not retryable.
 *
 * @param target - A URL `postgres://user:password@host:port/database`, or a `Pool` of `pg`. The storage does not close
 *   the pool.
 * @throws TypeError if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { PostgresStorage } from '@spillway/postgres'
 *
 * const url = process.env['SPILLWAY_TEST_POSTGRES_URL']
 * const storage = new PostgresStorage(url ?? 'postgres://localhost/app', { schema: 'docs', ttlMs: 7 * 24 * 3_600_000 })
 * if (url !== undefined) {
 *   const session = storage.scope('tenant-1', 'session-1')
 *   const reference = await session.store('call_1_0', new TextEncoder().encode('hello'))
 *   const { content, contentType } = await session.retrieve(reference)
 *   console.assert(new TextDecoder().decode(content) === 'hello' && contentType === 'text/plain')
 * }
 * await storage.close()
 * ```
 */
export class PostgresStorage extends ManagedStorage {
  readonly #connection: Connection

  constructor(target: string | PostgresPool, options: PostgresStorageOptions = {}) {
    assertKnownOptions(options, NAMES, 'PostgresStorage')
    const { schema, createTables, rowLevelSecurity, chunkBytes, timeoutMs, ...managed } = options
    const settings = checkedOptions({ schema, createTables, rowLevelSecurity, chunkBytes, timeoutMs })
    assertTarget(target, 'PostgresStorage')
    const connection = new Connection({ target, ...settings })
    super(postgresDriver(connection, settings.chunkBytes), managed)
    this.#connection = connection
  }

  /**
   * Let a role use a scope and the scopes below it. Requires `rowLevelSecurity`, and a connection of the role that owns
   * the tables. The tenant then opens a storage with this role. Granting the same scope again has no effect.
   *
   * @param role - Name of an existing role of the database.
   * @param scope - Segments of the scope.
   */
  async grantScope(role: string, ...scope: readonly string[]): Promise<void> {
    const path = await scopePathOf(this.scope(...scope))
    const [schema, grantee] = [quoteIdentifier(this.#connection.schema), quoteIdentifier(role)]
    await this.#connection.transaction(async (query) => {
      await query(`GRANT USAGE ON SCHEMA ${schema} TO ${grantee}`)
      await query(`GRANT SELECT, INSERT, UPDATE, DELETE ON @entry, @chunk, @pending, @tombstone TO ${grantee}`)
      await query(`GRANT SELECT, INSERT, DELETE ON @event TO ${grantee}`)
      await query(`GRANT SELECT ON @format, @tenant TO ${grantee}`)
      await query('INSERT INTO @tenant (role, scope) VALUES ($1, $2) ON CONFLICT DO NOTHING', [role, path])
    })
  }
}

const PAGE = 500
const MAX_TOMBSTONES = 1_000

export const SELECT_PAGE: string = `SELECT ${COLUMNS} FROM @entry WHERE id >= $1 AND id < $2 ORDER BY id LIMIT ${PAGE}`
/** Selects entries whose ids have no slash from position $3 on. */
export const SELECT_PAGE_OF_SCOPE: string = `SELECT ${COLUMNS} FROM @entry WHERE id >= $1 AND id < $2 AND strpos(substr(id, $3::int), '/') = 0 ORDER BY id LIMIT ${PAGE}`
export const SELECT_UNUSED: string = `SELECT ${COLUMNS} FROM @entry WHERE id >= $1 AND id < $2 AND last_used_at <= $3::double precision AND (last_used_at, id) > ($4::double precision, $5) ORDER BY last_used_at, id LIMIT ${PAGE}`
export const TOUCH_ENTRY =
  'UPDATE @entry SET last_used_at = greatest($2::double precision, last_used_at + 1) WHERE id = $1 RETURNING last_used_at'
/** Releases content. If it is in chunks, it becomes pending and is removed later. */
const RELEASE =
  'loose AS (INSERT INTO @pending (content, id, renewed_at) SELECT content, id, 0 FROM gone WHERE chunked)'
const GONE = 'RETURNING id, content, bytes IS NULL AS chunked)'
export const DELETE_ENTRY: string = `WITH gone AS (DELETE FROM @entry WHERE id = $1 ${GONE}, ${RELEASE},
  forgotten AS (DELETE FROM @tombstone WHERE id = $1)
  SELECT id, content, chunked FROM gone`
export const DELETE_UNUSED: string = `WITH gone AS (DELETE FROM @entry WHERE id = $1 AND last_used_at <= $2::double precision ${GONE}, ${RELEASE}
  SELECT id, content, chunked FROM gone`
/**
 * Deletes the entries of $1 that were not used after $2. Inserts tombstones with the descriptions $4, or else with the
 * descriptions of the entries. Per scope, the oldest tombstones beyond the limit are removed. Rows are locked in order,
 * to avoid deadlocks.
 */
export const EVICT_ENTRIES: string = `WITH due AS (SELECT * FROM unnest($1::text[], $2::double precision[], $3::text[], $4::text[]) WITH ORDINALITY AS due (id, unused_since, scope, description, number)),
  unused AS (SELECT e.id FROM due JOIN @entry AS e USING (id) WHERE e.last_used_at <= due.unused_since ORDER BY e.id FOR UPDATE OF e),
  gone AS (DELETE FROM @entry WHERE id = ANY(ARRAY(SELECT id FROM unused)) RETURNING id, content, size, description, bytes IS NULL AS chunked), ${RELEASE},
  buried AS (SELECT id, due.scope, coalesce(due.description, gone.description) AS description,
    row_number() OVER (PARTITION BY due.scope ORDER BY due.number) + coalesce((SELECT max(place) FROM @tombstone AS t WHERE t.scope = due.scope), 0) AS place
    FROM due JOIN gone USING (id)),
  kept AS (INSERT INTO @tombstone (id, scope, place, reason, description, evicted_at)
    SELECT id, scope, place, $5, description, $6::double precision FROM buried
    ON CONFLICT (id) DO UPDATE SET place = excluded.place, reason = excluded.reason, description = excluded.description, evicted_at = excluded.evicted_at),
  oldest AS (SELECT t.id FROM (SELECT scope, max(place) AS place FROM buried GROUP BY scope) AS last,
    LATERAL (SELECT id FROM @tombstone WHERE scope = last.scope AND place <= last.place - ${MAX_TOMBSTONES} ORDER BY place LIMIT ${PAGE}) AS t),
  forgotten AS (DELETE FROM @tombstone WHERE id = ANY(ARRAY(SELECT id FROM oldest EXCEPT SELECT id FROM buried)))
  SELECT gone.content, gone.chunked, gone.size, e.id IS NOT NULL AS found FROM due LEFT JOIN gone USING (id) LEFT JOIN @entry AS e ON e.id = due.id ORDER BY due.number`
/** Deletes a page of entries. Returns all ids of the page, even those that others removed, to find the next page. */
export const DELETE_PAGE: string = `WITH page AS MATERIALIZED (SELECT id FROM @entry WHERE id >= $1 AND id < $2 ORDER BY id LIMIT ${PAGE}),
  gone AS (DELETE FROM @entry WHERE id IN (SELECT id FROM page) ${GONE}, ${RELEASE}
  SELECT page.id, gone.content, gone.chunked FROM page LEFT JOIN gone USING (id) ORDER BY page.id`
export const DELETE_TOMBSTONES = 'DELETE FROM @tombstone WHERE id >= $1 AND id < $2'
export const SELECT_TOMBSTONE =
  'SELECT reason, description, evicted_at FROM @tombstone WHERE id = $1 AND NOT EXISTS (SELECT FROM @entry WHERE id = $1)'

function postgresDriver(connection: Connection, chunkBytes: number): StorageDriver {
  /** Content that cannot be removed now is removed by a later collection. */
  const purgeRows = async (rows: readonly Row[]): Promise<void> => {
    const contents = rows.flatMap(({ content, chunked }) => (chunked === true ? [String(content)] : []))
    if (contents.length > 0) await Promise.allSettled([purge(connection, contents)])
  }
  /** Returns whether a row was removed. */
  const removed = async (sql: string, values: readonly unknown[]): Promise<boolean> => {
    const rows = await connection.query(sql, values)
    await purgeRows(rows)
    return rows.length > 0
  }
  const evictAll = async (
    candidates: readonly (EvictionCandidate & { readonly description?: string })[],
    { reason, evictedAt }: Omit<Eviction, 'metadata'>,
  ): Promise<readonly EvictionOutcome[]> => {
    const rows = await connection.query(EVICT_ENTRIES, [
      candidates.map(({ id }) => id),
      candidates.map(({ unusedSince }) => unusedSince),
      candidates.map(({ id }) => splitId(id).path),
      candidates.map(({ description }) => description ?? null),
      reason,
      evictedAt,
    ])
    await purgeRows(rows)
    return rows.map(({ size, found }) => (size === null ? (found === true ? 'used' : 'gone') : Number(size)))
  }
  return {
    // Up to this size, sending the content is as fast as checking whether it exists.
    touchFirstBytes: 128 * 1024,
    write: (id, chunks, info, lineIndex) => writeEntry(connection, id, chunkBytes, chunks, info, lineIndex),
    read: (id, range) => readEntry(connection, id, range),
    open: (id) => openEntry(connection, id),
    stat: async (id) => (await findEntry(connection, id))?.info,

    async touch(id, lastUsedAt) {
      const [row] = await connection.query(TOUCH_ENTRY, [id, lastUsedAt])
      return row === undefined ? undefined : Number(row['last_used_at'])
    },

    remove: (id) => removed(DELETE_ENTRY, [id]),

    async evict(id, unusedSince, eviction) {
      if (eviction === undefined) return removed(DELETE_UNUSED, [id, unusedSince])
      const { evictedAt, metadata } = eviction
      const described = { key: '', contentType: '', storedAt: evictedAt, metadata }
      const description = encodeDescription(described, { ascii: true })
      const [outcome] = await evictAll([{ id, unusedSince, description }], eviction)
      return typeof outcome === 'number'
    },

    evictAll,

    async findEviction(id) {
      const [row] = await connection.query(SELECT_TOMBSTONE, [id])
      if (row === undefined) return undefined
      const { metadata = {} } = decodeDescription(String(row['description'])) ?? {}
      return { reason: row['reason'] as EvictionReason, evictedAt: Number(row['evicted_at']), metadata }
    },

    async *list(prefix, { unusedSince, below } = {}) {
      const whole = idRange(prefix)
      const { from, to } = whole
      for (let last: FoundEntry | undefined; ;) {
        const { from: start } = last === undefined ? whole : rangeAfter(last.id, whole)
        const after = [last?.lastUsedAt ?? -Infinity, last?.id ?? '']
        const rows =
          unusedSince !== undefined
            ? await connection.query(SELECT_UNUSED, [from, to, unusedSince, ...after])
            : below === false
              ? await connection.query(SELECT_PAGE_OF_SCOPE, [start, to, prefix.length + 1])
              : await connection.query(SELECT_PAGE, [start, to])
        const page: readonly FoundEntry[] = rows.map(foundEntry)
        for (const entry of page) yield listed(entry)
        last = page.at(-1)
        if (page.length < PAGE) return
      }
    },

    async *removeAll(prefix) {
      const whole = idRange(prefix)
      for (let range = whole; ;) {
        const rows: readonly Row[] = await connection.query(DELETE_PAGE, [range.from, range.to])
        await purgeRows(rows)
        for (const { id, content } of rows) if (content !== null) yield String(id)
        range = rangeAfter(String(rows.at(-1)?.['id']), whole)
        if (rows.length < PAGE) break
      }
      await connection.query(DELETE_TOMBSTONES, [whole.from, whole.to])
    },

    async collect(prefix, now) {
      const { from, to } = idRange(prefix)
      return collect(connection, from, to, now)
    },

    locate(id) {
      const { address, schema } = connection
      const [entry, chunk] = ['entry', 'chunk'].map((table) => `${quoteIdentifier(schema)}.${table}`)
      const bytes = `encode(coalesce(e.bytes, c.bytes), 'hex')`
      const sql = `SELECT ${bytes} FROM ${entry} AS e LEFT JOIN ${chunk} AS c USING (content) WHERE e.id = '${id}' ORDER BY c.number`
      return {
        address: `${address}?schema=${schema}#${id}`,
        command: `psql -XAtq -d ${shellQuoted(address)} -c ${shellQuoted(sql)} | xxd -r -p`,
      }
    },

    close: () => connection.close(),
  }
}

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

/** Returns a statement that inserts `count` chunks. The statement returns no rows if earlier chunks were removed. */
export function insertChunks(count: number, isFirst: boolean): string {
  const rows = Array.from({ length: count }, (_, index) => `($4::int + ${index}, $${index + 5}::bytea)`)
  return `WITH mine AS (${isFirst ? BEGIN_PENDING : RENEW})
  INSERT INTO @chunk (content, number, id, bytes) SELECT content, number, $2, bytes FROM mine, (VALUES ${rows.join(', ')}) AS chunk (number, bytes) RETURNING number`
}

/** Writes small entries in one statement, and larger entries in chunks. The last statement makes them visible. */
async function writeEntry(
  connection: Connection,
  id: EntryId,
  chunkBytes: number,
  chunks: AsyncIterable<Uint8Array>,
  info: NewEntryInfo,
  lineIndex?: () => string | undefined,
): Promise<WrittenEntry> {
  const content: string = randomUUID()
  let pending: Uint8Array[] = []
  let written = 0
  let size = 0
  let heartbeat: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    if (pending.length === 0) return
    const isFirst = heartbeat === undefined
    // A failed heartbeat does no harm, because the next statement reports the failure.
    heartbeat ??= setInterval(() => void Promise.allSettled([renew()]), HEARTBEAT_MS).unref()
    const sql = insertChunks(pending.length, isFirst)
    const values = [content, id, Date.now(), written, ...pending.map(asBuffer)]
    if ((await connection.query(sql, values)).length === 0) throw collectedError()
    written += pending.length
    pending = []
  }

  async function commit(info: NewEntryInfo, lineIndex: string | null, isSmall: boolean): Promise<WrittenEntry> {
    const description = encodeDescription(info, { ascii: true })
    const values = [id, content, size, chunkBytes, info.lastUsedAt, description, lineIndex]
    const [row] = isSmall
      ? await connection.query(INSERT_ENTRY, [...values, asBuffer(pending[0] ?? new Uint8Array(0))])
      : await connection.query(COMMIT_CHUNKS, values)
    if (row === undefined) throw collectedError()
    const created = row['content'] === content
    if (!created) await Promise.allSettled([abandon()])
    return { created, lastUsedAt: Number(row['last_used_at']) }
  }

  async function renew(): Promise<void> {
    await connection.query(RENEW, [content, id, Date.now()])
  }

  /** Removes the chunks. If they are visible already, they are not pending and stay. */
  async function abandon(): Promise<void> {
    if (heartbeat === undefined) return
    const pending = await connection.query(ABANDON, [content])
    if (pending.length > 0) await purge(connection, [content])
  }

  try {
    for await (const chunk of regroupChunks(chunks, chunkBytes)) {
      if ((pending.length + 1) * chunkBytes > BATCH_BYTES) await flush()
      pending.push(chunk)
      size += chunk.length
    }
    const isSmall = size <= chunkBytes
    if (!isSmall) await flush()
    return await commit(info, lineIndex?.() ?? null, isSmall)
  } catch (error) {
    // Content that cannot be removed now is collected later.
    if (!(StorageError.isInstance(error) && error.code === 'unavailable')) await Promise.allSettled([abandon()])
    throw error
  } finally {
    clearInterval(heartbeat)
  }
}

/** Converts bytes to a buffer, because `pg` sends other arrays as text. */
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)

const collectedError = (): StorageError =>
  new StorageError('unavailable', 'The unfinished content was removed after a long pause. Store the content again.')
