import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import Database from 'better-sqlite3'
import { Redis } from 'ioredis'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { known } from '../../report/known.ts'
import type { Place } from '../place.ts'
import { s3Client } from '../s3-client.ts'
import type { Subject } from './subject.ts'

/** Copies of bytes in a map. */
export function mapFloor(): Subject {
  const map = new Map<string, Uint8Array>()
  return {
    store: async (key, bytes) => {
      map.set(key, new Uint8Array(bytes))
      return key
    },
    retrieve: async (key) => new Uint8Array(known(map.get(key))),
    clear: async () => map.clear(),
  }
}

/** A file that is written under a temporary name, and then renamed. */
export async function fileFloor({ directory }: Place): Promise<Subject> {
  const folder = join(directory, 'floor')
  await mkdir(folder)
  let count = 0
  return {
    store: async (key, bytes) => {
      const path = join(folder, key)
      const written = `${path}.${count++}`
      await writeFile(written, bytes)
      await rename(written, path)
      return key
    },
    retrieve: (key) => readFile(join(folder, key)),
    clear: async () => {
      await rm(folder, { recursive: true })
      await mkdir(folder)
    },
  }
}

/** One row with a blob, with prepared statements, and with the same journal and safety as ours. */
export function sqliteFloor({ directory }: Place): Subject {
  const database = new Database(join(directory, 'floor.db'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.exec('CREATE TABLE entry (key TEXT PRIMARY KEY, value BLOB)')
  const insert = database.prepare('INSERT OR REPLACE INTO entry VALUES (?, ?)')
  const select = database.prepare<[string], Uint8Array>('SELECT value FROM entry WHERE key = ?').pluck()
  return {
    store: async (key, bytes) => {
      insert.run(key, bytes)
      return key
    },
    retrieve: async (key) => known(select.get(key)),
    clear: async () => {
      database.exec('DELETE FROM entry')
    },
    close: async () => void database.close(),
  }
}

/** The commands SET and GET. */
export function redisFloor({ redis, prefix }: Place): Subject {
  const client = new Redis(known(redis))
  const keys: string[] = []
  return {
    store: async (key, bytes) => {
      const name = `${prefix}:${key}`
      await client.set(name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      keys.push(name)
      return name
    },
    retrieve: async (name) => known((await client.getBuffer(name)) ?? undefined),
    clear: async () => {
      if (keys.length > 0) await client.del(...keys.splice(0))
    },
    close: async () => {
      await client.quit()
    },
  }
}

/** One row with a value, with `pg`, and with the same safety as ours. */
export async function postgresFloor({ postgres, prefix }: Place): Promise<Subject> {
  const pool = new pg.Pool({ connectionString: known(postgres) })
  const table = `"${prefix}-floor"`
  await pool.query(`CREATE TABLE ${table} (key text PRIMARY KEY, value bytea)`)
  await pool.query(`ALTER TABLE ${table} ALTER COLUMN value SET STORAGE EXTERNAL`)
  const upsert = `INSERT INTO ${table} VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  const select = `SELECT value FROM ${table} WHERE key = $1`
  return {
    store: async (key, bytes) => {
      await pool.query(upsert, [key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)])
      return key
    },
    retrieve: async (key) => known((await pool.query<{ value: Uint8Array }>(select, [key])).rows[0]).value,
    clear: async () => void (await pool.query(`TRUNCATE ${table}`)),
    close: async () => {
      await pool.query(`DROP TABLE ${table}`)
      await pool.end()
    },
  }
}

/** The requests PutObject and GetObject. */
export function s3Floor({ s3, prefix }: Place): Subject {
  const client = s3Client(known(s3))
  const Bucket = s3?.bucket
  const keys: string[] = []
  return {
    store: async (key, bytes) => {
      const Key = `${prefix}/${key}`
      await client.send(new PutObjectCommand({ Bucket, Key, Body: bytes }))
      keys.push(Key)
      return Key
    },
    retrieve: async (Key) =>
      (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToByteArray() ?? new Uint8Array(0),
    clear: async () => {
      for (const Key of keys.splice(0)) await client.send(new DeleteObjectCommand({ Bucket, Key }))
    },
    close: async () => client.destroy(),
  }
}
