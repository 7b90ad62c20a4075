import { randomUUID } from 'node:crypto'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import type { S3Service, Unavailable } from '@spillway-internal/services'
import type { S3StorageOptions } from '../../src/index.ts'

/** A bucket for one test file. */
export interface TestBucket {
  readonly name: string
  readonly client: S3Client
  readonly endpoint: string
  /** Options of a storage for the bucket, through another address if one is given. */
  options(endpoint?: string): S3StorageOptions & { readonly bucket: string }
  /** Names of all objects, and of objects that have an unfinished upload. */
  keys(prefix?: string): Promise<string[]>
  create(): Promise<void>
  /** Remove the bucket with all its content. */
  remove(): Promise<void>
}

/** Stands in for a missing server, so that its suites are defined, but not run. */
const NOWHERE: S3Service = {
  available: true,
  endpoint: 'http://127.0.0.1:1',
  accessKeyId: 'none',
  secretAccessKey: 'none',
  region: 'us-east-1',
}

/** Return the service, or a stand-in with which suites can be defined. */
export const serviceOrNowhere = (service: S3Service | Unavailable): S3Service => (service.available ? service : NOWHERE)

/** A client of a service, separate from the clients of the tested storages. */
export function clientOf(
  { endpoint, region, accessKeyId, secretAccessKey }: S3Service,
  maxAttempts: number = 3,
): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    maxAttempts,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

/** Describe a bucket with a unique name, which exists after `create()`. */
export function testBucket(service: S3Service): TestBucket {
  const client = clientOf(service)
  const name = `spillway-test-${randomUUID()}`
  const { accessKeyId, secretAccessKey, region } = service
  return {
    name,
    client,
    endpoint: service.endpoint,
    options: (endpoint = service.endpoint) => ({
      bucket: name,
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
    }),
    keys: (prefix = '') => keysOf(client, name, prefix),
    async create() {
      await client.send(new CreateBucketCommand({ Bucket: name }))
    },
    async remove() {
      for (let keys = await objectsOf(client, name, ''); keys.length > 0; keys = await objectsOf(client, name, '')) {
        const Delete = { Objects: keys.slice(0, 1_000).map((Key) => ({ Key })) }
        await client.send(new DeleteObjectsCommand({ Bucket: name, Delete }))
      }
      await client.send(new DeleteBucketCommand({ Bucket: name }))
      client.destroy()
    },
  }
}

/** Names of all objects, and of objects that have an unfinished upload. */
export async function keysOf(client: S3Client, bucket: string, prefix: string): Promise<string[]> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))
  return [...(await objectsOf(client, bucket, prefix)), ...Uploads.map(({ Key = '' }) => Key)]
}

async function objectsOf(client: S3Client, bucket: string, prefix: string): Promise<string[]> {
  const keys: string[] = []
  let token: string | undefined
  do {
    const page = { Bucket: bucket, Prefix: prefix, ...(token === undefined ? {} : { ContinuationToken: token }) }
    const { Contents = [], NextContinuationToken } = await client.send(new ListObjectsV2Command(page))
    keys.push(...Contents.map(({ Key = '' }) => Key))
    token = NextContinuationToken
  } while (token !== undefined)
  return keys
}
