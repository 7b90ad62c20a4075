import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { sharedPostgres, sharedRedis, sharedRedisCluster, sharedS3 } from '@spillway-internal/services'

/** A store for commands. */
export interface TestStore {
  /** URL of an empty store. */
  readonly url: string
  /** Environment variables that the commands need. */
  readonly env: Readonly<Record<string, string>>
}

/** A kind of store, and whether this machine has it. */
export interface TestStores {
  readonly name: string
  readonly available: boolean
  /** Whether the command line evicts its entries by age. An S3 bucket does that itself. */
  readonly hasAge: boolean
  create(): Promise<TestStore>
}

const redis = await sharedRedis()
const cluster = await sharedRedisCluster()
const postgres = await sharedPostgres()
const s3 = await sharedS3()

const byUrl = (url: string): TestStore => ({ url, env: {} })

/** Every kind of persistent store. Paths of files are relative to the working directory. */
export const TEST_STORES: readonly TestStores[] = [
  { name: 'file:', available: true, hasAge: true, create: async () => byUrl('file:./store') },
  { name: 'sqlite:', available: true, hasAge: true, create: async () => byUrl('sqlite:./store/spillway.db') },
  {
    name: 'redis:',
    available: redis.available,
    hasAge: true,
    create: async () => byUrl(redis.available ? `${redis.url}?prefix=cli-${randomUUID()}` : ''),
  },
  {
    name: 'redis+cluster:',
    available: cluster.available,
    hasAge: true,
    create: async () => byUrl(cluster.available ? `${cluster.url}?prefix=cli-${randomUUID()}` : ''),
  },
  {
    name: 'postgres:',
    available: postgres.available,
    hasAge: true,
    create: async () => postgresStore(),
  },
  { name: 's3:', available: s3.available, hasAge: false, create: async () => await s3Store() },
]

/** Return a PostgreSQL store whose user comes from the environment, so that commands may show the URL. */
function postgresStore(): TestStore {
  if (!postgres.available) throw new Error(postgres.why)
  const { host, pathname, username } = new URL(postgres.url)
  return { url: `postgres://${host}${pathname}?schema=cli-${randomUUID()}`, env: { PGUSER: username } }
}

/** The S3 server, or the reason why it is missing. */
export const S3: typeof s3 = s3

/** Create a bucket, and return a store in it. */
export async function s3Store(): Promise<TestStore> {
  if (!s3.available) throw new Error(s3.why)
  const { endpoint, region, accessKeyId, secretAccessKey } = s3
  const bucket = `cli-${randomUUID()}`
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
  return { url: s3Url(bucket), env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } }
}

/** Return the URL of a bucket on the S3 server. */
export function s3Url(bucket: string): string {
  if (!s3.available) throw new Error(s3.why)
  const parameters = new URLSearchParams({ endpoint: s3.endpoint, region: s3.region, 'path-style': 'true' })
  return `s3://${bucket}/cli/test?${parameters.toString()}`
}
