/** Opens PostgreSQL storages in other processes, for soak tests and the conformance suite. */
import type { Backend } from '@spillway-internal/storage-suite'
import type { ManagedStorageOptions, StoredInfo } from '@spillway/core'
import pg from 'pg'
import { PostgresStorage } from '../src/index.ts'

interface Config {
  readonly url: string
  readonly schema: string
  readonly chunkBytes: number
}

/** Describe the storage in a schema. Chunks are small, so that many contents have several chunks. */
export function postgresBackend(url: string, schema: string, chunkBytes = 65_536): Backend<Config> {
  return { module: new URL(import.meta.url), config: { url, schema, chunkBytes } }
}

/** Open one more storage. */
export function open({ url, schema, chunkBytes }: Config, options: ManagedStorageOptions): PostgresStorage {
  return new PostgresStorage(url, { ...options, schema, chunkBytes, timeoutMs: 20_000 })
}

/** Find rows that belong to no entry. */
export async function residue({ url, schema }: Config, entries: readonly StoredInfo[]): Promise<readonly string[]> {
  const counts = await countRows(url, schema)
  return [
    ...(counts.pending === 0 ? [] : [`${counts.pending} pending contents`]),
    ...(counts.orphans === 0 ? [] : [`${counts.orphans} chunks of no entry`]),
    ...(counts.entry === entries.length ? [] : [`${counts.entry} entries, of which ${entries.length} are listed`]),
  ]
}

interface RowCounts {
  readonly entry: number
  readonly chunk: number
  readonly pending: number
  readonly orphans: number
}

/** Count the rows of each table, and the chunks that belong to no entry. */
export async function countRows(url: string, schema: string): Promise<RowCounts> {
  const count = (table: string, where = ''): string => `(SELECT count(*)::int FROM "${schema}".${table} ${where})`
  const orphans = count(
    'chunk',
    `AS c WHERE NOT EXISTS (SELECT FROM "${schema}".entry AS e WHERE e.content = c.content)`,
  )
  const rows = `SELECT ${count('entry')} AS entry, ${count('chunk')} AS chunk, ${count('pending')} AS pending, ${orphans} AS orphans`
  const [found] = await ask<RowCounts>(url, rows)
  if (found === undefined) throw new Error('The server has not answered.')
  return found
}

const pools = new Map<string, pg.Pool>()

/** Query the server without Spillway. Connections are reused, because there are many queries. */
export async function ask<Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  let pool = pools.get(url)
  if (pool === undefined) {
    pool = new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true })
    // Tests stop their servers, so lost connections are ignored.
    pool.on('error', () => undefined)
    pools.set(url, pool)
  }
  return (await pool.query<Row>(sql, values)).rows
}

/** Remove a schema with all its content. Ignore a server that does not run, whose tests are skipped. */
export async function dropSchema(url: string, schema: string): Promise<void> {
  try {
    await ask(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
  }
}

/** Return a name that no other test uses. */
export const newSchema = (purpose: string): string => `${purpose}-${crypto.randomUUID()}`
