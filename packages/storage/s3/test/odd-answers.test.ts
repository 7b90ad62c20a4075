import { PutObjectCommand } from '@aws-sdk/client-s3'
import { sharedS3 } from '@spillway-internal/services'
import type { NewEntryInfo, StorageDriver } from '@spillway/core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { S3Storage, type S3StorageOptions } from '../src/index.ts'
import { S3Connection } from '../src/s3-connection.ts'
import { s3Driver } from '../src/s3-storage.ts'
import { resolveOptions } from '../src/s3-storage-options.ts'
import { failure, oddServer, type Answer, type OddServer } from './support/odd-server.ts'
import { collect, filled, rejection, stream } from './support/samples.ts'
import { clientOf, serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const MB = 1024 * 1024
/** A key that is too long for the metadata of an object. */
const LONG_KEY = 'k'.repeat(3_000)
const INGRESS_404 = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><h1>404</h1></html>' }
const INFO: NewEntryInfo = { key: 'call', contentType: 'text/plain', storedAt: 1, lastUsedAt: 1, metadata: {} }
const found = await sharedS3()
const service = serviceOrNowhere(found)
const bucket = testBucket(service)

describe.skipIf(!found.available)('with odd answers of a server,', () => {
  let server: OddServer
  const storages: S3Storage[] = []
  const open = (options: S3StorageOptions = {}): S3Storage => {
    const storage = new S3Storage(bucket.name, { ...bucket.options(server.endpoint), maxAttempts: 1, ...options })
    storages.push(storage)
    return storage
  }
  /** Only a driver can store a stream again, because a storage creates a new reference for each stream. */
  const driverOf = (
    prefix: string,
  ): { readonly driver: Required<StorageDriver>; readonly connection: S3Connection } => {
    const { partBytes, conditionalPut, ...resolved } = resolveOptions(
      { ...bucket.options(server.endpoint), maxAttempts: 1 },
      'S3Storage',
    )
    const connection = new S3Connection(resolved.connection)
    return {
      driver: s3Driver({ connection, prefix, partBytes, conditionalPut }) as Required<StorageDriver>,
      connection,
    }
  }
  beforeAll(async () => {
    await bucket.create()
    server = await oddServer(service.endpoint)
  })
  afterEach(async () => {
    server.answer()
    for (const storage of storages.splice(0)) await storage.close()
  })
  afterAll(async () => {
    await server.close()
    await bucket.remove()
  })

  test('a 404 from a proxy without its server is an outage in every operation, not a missing entry', async () => {
    const storage = open({ prefix: 'ingress' })
    const reference = await storage.store('call', filled(10))
    server.answer(async () => INGRESS_404)
    const operations = [
      () => storage.stat(reference),
      () => storage.retrieve(reference),
      () => storage.open(reference),
      () => storage.delete(reference),
      () => storage.store('call', filled(10)),
      () => storage.storeStream('stream', stream(12, MB)),
      () => collect(storage.list()),
      () => storage.clear(),
      () => storage.gc(),
    ]
    for (const run of operations) {
      const error = await rejection(run())
      expect(error).toMatchObject({ code: 'unavailable', retryable: true })
      expect(error.message).toContain('"endpoint"')
    }
    server.answer()
    await storage.delete(reference)
    await expect(storage.stat(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('gc keeps the objects of an entry while a proxy answers 404', async () => {
    const storage = open({ prefix: 'kept', now: () => Date.now() + 4_000_000 })
    const reference = await storage.store(LONG_KEY, filled(10))
    server.answer(async (request, ask) => (request.url?.includes('?list-type') ? ask() : INGRESS_404))
    await expect(storage.gc()).rejects.toMatchObject({ code: 'unavailable' })
    server.answer()
    await expect(storage.stat(reference)).resolves.toMatchObject({ key: LONG_KEY })
  })

  test('GET describes an object if HEAD is refused, even an empty object', async () => {
    const storage = open({ prefix: 'head' })
    const references = [await storage.store('empty', filled(0)), await storage.store('full', filled(10))]
    server.answer(async (request, ask) => (request.method === 'HEAD' ? { status: 403 } : ask()))
    for (const [index, size] of [0, 10].entries())
      await expect(storage.stat(references[index] ?? '')).resolves.toMatchObject({ size })
  })

  test('content without an announced length is read whole', async () => {
    const storage = open({ prefix: 'unannounced' })
    const small = await storage.store('small', filled(1_000))
    const large = await storage.storeStream('large', stream(12, MB))
    // Without the sibling, only the server knows the size.
    for (const Key of await bucket.keys('unannounced/.index'))
      await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: 'nothing' }))
    server.answer(async (_, ask) => {
      const { headers, ...answer } = await ask()
      const { 'content-length': __, ...others } = headers ?? {}
      return { ...answer, headers: others }
    })
    const { content } = await storage.retrieve(large)
    expect(content.length).toBe(12 * MB)
    expect(content.subarray(-2)).toEqual(filled(2, 11))
    expect((await storage.retrieve(small)).content).toEqual(filled(1_000))
    expect((await storage.retrieveRange(small, { offset: 990, length: 100 })).content).toEqual(filled(10))
    expect((await storage.stat(large)).size).toBe(12 * MB)
    const opened = await storage.open(large)
    expect(await opened.read(11 * MB, 4)).toEqual(filled(4, 11))
    await opened.close()
  })

  test('content that is cut is requested again as often as configured', async () => {
    const content = filled(MB)
    const storage = open({ prefix: 'cut', maxAttempts: 3 })
    const reference = await storage.store('call', content)
    let cuts = 2
    let asked = 0
    server.answer(async (_, ask) => {
      const answer = await ask()
      asked += 1
      cuts -= 1
      return cuts < 0 ? answer : { ...answer, cutAt: 300_000 }
    })
    expect((await storage.retrieve(reference)).content).toEqual(content)
    expect(asked).toBe(3)
    cuts = Infinity
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    expect(asked).toBe(6)
  })

  test('a given client determines the number of attempts', async () => {
    const patient = clientOf({ ...service, endpoint: server.endpoint }, 2)
    const storage = new S3Storage(bucket.name, { client: patient, prefix: 'given' })
    storages.push(storage)
    const reference = await storage.store('call', filled(MB))
    let asked = 0
    server.answer(async (_, ask) => {
      asked += 1
      return { ...(await ask()), cutAt: 300_000 }
    })
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked).toBe(2)
    patient.destroy()
  })

  test('requests wait if there are more requests than sockets, even with a slow server', async () => {
    const storage = open({ requestTimeoutMs: 3_000 })
    server.answer(async () => {
      await new Promise((resolve) => setTimeout(resolve, 400))
      return failure(404, 'NoSuchKey')
    })
    const misses = Array.from({ length: 600 }, () => rejection(storage.retrieve('call_9_9_abcdefghijklmnopqrst')))
    const codes = (await Promise.all(misses)).map(({ code }) => code)
    expect(new Set(codes)).toEqual(new Set(['not-found']))
  })

  test('a listing that is cut without a continuation is an error', async () => {
    const storage = open({ prefix: 'listed' })
    await storage.store('call', filled(10))
    server.answer(async (request, ask) => {
      const answer = await ask()
      if (!request.url?.includes('list-type') && !request.url?.includes('uploads')) return answer
      const body = String(answer.body).replace('<IsTruncated>false', '<IsTruncated>true')
      return { status: 200, headers: { 'content-type': 'application/xml' }, body }
    })
    for (const run of [() => collect(storage.list()), () => storage.clear(), () => storage.gc()])
      await expect(run()).rejects.toMatchObject({ code: 'unavailable', retryable: false })
  })

  test('storing again succeeds even if the replaced sibling object cannot be deleted', async () => {
    const { driver, connection } = driverOf('undeletable')
    const stores = [
      { key: LONG_KEY, chunks: 1 },
      { key: 'parts', chunks: 12 },
    ]
    for (const [index, { key, chunks }] of stores.entries()) {
      const id = `call_${index}`
      const store = (): Promise<unknown> => driver.write(id, stream(chunks, MB), { ...INFO, key })
      await store()
      server.answer(async (request, ask) => (request.method === 'DELETE' ? failure(403, 'AccessDenied') : ask()))
      await expect(store()).resolves.toMatchObject({ created: false })
      server.answer()
      await expect(driver.stat(id)).resolves.toMatchObject({ key, size: chunks * MB })
    }
    connection.close()
  })

  test.each([
    [503, 'SlowDown'],
    [404, 'NoSuchUpload'],
  ])('an upload that is completed with the answer %i %s keeps its description', async (status, code) => {
    const storage = open({ prefix: `late-${status}` })
    let isDown = false
    server.answer(async (request, ask) => {
      // Deletions still succeed, so a wrong deletion would be visible.
      if (isDown && request.method !== 'DELETE') return failure(503, 'SlowDown')
      if (request.method !== 'POST' || !request.url?.includes('uploadId')) return ask()
      await ask()
      isDown = true
      return failure(status, code)
    })
    await expect(storage.storeStream(LONG_KEY, stream(12, MB))).rejects.toMatchObject({ code: 'unavailable' })
    server.answer()
    const [entry] = await collect(storage.list())
    expect(entry).toMatchObject({ key: LONG_KEY, size: 12 * MB })
  })

  test('a refused store leaves no key and no metadata', async () => {
    const storage = open({ prefix: 'refused' })
    server.answer(async (request, ask) => {
      const isOfEntry =
        !request.url?.includes('.index') && (request.method === 'PUT' || request.url?.includes('uploadId'))
      return isOfEntry ? failure(403, 'AccessDenied') : ask()
    })
    await expect(storage.store(LONG_KEY, filled(10))).rejects.toMatchObject({ code: 'unavailable', retryable: false })
    server.answer(async (request, ask) =>
      request.method === 'POST' && request.url?.includes('uploadId') ? failure(403, 'AccessDenied') : ask(),
    )
    await expect(storage.storeStream('stream', stream(12, MB))).rejects.toMatchObject({ retryable: false })
    expect(await bucket.keys('refused')).toEqual([])
  })

  test.each<[string, () => Promise<Answer>]>([
    ['is lost', () => Promise.reject(new Error('The connection broke.'))],
    ['comes while S3 changes the upload', async () => failure(409, 'ConcurrentModification')],
    ['leaves a part that was being sent', async () => ({ status: 204 })],
  ])('a failed upload whose abort %s is aborted again', async (what, abort) => {
    const prefix = `aborted/${what.replaceAll(' ', '-')}`
    const storage = open({ prefix, maxAttempts: 1 })
    let aborts = 0
    server.answer(async (request, ask) => {
      if (request.method === 'DELETE' && request.url?.includes('uploadId')) return (aborts += 1) === 1 ? abort() : ask()
      return request.url?.includes('partNumber=2') ? failure(503, 'SlowDown') : ask()
    })
    await expect(storage.storeStream('stream', stream(20, MB))).rejects.toMatchObject({ code: 'unavailable' })
    expect(aborts).toBe(2)
    expect(await bucket.keys(prefix)).toEqual([])
  })

  test('an entry that another process stored with less metadata has no sibling after it is stored again', async () => {
    const [first, second] = [open({ prefix: 'less' }), open({ prefix: 'less' })]
    const reference = await first.store('call', filled(10))
    const metadata = { note: 'n'.repeat(2_000) }
    await expect(second.store('call', filled(10), 'text/plain', { metadata })).resolves.toBe(reference)
    expect(await bucket.keys('less')).toEqual([`less/${reference}`])
  })

  test('clearing removes uploads that failed writers left an hour ago, but keeps uploads of running writers', async () => {
    const storage = open({ prefix: 'orphans' })
    await storage.store(LONG_KEY, filled(10))
    const orphans = ['orphans/.index/call_1.0000', 'orphans/.index/call_2.0000']
    for (const Key of orphans)
      await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: 'a key, and metadata' }))
    server.answer(async (request, ask) => {
      const answer = await ask()
      if (!request.url?.includes('list-type')) return answer
      const old = '$1<LastModified>2020-01-01T00:00:00.000Z<'
      const body = String(answer.body).replace(/(call_1\.0000<\/Key>)<LastModified>[^<]*</, old)
      return { status: answer.status, headers: { 'content-type': 'application/xml' }, body }
    })
    expect(await storage.clear()).toBe(1)
    expect(await bucket.keys('orphans')).toEqual(['orphans/.index/call_2.0000'])
  })

  test('a stream is told to stop if its store fails before the first part', async () => {
    const { driver, connection } = driverOf('ended')
    for (const method of ['HEAD', 'POST']) {
      server.answer(async (request, ask) => (request.method === method ? failure(503, 'SlowDown') : ask()))
      let hasEnded = false
      const chunks = (async function* () {
        try {
          for (;;) yield filled(MB)
        } finally {
          hasEnded = true
        }
      })()
      const error = await rejection(driver.write('call_1', chunks, INFO))
      expect([error.code, hasEnded]).toEqual(['unavailable', true])
    }
    connection.close()
  })
})
