import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { sharedPostgres, sharedRedis, sharedS3 } from '@spillway-internal/services'
import type { ManagedStorage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { PostgresStorage } from '@spillway/postgres'
import { RedisStorage } from '@spillway/redis'
import { S3Storage } from '@spillway/s3'
import { SqliteStorage } from '@spillway/sqlite'
import { onTestFinished } from 'vitest'

/** A backend. `missing` is the reason why it cannot be tested here. */
export interface Backend {
  readonly name: string
  readonly missing?: string | undefined
  /** Make a place for content. Return a function that opens a new storage there, as another process would. */
  readonly create: () => Promise<(settings?: { evictAfterTurns?: number | null }) => ManagedStorage>
}

const redis = await sharedRedis()
const postgres = await sharedPostgres()
const s3 = await sharedS3()

export const backends: readonly Backend[] = [
  {
    name: 'memory',
    async create() {
      // Only one storage can have the content in the memory of a process.
      let storage: InMemoryStorage | undefined
      return (settings) => (storage ??= new InMemoryStorage({ evictAfterTurns: null, ...settings }))
    },
  },
  {
    name: 'file',
    async create() {
      const directory = await temporaryDirectory()
      return (settings) => new FileStorage({ directory, ...settings })
    },
  },
  {
    name: 'sqlite',
    async create() {
      const path = join(await temporaryDirectory(), 'spillway.db')
      return (settings) => closed(new SqliteStorage({ path, ...settings }))
    },
  },
  {
    name: 'redis',
    missing: redis.available ? undefined : redis.why,
    async create() {
      if (!redis.available) throw new Error(redis.why)
      const prefix = `strands-${randomUUID()}`
      const open = (settings?: object): RedisStorage => closed(new RedisStorage(redis.url, { prefix, ...settings }))
      const own = open()
      onTestFinished(async () => void (await own.clear()))
      return open
    },
  },
  {
    name: 'postgres',
    missing: postgres.available ? undefined : postgres.why,
    async create() {
      if (!postgres.available) throw new Error(postgres.why)
      const schema = `strands_${randomUUID().replaceAll('-', '')}`
      const open = (settings?: object): PostgresStorage =>
        closed(new PostgresStorage(postgres.url, { schema, ...settings }))
      const own = open()
      onTestFinished(async () => void (await own.clear()))
      return open
    },
  },
  {
    name: 's3',
    missing: s3.available ? undefined : s3.why,
    async create() {
      if (!s3.available) throw new Error(s3.why)
      const { endpoint, region, accessKeyId, secretAccessKey } = s3
      const connection = { endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true }
      const bucket = 'spillway-strands'
      const client = new S3Client(connection)
      // Creating the bucket again changes nothing.
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
      client.destroy()
      const prefix = randomUUID()
      const open = (settings?: object): S3Storage =>
        closed(new S3Storage(bucket, { ...connection, prefix, ...settings }))
      const own = open()
      onTestFinished(async () => void (await own.clear()))
      return open
    },
  },
]

/** A directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-strands-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

function closed<Storage extends ManagedStorage>(storage: Storage): Storage {
  onTestFinished(() => storage.close())
  return storage
}
