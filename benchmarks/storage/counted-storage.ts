import type { ManagedStorage } from '@spillway/core'
import { FileStorage, NodeFileSystem } from '@spillway/file'
import { PostgresStorage } from '@spillway/postgres'
import { RedisStorage } from '@spillway/redis'
import { S3Storage } from '@spillway/s3'
import { SqliteStorage } from '@spillway/sqlite'
import { httpFaults } from '@spillway-internal/services'
import Database from 'better-sqlite3'
import { Redis } from 'ioredis'
import { join } from 'node:path'
import pg from 'pg'
import { countingFileSystem } from '../counting-file-system.ts'
import { known } from '../report/known.ts'
import type { Kind, Place } from './place.ts'

/** A storage, and the numbers of its requests to the backend so far, by the name of the request. */
export interface CountedStorage {
  readonly storage: ManagedStorage
  counts(): ReadonlyMap<string, number>
  close(): Promise<void>
}

const TURNS = 1_000

/** Open one of our storages, and count its requests. */
export const openCounted: Readonly<Record<Exclude<Kind, 'memory'>, (place: Place) => Promise<CountedStorage>>> = {
  file: async ({ directory }) => {
    const { fileSystem, use } = countingFileSystem(new NodeFileSystem())
    const storage = new FileStorage({ directory, fileSystem, evictAfterTurns: TURNS })
    return { storage, counts: () => new Map([['', use().calls]]), close: () => storage.close() }
  },
  SQLite: async ({ directory }) => {
    const counts = new Map<string, number>()
    const verbose = (sql: unknown): unknown => increase(counts, String(sql).trim().split(/\s/, 1)[0] ?? '')
    // With a timeout, the storage would read and change the timeout for each use of the database.
    const database = new Database(join(directory, 'counted.db'), { verbose, timeout: 0 })
    database.pragma('journal_mode = WAL')
    const storage = new SqliteStorage({ database, evictAfterTurns: TURNS })
    const close = async (): Promise<void> => {
      await storage.close()
      database.close()
    }
    return { storage, counts: () => new Map(counts), close }
  },
  Redis: async ({ redis, prefix }) => {
    const client = new CountingRedis(known(redis))
    const storage = new RedisStorage({ client, prefix, evictAfterTurns: TURNS })
    const close = async (): Promise<void> => {
      await storage.clear()
      await storage.close()
      await client.quit()
    }
    return { storage, counts: () => new Map(client.counts), close }
  },
  PostgreSQL: async ({ postgres, prefix }) => {
    const pool = new pg.Pool({ connectionString: known(postgres) })
    const counts = new Map<string, number>()
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...input: unknown[]) => unknown
      client.query = (...input: unknown[]): never => {
        increase(counts, '')
        return query(...input) as never
      }
    })
    const storage = new PostgresStorage(pool, { schema: prefix, evictAfterTurns: TURNS })
    const close = async (): Promise<void> => {
      await storage.close()
      await pool.query(`DROP SCHEMA "${prefix}" CASCADE`)
      await pool.end()
    }
    return { storage, counts: () => new Map(counts), close }
  },
  S3: async ({ s3, prefix }) => {
    const { bucket, region, accessKeyId, secretAccessKey, endpoint } = known(s3)
    const proxy = await httpFaults(endpoint)
    const credentials = { accessKeyId, secretAccessKey }
    const storage = new S3Storage(bucket, {
      prefix,
      region,
      credentials,
      endpoint: proxy.endpoint,
      evictAfterTurns: TURNS,
    })
    const close = async (): Promise<void> => {
      await storage.clear()
      await storage.close()
      await proxy.close()
    }
    return { storage, counts: () => new Map(proxy.requests), close }
  },
}

class CountingRedis extends Redis {
  readonly counts = new Map<string, number>()

  override sendCommand(...input: Parameters<Redis['sendCommand']>): ReturnType<Redis['sendCommand']> {
    increase(this.counts, input[0].name.toUpperCase())
    return super.sendCommand(...input)
  }
}

const increase = (counts: Map<string, number>, name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1)
