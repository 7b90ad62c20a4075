import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { sharedS3 } from '@spillway-internal/services'
import { createStorage } from '@spillway/core/driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { S3Storage } from '../src/index.ts'
import { S3Connection } from '../src/s3-connection.ts'
import { s3Driver } from '../src/s3-storage.ts'
import { resolveOptions } from '../src/s3-storage-options.ts'
import { S3Uploads } from '../src/s3-uploads.ts'
import { collect, filled, stream } from './support/samples.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const MB = 1024 * 1024
const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))
const open = (prefix: string, now: () => number = Date.now): S3Storage =>
  new S3Storage({ ...bucket.options(), prefix, now })

describe.skipIf(!found.available)('objects of a bucket', () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove(), 60_000)

  test('contain one entry each, with its content type and description', async () => {
    const storage = open('plain', () => 1_800_000_000_000)
    const metadata = { tool: 'read_log' }
    const reference = await storage.scope('a').store('call_1', filled(10), 'Text/CSV; header=present', { metadata })
    expect(await bucket.keys('plain')).toEqual([`plain/a/${reference}`])
    const command = new HeadObjectCommand({ Bucket: bucket.name, Key: `plain/a/${reference}` })
    const { ContentType, ContentEncoding, ContentDisposition, Metadata } = await bucket.client.send(command)
    expect([ContentType, ContentEncoding, ContentDisposition]).toEqual([
      'Text/CSV; header=present',
      undefined,
      undefined,
    ])
    expect(JSON.parse(Metadata?.['spillway'] ?? '')).toMatchObject({ key: 'call_1', metadata })
    expect(Metadata).toMatchObject({ 'spillway-used': '1800000000000', 'spillway-size': '10' })
    await storage.close()
  })

  test('keep the time of the first store if an entry is stored again, and get one sibling', async () => {
    let now = 1_800_000_000_000
    const key = 'k'.repeat(3_000)
    const [storage, other] = [open('again', () => now), open('again', () => now)]
    const reference = await storage.store(key, filled(10))
    const before = await bucket.keys('again/.index')
    now += 5_000
    await other.store(key, filled(10), 'text/plain', { metadata: { tool: 'other' } })
    const info = await storage.stat(reference)
    expect(info).toMatchObject({ key, storedAt: now - 5_000, lastUsedAt: now, metadata: {} })
    const after = await bucket.keys('again/.index')
    expect([before.length, after.length]).toEqual([1, 1])
    expect(after).not.toEqual(before)
    expect(await storage.clear()).toBe(1)
    expect(await bucket.keys('again')).toEqual([])
    await Promise.all([storage.close(), other.close()])
  })

  test('contain readable content even without their sibling', async () => {
    const storage = open('lost')
    const reference = await storage.store('k'.repeat(3_000), filled(10), 'text/csv')
    const [sibling = ''] = await bucket.keys('lost/.index')
    await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key: sibling, Body: 'nothing' }))
    await expect(storage.retrieve(reference)).resolves.toEqual({ content: filled(10), contentType: 'text/csv' })
    await expect(storage.stat(reference)).resolves.toMatchObject({ key: '', size: 10, contentType: 'text/csv' })
    await storage.close()
  })

  test('get a lost description back if the entry is stored again', async () => {
    const key = 'k'.repeat(3_000)
    const metadata = { tool: 'read_log' }
    for (const isKnown of [true, false]) {
      const storage = open(`healed-${isKnown}`)
      const reference = await storage.store(key, filled(10), 'text/csv', { metadata })
      const [sibling = ''] = await bucket.keys(`healed-${isKnown}/.index`)
      await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: sibling }))
      const storing = isKnown ? storage : open(`healed-${isKnown}`)
      await storing.store(key, filled(10), 'text/csv', { metadata })
      await expect(storage.stat(reference)).resolves.toMatchObject({ key, metadata })
      await storage.close()
    }
  })

  test('without an entry are removed by gc after an hour', async () => {
    const storage = open('collected', () => Date.now() + 4_000_000)
    await storage.store('k'.repeat(3_000), filled(10))
    const [used = ''] = await bucket.keys('collected/.index')
    const orphans = [`${used.slice(0, -16)}0000000000000000`, 'collected/.index/a/call_1.f00d']
    for (const Key of orphans)
      await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: '12345' }))
    expect(await open('collected').gc()).toEqual({ expired: 0, leftovers: 0, bytes: 0 })
    expect(await storage.gc()).toEqual({ expired: 0, leftovers: 2, bytes: 10 })
    expect(await bucket.keys('collected/.index')).toEqual([used])
    await storage.close()
  })

  test('can still be read through an open entry after the entry was stored again in different parts', async () => {
    const content = filled(6 * MB)
    const storage = open('reopened')
    const reference = await storage.store('call_1', content)
    const reading = await open('reopened').open(reference)
    const Key = `reopened/${reference}`
    const { Metadata = {} } = await bucket.client.send(new HeadObjectCommand({ Bucket: bucket.name, Key }))
    // An object that was uploaded in parts has another entity tag than one that was put.
    const connection = new S3Connection(resolveOptions(bucket.options(), 'S3Storage').connection)
    const uploads = new S3Uploads(connection)
    const upload = await uploads.start(Key, { contentType: 'text/plain', metadata: Metadata })
    const parts = [await uploads.putPart(upload, 1, filled(5 * MB)), await uploads.putPart(upload, 2, filled(MB))]
    await uploads.complete(upload, parts, false)
    connection.close()
    expect(await reading.read(5 * MB, 4)).toEqual(filled(4))
    await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: filled(6 * MB) }))
    await expect(reading.read(3 * MB, 4)).rejects.toMatchObject({ code: 'not-found' })
    await reading.close()
    await storage.close()
  })

  test('of a stream in parts have its size and line index in a sibling', async () => {
    const storage = open('parts')
    const reference = await storage.storeStream('lines', stream(12, MB))
    expect((await storage.stat(reference)).size).toBe(12 * MB)
    expect(await bucket.keys('parts')).toHaveLength(2)
    await storage.delete(reference)
    expect(await bucket.keys('parts')).toEqual([])
    await storage.close()
  })

  test('are listed and cleared over all pages', async () => {
    const { connection, partBytes, conditionalPut } = resolveOptions(bucket.options(), 'S3Storage')
    const options = {
      connection: new S3Connection(connection),
      prefix: 'paged',
      partBytes,
      conditionalPut,
      pageSize: 3,
    }
    const storage = createStorage(s3Driver(options))
    const keys = Array.from({ length: 10 }, (_, index) => `${'k'.repeat(index % 2 === 0 ? 1 : 3_000)}_${index}`)
    for (const key of keys) await storage.scope('a').store(key, filled(3))
    const listed = await collect(storage.list())
    expect(listed.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    expect(await storage.clear()).toBe(10)
    expect(await bucket.keys('paged')).toEqual([])
    await storage.close()
  })

  test('are accessed by a given client, and locate describes it, and close leaves it open', async () => {
    const storage = new S3Storage(bucket.name, { client: bucket.client, prefix: "it's" })
    const reference = await storage.store('call_1', filled(10))
    const { endpoint } = bucket
    expect(storage.locate?.(reference)).toEqual({
      address: `s3://${bucket.name}/it's/${reference}`,
      command: String.raw`aws s3 cp 's3://${bucket.name}/it'\''s/${reference}' - --endpoint-url '${endpoint}'`,
    })
    await storage.close()
    await expect(storage.retrieve(reference)).resolves.toMatchObject({ content: filled(10) })
  })
})
