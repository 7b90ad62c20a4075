import { readFile } from 'node:fs/promises'
import { DeleteBucketPolicyCommand, PutBucketPolicyCommand } from '@aws-sdk/client-s3'
import { sharedS3 } from '@spillway-internal/services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { S3Storage } from '../src/index.ts'
import { collect, filled, rejection, stream } from './support/samples.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const MB = 1024 * 1024
const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))

interface Statement {
  readonly Action: readonly string[]
  readonly Resource: string
}

/** The statements of the policy in the README. */
async function documented(): Promise<readonly Statement[]> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const policy = /```json\n(\{\n {2}"Version"[^]*?)```/.exec(readme)?.[1] ?? ''
  return (JSON.parse(policy) as { Statement: Statement[] }).Statement
}

/** Other permissions that a client of S3 could need. */
const OTHERS: readonly string[] = [
  ...['s3:GetObjectVersion', 's3:DeleteObjectVersion', 's3:GetObjectTagging', 's3:PutObjectTagging', 's3:GetObjectAcl'],
  ...['s3:PutObjectAcl', 's3:ListBucketVersions', 's3:GetBucketLocation', 's3:GetBucketVersioning', 's3:GetBucketAcl'],
  ...['s3:GetLifecycleConfiguration', 's3:PutLifecycleConfiguration', 's3:CreateBucket', 's3:DeleteBucket'],
]

/** Take permissions away, even from the owner of the bucket. */
async function deny(Action: readonly string[]): Promise<void> {
  const Resource = [`arn:aws:s3:::${bucket.name}`, `arn:aws:s3:::${bucket.name}/*`]
  const Statement = [{ Effect: 'Deny', Principal: '*', Action, Resource }]
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement })
  await bucket.client.send(new PutBucketPolicyCommand({ Bucket: bucket.name, Policy }))
}

describe.skipIf(!found.available)('permissions', () => {
  beforeAll(() => bucket.create())
  afterAll(async () => {
    await bucket.client.send(new DeleteBucketPolicyCommand({ Bucket: bucket.name }))
    await bucket.remove()
  })

  test('of the policy in the README are enough for a storage', async () => {
    await deny(OTHERS)
    const storage = new S3Storage({ ...bucket.options(), now: () => Date.now() + 4_000_000 })
    const reference = await storage.store('k'.repeat(3_000), filled(10))
    await storage.store('k'.repeat(3_000), filled(10))
    await storage.storeStream('stream', stream(12, MB))
    await expect(storage.retrieve(reference)).resolves.toMatchObject({ content: filled(10) })
    await expect(storage.stat('call_9_9_abcdefghijklmnopqrst')).rejects.toMatchObject({ code: 'not-found' })
    expect(await collect(storage.list())).toHaveLength(2)
    await storage.delete(reference)
    await storage.gc()
    expect(await storage.clear()).toBe(1)
    await storage.close()
  })

  test.each(['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:ListBucket'])(
    'without %s cause an outage that names it, in storing, reading, listing or deleting',
    async (missing) => {
      expect((await documented()).flatMap(({ Action }) => Action)).toContain(missing)
      await deny([missing])
      const storage = new S3Storage(bucket.options())
      const use = async (): Promise<void> => {
        const reference = await storage.store(missing, filled(10))
        await storage.retrieve(reference)
        await collect(storage.list())
        await storage.delete(reference)
      }
      const error = await rejection(use())
      expect(error).toMatchObject({ code: 'unavailable', retryable: false })
      expect(error.message).toContain(missing)
      await storage.close()
    },
  )
})
