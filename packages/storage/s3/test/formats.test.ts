import { randomUUID } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { sharedS3 } from '@spillway-internal/services'
import { formatFixture, problemsOfFormat, storeFormatSample } from '@spillway-internal/storage-suite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { S3Storage } from '../src/index.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const FIXTURE = new URL('formats/format-1.json.gz', import.meta.url)
const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))

interface RawObject {
  readonly body: string
  readonly contentType: string | undefined
  readonly metadata: Record<string, string>
}

async function readObject(Key: string): Promise<RawObject> {
  const {
    Body,
    ContentType,
    Metadata = {},
  } = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key }))
  return { body: (await Body?.transformToString('base64')) ?? '', contentType: ContentType, metadata: Metadata }
}

async function writeObject(Key: string, { body, contentType, metadata }: RawObject): Promise<void> {
  const content = { Body: Buffer.from(body, 'base64'), ContentType: contentType, Metadata: metadata }
  await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, ...content }))
}

/** Record the data that this version stores, under names without the prefix. */
async function recorded(): Promise<Record<string, RawObject>> {
  const prefix = `recorded-${randomUUID()}`
  const { bucket: name, ...options } = bucket.options()
  await storeFormatSample(new S3Storage(name, { ...options, prefix }))
  const keys = await bucket.keys(prefix)
  return Object.fromEntries(
    await Promise.all(keys.map(async (key) => [key.slice(prefix.length + 1), await readObject(key)] as const)),
  )
}

describe.skipIf(!found.available)('data of another version', () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove(), 600_000)

  it('is read if its format is 1, and refused if it is newer', async () => {
    const prefix = `format-${randomUUID()}`
    const { bucket: name, ...options } = bucket.options()
    const objects = await formatFixture(FIXTURE, recorded)
    for (const [key, object] of Object.entries(objects)) await writeObject(`${prefix}/${key}`, object as RawObject)
    const storage = new S3Storage(name, { ...options, prefix })
    expect(await problemsOfFormat(storage)).toEqual([])

    const reference = await storage.store('call_1_0', new TextEncoder().encode('hello\n'))
    const key = `${prefix}/${reference}`
    const object = await readObject(key)
    await writeObject(key, { ...object, metadata: { ...object.metadata, 'spillway-format': '2' } })
    await expect(new S3Storage(name, { ...options, prefix }).retrieve(reference)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('Update @spillway/s3') as unknown,
    })
  })
})
