import type { ManagedStorage } from '@spillway/core'
import { join } from 'node:path'
import { known } from '../report/known.ts'
import type { Kind, Place } from './place.ts'

/** Limits for the lifetime of entries. */
export interface Lifetime {
  readonly evictAfterTurns?: number
  /** Not used in S3, where the bucket has a lifecycle rule. */
  readonly ttlMs?: number
}

const OPEN: Readonly<Record<Kind, (place: Place, lifetime: Lifetime) => Promise<ManagedStorage>>> = {
  memory: async (_, lifetime) => new (await import('@spillway/memory')).InMemoryStorage(lifetime),
  file: async ({ directory }, lifetime) =>
    new (await import('@spillway/file')).FileStorage({ directory: join(directory, 'ours'), ...lifetime }),
  SQLite: async ({ directory }, lifetime) =>
    new (await import('@spillway/sqlite')).SqliteStorage({ path: join(directory, 'ours.db'), ...lifetime }),
  Redis: async ({ redis, prefix }, lifetime) =>
    new (await import('@spillway/redis')).RedisStorage({ url: redis, prefix, ...lifetime }),
  PostgreSQL: async ({ postgres, prefix }, lifetime) =>
    new (await import('@spillway/postgres')).PostgresStorage(known(postgres), { schema: prefix, ...lifetime }),
  S3: async ({ s3, prefix }, { evictAfterTurns }) => {
    const { S3Storage } = await import('@spillway/s3')
    const { endpoint, region, accessKeyId, secretAccessKey, bucket } = known(s3)
    const credentials = { accessKeyId, secretAccessKey }
    return new S3Storage(bucket, { prefix, endpoint, region, credentials, evictAfterTurns })
  },
}

/** Open one of our storages. Only its own packages are loaded. */
export const openStorage = async (place: Place, lifetime: Lifetime = {}): Promise<ManagedStorage> =>
  await OPEN[place.kind](place, lifetime)
