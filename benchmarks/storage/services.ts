import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { sharedPostgres, sharedRedis, sharedS3 } from '@spillway-internal/services'
import type { Kind, S3Address, Servers } from './place.ts'
import { s3Client } from './s3-client.ts'

/** The result of {@link findServices}. */
export interface Services {
  readonly servers: Servers
  /** Reasons why requested servers are missing. */
  readonly missing: readonly string[]
}

/** Find or start the servers that some backends need. They end with this process. */
export async function findServices(kinds: readonly Kind[]): Promise<Services> {
  const missing: string[] = []
  let redis: string | undefined
  let postgres: string | undefined
  let s3: S3Address | undefined
  if (kinds.includes('Redis')) {
    const found = await sharedRedis()
    if (found.available) redis = found.url
    else missing.push(`Redis: ${found.why}`)
  }
  if (kinds.includes('PostgreSQL')) {
    const found = await sharedPostgres()
    if (found.available) postgres = found.url
    else missing.push(`PostgreSQL: ${found.why}`)
  }
  if (kinds.includes('S3')) {
    const found = await sharedS3()
    if (found.available) s3 = await makeBucket({ ...found, bucket: `spillway-bench-${process.pid}` })
    else missing.push(`S3: ${found.why}`)
  }
  return { servers: { redis, postgres, s3 }, missing }
}

/** Create another bucket on the same server. {@link removeBucket} removes it. */
export async function makeBucket(address: S3Address): Promise<S3Address> {
  const client = s3Client(address)
  await client.send(new CreateBucketCommand({ Bucket: address.bucket }))
  client.destroy()
  return address
}

/** Remove a bucket and its content. */
export async function removeBucket(address: S3Address): Promise<void> {
  const client = s3Client(address)
  const { bucket: Bucket } = address
  for (;;) {
    const { Contents: objects = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
    if (objects.length === 0) break
    const Objects = objects.map(({ Key }) => ({ Key }))
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
  }
  await client.send(new DeleteBucketCommand({ Bucket }))
  client.destroy()
}
