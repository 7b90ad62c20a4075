import { GetObjectCommand } from '@aws-sdk/client-s3'
import { sharedS3 } from '@spillway-internal/services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { rejection } from '../test/support/samples.ts'
import { serviceOrNowhere, testBucket } from '../test/support/test-bucket.ts'
import { S3Connection } from './s3-connection.ts'
import { resolveOptions } from './s3-storage-options.ts'
import { partLimits, S3Uploads, uploadParts, type PartLimits, type UnfinishedUpload } from './s3-uploads.ts'

const MB = 1024 * 1024

const found = await sharedS3()

const bucket = testBucket(serviceOrNowhere(found))

async function* pieces(content: Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += bytes) yield content.slice(at, at + bytes)
}

test('10,000 parts are enough for 5 TB, and the first parts are small', () => {
  const { partBytes, partsOfOneSize, maxParts } = partLimits(8 * MB)
  let bytes = 0
  for (let number = 0; number < maxParts; number += 1) bytes += partBytes * 2 ** Math.floor(number / partsOfOneSize)
  expect(partBytes).toBe(8 * MB)
  expect(bytes).toBeGreaterThan(5 * 1024 ** 4)
})

describe.skipIf(!found.available)('an upload', () => {
  const connection = new S3Connection(resolveOptions(bucket.options(), 'S3Storage').connection)
  const uploads = new S3Uploads(connection)
  const start = (key: string): Promise<UnfinishedUpload> => uploads.start(key, { contentType: 'text/plain' })
  const limits = (changes: Partial<PartLimits>): PartLimits => ({ ...partLimits(5 * MB), ...changes })

  beforeAll(() => bucket.create())
  afterAll(async () => {
    connection.close()
    await bucket.remove()
  })

  test.each([
    ['of small chunks', 70_001],
    ['of chunks larger than a part', 12 * MB],
    ['of one chunk', 40 * MB],
  ])('%s is read back unchanged, and its parts grow', async (_what, bytes) => {
    const content = new Uint8Array(randomBytes(33 * MB + 7))
    const upload = await start('growing')
    const { parts, size } = await uploadParts(uploads, upload, pieces(content, bytes), limits({ partsOfOneSize: 2 }))
    // 5, 5, 10 and 10 MB, and the rest.
    expect([parts.length, size]).toEqual([5, content.length])
    await uploads.complete(upload, parts, false)
    const { Body } = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'growing' }))
    expect(Buffer.compare((await Body?.transformToByteArray()) ?? new Uint8Array(), content)).toBe(0)
  })

  test('is too large if it has more parts than S3 accepts', async () => {
    const upload = await start('endless')
    const error = await rejection(
      uploadParts(uploads, upload, pieces(new Uint8Array(21 * MB), MB), limits({ maxParts: 3 })),
    )
    expect(error).toMatchObject({ code: 'too-large', retryable: false })
    expect(error.message).toContain('"partBytes"')
    await uploads.abort(upload)
  })

  test('has no progress after it was aborted, and can be aborted again', async () => {
    const upload = await start('ended')
    await uploads.putPart(upload, 1, new Uint8Array(MB))
    await expect(uploads.progress(upload)).resolves.toMatchObject({ bytes: MB })
    await uploads.abort(upload)
    await expect(uploads.progress(upload)).resolves.toBeUndefined()
    await expect(uploads.abort(upload)).resolves.toBeUndefined()
  })

  test('sends its latest part again while its stream pauses, to show that it is alive', async () => {
    const upload = await start('pausing')
    let progress: Awaited<ReturnType<S3Uploads['progress']>>
    const content = new Uint8Array(randomBytes(6 * MB))
    async function* pausing(): AsyncGenerator<Uint8Array> {
      yield content.slice(0, 5 * MB)
      while (progress === undefined || progress.bytes === 0) {
        await delay(5)
        progress = await uploads.progress(upload)
      }
      const { latestAt } = progress
      while ((progress?.latestAt ?? 0) <= latestAt) {
        await delay(5)
        progress = await uploads.progress(upload)
      }
      yield content.slice(5 * MB)
    }
    const { parts } = await uploadParts(uploads, upload, pausing(), limits({ refreshMs: 20 }))
    await uploads.complete(upload, parts, false)
    const { Body } = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'pausing' }))
    expect(Buffer.compare((await Body?.transformToByteArray()) ?? new Uint8Array(), content)).toBe(0)
  })
})
