import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { faultProxy, type S3Service } from '@spillway-internal/services'
import { killConformanceWriter } from '@spillway-internal/storage-suite'
import type { ConformanceHarness } from '@spillway/core/conformance'
import { isFull } from '@spillway-internal/test-run'
import { createStorage, type ManagedStorage } from '@spillway/core/driver'
import { S3Storage } from '../../src/index.ts'
import { S3Connection } from '../../src/s3-connection.ts'
import { resolveOptions } from '../../src/s3-storage-options.ts'
import { s3Driver } from '../../src/s3-storage.ts'
import { s3Backend } from './s3-backend.ts'
import type { TestBucket } from './test-bucket.ts'

const run = promisify(execFile)

/** Entries per page: usually a few, and in full runs as many as S3 returns. */
const pageSize = isFull ? undefined : 10

/** Cases in which retrieving would have to change an object, which S3 can do only by copying the object. */
const GAPS = {
  'stat/last-use':
    'retrieving does not renew the last use, because S3 would have to copy the whole object; storing again renews it',
  'undo/every-use': 'retrieving does not renew the last use, because S3 would have to copy the whole object',
}

/** Connects the conformance suite to storages in a bucket, each with its own prefix. */
export async function s3Harness(service: S3Service, bucket: TestBucket): Promise<ConformanceHarness> {
  const [aws] = await Promise.allSettled([run('aws', ['--version'])])
  const hasAwsCommand = aws.status === 'fulfilled'
  const { hostname, port } = new URL(service.endpoint)
  return {
    name: '@spillway/s3',
    settings: ['evictAfterTurns'],
    missingSettings: {
      ttlMs: 'a lifecycle rule of the bucket removes old entries',
      maxBytes: 'the storage does not count its bytes, because it would have to list the bucket',
    },
    knownGaps: GAPS,
    missingPowers: hasAwsCommand ? {} : { shell: 'the aws command is not installed' },
    timeoutMs: 120_000,
    ...(pageSize === undefined ? {} : { pageSize }),
    async create(settings) {
      const proxy = await faultProxy({ host: hostname, port: Number(port) })
      const prefix = `conformance/${randomUUID()}`
      let now = Date.now()
      const options = { ...bucket.options(`http://${proxy.host}:${proxy.port}`), prefix }
      const given = { ...options, ...settings, now: () => now }
      const open = (): ManagedStorage => {
        if (pageSize === undefined) return new S3Storage(given)
        const { connection, managed, ...driver } = resolveOptions(given, 'S3Storage')
        return createStorage(s3Driver({ connection: new S3Connection(connection), ...driver, pageSize }), managed)
      }
      const storage = open()
      return {
        storage,
        powers: {
          clock: { now: () => now, advance: (milliseconds) => void (now += milliseconds) },
          reopen: async () => open(),
          outage: async () => {
            await proxy.refuse()
            return () => proxy.restore()
          },
          residue: async () => (await bucket.keys(prefix)).length,
          plant: (content) => plant(bucket, prefix, content),
          // The parts are so small that the writer is killed in the middle of an upload.
          kill: (script) => killConformanceWriter(s3Backend(options, 300_000), script),
          damage: (reference) => damage(bucket, `${prefix}/${reference}`),
          ...(hasAwsCommand ? { shell: (command) => shell(service, command) } : {}),
          maxTombstones: 1_000,
        },
        dispose: async () => {
          await storage.close()
          await proxy.close()
        },
      }
    },
  }
}

/** Put content beside the prefix, and content without a description below the prefix. */
async function plant({ client, name }: TestBucket, prefix: string, content: Uint8Array): Promise<string[]> {
  const { dir, base } = {
    dir: prefix.slice(0, prefix.lastIndexOf('/')),
    base: prefix.slice(prefix.lastIndexOf('/') + 1),
  }
  const keys = ['foreign', `${dir}/foreign`, `${prefix}foreign`, `${prefix}/planted`, `${prefix}/.index/planted`]
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: name, Key, Body: content }))
  return [
    'foreign',
    'planted',
    '../foreign',
    `../${base}foreign`,
    '.index/planted',
    'index_planted',
    `s3://${name}/foreign`,
  ]
}

/** Replace an object by fewer bytes, and keep its metadata. */
async function damage({ client, name }: TestBucket, key: string): Promise<void> {
  const {
    Metadata,
    ContentType,
    ContentLength = 0,
  } = await client.send(new HeadObjectCommand({ Bucket: name, Key: key }))
  const Body = Buffer.alloc(ContentLength - 1)
  await client.send(new PutObjectCommand({ Bucket: name, Key: key, Body, Metadata, ContentType }))
}

async function shell({ accessKeyId, secretAccessKey, region }: S3Service, command: string): Promise<Uint8Array> {
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_DEFAULT_REGION: region,
  }
  return (await run('sh', ['-c', command], { encoding: 'buffer', env })).stdout
}
