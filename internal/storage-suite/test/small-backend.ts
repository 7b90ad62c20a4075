/** A small backend for tests of the soaks: tables in one file, with faults that the soaks must find. */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoredInfo } from '@spillway/core'
import {
  createStorage,
  type EntryInfo,
  type ManagedStorage,
  type ManagedStorageOptions,
  type StorageDriver,
} from '@spillway/core/driver'
import type { Backend } from '../src/index.ts'

/** The fault of the backend. */
export type Fault =
  | 'acknowledges what it writes later'
  | 'shows what is not yet whole'
  | 'leaves what was not finished'
  | 'evicts what is used'
  | 'clears but for one'
  | 'has no wall'
  | 'lists too little'
  | 'reads other bytes'
  | 'fails now and then'
  | 'hangs now and then'

interface Config {
  readonly path: string
  readonly fault?: Fault | undefined
}

interface Row {
  readonly id: string
  readonly nonce: string
  readonly info: string
  readonly usedAt: number
}

const PIECE_BYTES = 50_000
const LEFT_MS = 60_000
const LATE_MS = 300
const FAULT_EVERY = 20

/** Describe the small backend with a file. */
export function smallBackend(path: string, fault?: Fault): Backend<Config> {
  return { module: new URL(import.meta.url), config: { path, fault } }
}

export function open(config: Config, options: ManagedStorageOptions): ManagedStorage {
  return createStorage(new SmallDriver(config), options)
}

export async function residue({ path }: Config, entries: readonly StoredInfo[]): Promise<readonly string[]> {
  const database = openDatabase(path)
  const rows = database.prepare('SELECT count(DISTINCT nonce) AS count FROM pieces').get() as { count: number }
  database.close()
  const needed = entries.filter(({ size }) => size > 0).length
  return rows.count === needed ? [] : [`pieces of ${rows.count} contents for ${needed} entries`]
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA busy_timeout = 30000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS entries (id TEXT PRIMARY KEY, nonce TEXT, info TEXT, usedAt INTEGER) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS pieces (nonce TEXT, number INTEGER, madeAt INTEGER, bytes BLOB, PRIMARY KEY (nonce, number))`)
  return database
}

class SmallDriver implements StorageDriver {
  readonly #database: DatabaseSync
  readonly #fault: Fault | undefined
  #reads = 0

  constructor({ path, fault }: Config) {
    this.#database = openDatabase(path)
    this.#fault = fault
  }

  async write(
    id: string,
    chunks: AsyncIterable<Uint8Array>,
    { lastUsedAt, ...info }: Omit<EntryInfo, 'size'>,
  ): Promise<boolean> {
    const nonce = crypto.randomUUID()
    const pieces: Uint8Array[] = []
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) pieces.push(chunk.slice(at, at + PIECE_BYTES))
    const size = pieces.reduce((sum, { length }) => sum + length, 0)
    const insert = (): boolean => this.#insert(id, nonce, JSON.stringify({ ...info, size }), lastUsedAt)
    const isEarly = this.#fault === 'shows what is not yet whole'
    const created = isEarly && insert()
    for (const [number, bytes] of pieces.entries()) {
      this.#run('INSERT INTO pieces VALUES (?, ?, ?, ?)', nonce, number, Date.now(), bytes)
      // Other operations run between the chunks.
      await delay(1)
    }
    if (isEarly) return created
    if (this.#fault === 'acknowledges what it writes later') {
      setTimeout(insert, LATE_MS)
      return true
    }
    return insert()
  }

  /** Insert an entry with its chunks. If the entry exists, mark it as used: the new chunks are then unneeded. */
  #insert(id: string, nonce: string, info: string, usedAt: number): boolean {
    return this.#atOnce(() => {
      const created = this.#run(
        'INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?)',
        this.#name(id),
        nonce,
        info,
        usedAt,
      )
      if (created > 0) return true
      this.#run('UPDATE entries SET usedAt = max(?, usedAt + 1) WHERE id = ?', usedAt, this.#name(id))
      this.#run('DELETE FROM pieces WHERE nonce = ?', nonce)
      return false
    })
  }

  async read(
    id: string,
    range?: { offset: number; length: number },
  ): Promise<{ content: Uint8Array; info: EntryInfo } | undefined> {
    this.#reads += 1
    const isTurn = this.#reads % FAULT_EVERY === 0
    if (this.#fault === 'fails now and then' && isTurn) throw new Error('The disk has an error.')
    if (this.#fault === 'hangs now and then' && isTurn) await new Promise(() => {})
    return this.#inOneView(() => {
      const row = this.#find(id)
      if (row === undefined) return undefined
      const rows = this.#database.prepare('SELECT bytes FROM pieces WHERE nonce = ? ORDER BY number').all(row.nonce)
      const content = Buffer.concat(rows.map(({ bytes }) => bytes as Uint8Array))
      const offset = (range?.offset ?? 0) + (this.#fault === 'reads other bytes' && range !== undefined ? 1 : 0)
      const part = new Uint8Array(content.subarray(offset, offset + (range?.length ?? content.length)))
      return { content: part, info: infoOf(row) }
    })
  }

  async remove(id: string): Promise<boolean> {
    return this.#atOnce(() => {
      const row = this.#find(id)
      if (row === undefined) return false
      if (this.#fault === 'clears but for one' && row.info.includes('cleared')) return true
      this.#run('DELETE FROM entries WHERE id = ?', row.id)
      this.#run('DELETE FROM pieces WHERE nonce = ?', row.nonce)
      return true
    })
  }

  async evict(id: string, unusedSince: number): Promise<boolean> {
    return this.#atOnce(() => {
      const row = this.#find(id)
      if (row === undefined) return false
      if (row.usedAt > unusedSince && this.#fault !== 'evicts what is used') return false
      this.#run('DELETE FROM entries WHERE id = ?', row.id)
      this.#run('DELETE FROM pieces WHERE nonce = ?', row.nonce)
      return true
    })
  }

  async touch(id: string, lastUsedAt: number): Promise<number | undefined> {
    return this.#atOnce(() => {
      // This fault evicts used entries because it does not record their use.
      if (this.#fault === 'evicts what is used') return this.#find(id)?.usedAt
      this.#run('UPDATE entries SET usedAt = max(?, usedAt + 1) WHERE id = ?', lastUsedAt, this.#name(id))
      return this.#find(id)?.usedAt
    })
  }

  async *list(prefix: string): AsyncGenerator<{ id: string; info: EntryInfo }> {
    const rows = this.#database.prepare('SELECT * FROM entries').all() as unknown as Row[]
    const isLess = this.#fault === 'lists too little'
    const found = rows.filter(({ id }, index) => id.startsWith(prefix) && !(isLess && index % 3 === 0))
    for (const row of found) yield { id: row.id, info: infoOf(row) }
  }

  async collect(_prefix: string, now: number): Promise<{ leftovers: number; bytes: number }> {
    if (this.#fault === 'leaves what was not finished') return { leftovers: 0, bytes: 0 }
    const orphans = 'nonce NOT IN (SELECT nonce FROM entries) AND madeAt < ?'
    const leftovers = this.#run(`DELETE FROM pieces WHERE ${orphans}`, now - LEFT_MS)
    return { leftovers, bytes: 0 }
  }

  async close(): Promise<void> {
    if (this.#fault === 'acknowledges what it writes later') await delay(2 * LATE_MS)
    this.#database.close()
  }

  #name(id: string): string {
    return this.#fault === 'has no wall' ? (id.split('/').at(-1) ?? id) : id
  }

  #find(id: string): Row | undefined {
    return this.#database.prepare('SELECT * FROM entries WHERE id = ?').get(this.#name(id)) as Row | undefined
  }

  #run(sql: string, ...values: (string | number | Uint8Array)[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes)
  }

  #atOnce<Result>(work: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE')
    return this.#committed(work)
  }

  #inOneView<Result>(work: () => Result): Result {
    this.#database.exec('BEGIN')
    return this.#committed(work)
  }

  #committed<Result>(work: () => Result): Result {
    try {
      return work()
    } finally {
      this.#database.exec('COMMIT')
    }
  }
}

function infoOf({ info, usedAt }: Row): EntryInfo {
  return { ...(JSON.parse(info) as EntryInfo), lastUsedAt: usedAt }
}
