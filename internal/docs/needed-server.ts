import {
  sharedPostgres,
  sharedRedis,
  sharedS3,
  type PostgresService,
  type RedisService,
  type S3Service,
  type Unavailable,
} from '../services/src/index.ts'
import type { Fence } from './extract-fences.ts'

/** The address of Redis in examples, which is the default address. */
const REDIS_IN_EXAMPLES = 'redis://localhost:6379'
/** The address of PostgreSQL in examples. */
const POSTGRES_IN_EXAMPLES = 'postgres://localhost/app'
const BUCKET_IN_EXAMPLES = 'my-bucket'

/** A server that an example needs. */
export interface NeededServer {
  /** The reason why the server is missing. Absent if the server is available. */
  readonly missing?: string
  readonly env: Readonly<Record<string, string>>
  /** Replace the address in an example by the real address. */
  address(code: string): string
}

const FINDERS: Readonly<Record<string, () => Promise<RedisService | PostgresService | S3Service | Unavailable>>> = {
  redis: sharedRedis,
  postgres: sharedPostgres,
  s3: sharedS3,
}

const NOTHING: NeededServer = { env: {}, address: (code) => code }

/** Find the server that a fence names: `needs=redis`, `needs=postgres`, or `needs=s3` with a bucket `my-bucket`. */
export async function neededServer({ flags }: Pick<Fence, 'flags'>): Promise<NeededServer> {
  const name = flags.find((flag) => flag.startsWith('needs='))?.slice('needs='.length)
  if (name === undefined) return NOTHING
  const find = FINDERS[name]
  if (find === undefined) throw new Error(`needs=${name} is unknown. Known: ${Object.keys(FINDERS).join(', ')}.`)
  const service = await find()
  if (!service.available) return { ...NOTHING, missing: service.why }
  if ('endpoint' in service) return await s3(service)
  return byUrl(service, name === 'redis' ? REDIS_IN_EXAMPLES : POSTGRES_IN_EXAMPLES)
}

function byUrl({ url }: RedisService | PostgresService, inExamples: string): NeededServer {
  return { env: {}, address: (code) => code.replaceAll(inExamples, url) }
}

async function s3({ endpoint, accessKeyId, secretAccessKey, region }: S3Service): Promise<NeededServer> {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  try {
    // Creating an existing bucket changes nothing.
    await client.send(new CreateBucketCommand({ Bucket: BUCKET_IN_EXAMPLES }))
  } finally {
    client.destroy()
  }
  const env = { AWS_ENDPOINT_URL_S3: endpoint, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
  return { env, address: (code) => code }
}
