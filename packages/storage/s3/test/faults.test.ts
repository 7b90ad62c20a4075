import {
  faultProxy,
  httpFaults,
  sharedS3,
  startS3Gateway,
  type FaultProxy,
  type HttpFaults,
} from '@spillway-internal/services'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { S3Storage, type S3StorageOptions } from '../src/index.ts'
import { collect, filled, rejection, stream } from './support/samples.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const MB = 1024 * 1024
const found = await sharedS3()
const service = serviceOrNowhere(found)
const bucket = testBucket(service)
const unavailable = { code: 'unavailable', retryable: true }

describe.skipIf(!found.available)('if a server fails,', () => {
  let proxy: FaultProxy
  let faults: HttpFaults
  const storages: S3Storage[] = []
  const open = (options: S3StorageOptions, endpoint?: string): S3Storage => {
    const storage = new S3Storage(bucket.name, { ...bucket.options(endpoint), ...options })
    storages.push(storage)
    return storage
  }
  const throughProxy = (options: S3StorageOptions = {}): S3Storage =>
    open({ maxAttempts: 1, ...options }, `http://${proxy.host}:${proxy.port}`)

  beforeAll(async () => {
    await bucket.create()
    const { hostname, port } = new URL(service.endpoint)
    proxy = await faultProxy({ host: hostname, port: Number(port) })
    faults = await httpFaults(service.endpoint)
  })
  afterEach(async () => {
    await proxy.restore()
    faults.reset()
    for (const storage of storages.splice(0)) await storage.close()
  })
  afterAll(async () => {
    await proxy.close()
    await faults.close()
    await bucket.remove()
  })

  test('a connection that is cut while receiving content is an outage, and the same instance continues', async () => {
    const storage = throughProxy()
    const reference = await storage.store('download', filled(4 * MB))
    proxy.cutAfter(2 * MB)
    await expect(storage.retrieve(reference)).rejects.toMatchObject(unavailable)
    expect((await storage.retrieve(reference)).content).toEqual(filled(4 * MB))
  })

  test('content is stored whole or not at all if the connection is cut while sending it', async () => {
    const storage = throughProxy({ prefix: 'cut' })
    proxy.cutAfter(2 * MB)
    await expect(storage.store('upload', filled(4 * MB))).rejects.toMatchObject(unavailable)
    expect(await collect(storage.list())).toEqual([])
    const reference = await storage.store('upload', filled(4 * MB))
    expect((await storage.retrieve(reference)).content).toEqual(filled(4 * MB))
  })

  test('a connection that is cut is retried as often as configured', async () => {
    const storage = throughProxy({ maxAttempts: 3 })
    const reference = await storage.store('first', filled(10))
    proxy.cutAfter(1_000)
    await expect(storage.store('again', filled(500_000))).resolves.toMatch(/^again_/)
    await expect(storage.retrieve(reference)).resolves.toMatchObject({ content: filled(10) })
  })

  test('a stream whose connection is cut leaves no parts in the bucket', async () => {
    const storage = throughProxy({ prefix: 'stream', partBytes: 5 * MB })
    // Idle connections are cut with it, which shows only when the abort is sent over one of them.
    await Promise.all(Array.from({ length: 20 }, () => collect(storage.list())))
    proxy.cutAfter(12 * MB)
    await expect(storage.storeStream('upload', stream(20, MB))).rejects.toMatchObject(unavailable)
    expect(await bucket.keys('stream')).toEqual([])
    const reference = await storage.storeStream('upload', stream(20, MB))
    expect((await storage.stat(reference)).size).toBe(20 * MB)
  })

  test('a silent server times out in every operation', async () => {
    const patient = throughProxy()
    const reference = await patient.store('silent', filled(2 * MB))
    const storage = throughProxy({ requestTimeoutMs: 300 })
    proxy.stall()
    const operations = [
      storage.store('other', filled(10)),
      storage.store('large', filled(2 * MB)),
      storage.storeStream('stream', stream(12, MB)),
      storage.retrieve(reference),
      storage.stat(reference),
      storage.delete(reference),
      collect(storage.list()),
      storage.clear(),
      storage.gc(),
    ]
    for (const error of await Promise.all(operations.map(rejection))) {
      expect(error).toMatchObject(unavailable)
      expect(error.message).toContain('requestTimeoutMs')
    }
    await proxy.restore()
    await expect(patient.retrieve(reference)).resolves.toMatchObject({ content: filled(2 * MB) })
  })

  test('a server that stops during content times out', async () => {
    const content = filled(30 * MB)
    const plain = open({})
    const reference = await plain.store('stopping', content)
    const storage = throughProxy({ requestTimeoutMs: 500 })
    const outcome = rejection(storage.retrieve(reference))
    while (proxy.bytesRead < MB) await new Promise((resolve) => setImmediate(resolve))
    proxy.stall()
    expect(await outcome).toMatchObject(unavailable)
  })

  test.each([
    [503, 'SlowDown', 'asks for fewer requests'],
    [503, 'ServiceUnavailable', 'asks for fewer requests'],
    [429, 'TooManyRequests', 'asks for fewer requests'],
    [500, 'InternalError', '500 InternalError'],
  ])('%i %s is reported as an outage if it lasts longer than the attempts', async (status, code, words) => {
    const storage = open({ maxAttempts: 2 }, faults.endpoint)
    const reference = await storage.store('busy', filled(10))
    faults.failNext(Infinity, { status, code })
    for (const run of [
      () => storage.retrieve(reference),
      () => storage.store('new', filled(10)),
      () => storage.retrieve('call_9_9_abcdefghijklmnopqrst'),
    ]) {
      const error = await rejection(run())
      expect(error).toMatchObject(unavailable)
      expect(error.message).toContain(words)
      expect(error.message).toContain('As told.')
    }
    faults.failNext(1, { status, code })
    await expect(storage.retrieve(reference)).resolves.toMatchObject({ content: filled(10) })
    faults.failNext(1, { status, code })
    await expect(storage.storeStream('upload', stream(12, MB))).resolves.toMatch(/^upload_/)
  })

  test('a store has created its entry even if the answer is lost and the request is sent again', async () => {
    const storage = throughProxy({ maxAttempts: 2, prefix: 'lost' })
    const receipts: boolean[] = []
    const store = (key: string): Promise<string> =>
      storage.store(key, filled(10), 'text/plain', { onStored: ({ created }) => receipts.push(created) })
    await store('one')
    const before = proxy.bytesWritten
    await store('two')
    // Cut after the bytes of the request: the server gets all of it, but its answer is lost.
    proxy.cutAfter(proxy.bytesWritten - before)
    const connections = proxy.connections
    const reference = await store('six')
    expect(proxy.connections).toBeGreaterThan(connections)
    await store('six')
    expect(receipts).toEqual([true, true, true, false])
    await expect(storage.stat(reference)).resolves.toMatchObject({ key: 'six', size: 10 })
  })

  test.each([
    [403, 'AccessDenied'],
    [501, 'NotImplemented'],
  ])('objects are deleted one by one if the bulk delete is answered with %i', async (status, code) => {
    const storage = open({ maxAttempts: 1 }, faults.endpoint).scope('singly')
    for (let index = 0; index < 5; index += 1) await storage.store(`call_${index}`, filled(10))
    faults.failNext(1, { status, code, operation: /delete/ })
    expect(await storage.clear()).toBe(5)
    expect(await collect(storage.list())).toEqual([])
  })

  test('a key that S3 does not delete is an error with the reason', async () => {
    const storage = open({}, faults.endpoint)
    await storage.scope('locked').store('one', filled(10))
    const body =
      '<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code><Message>Object is locked.</Message></Error></DeleteResult>'
    faults.failNext(1, { status: 200, body, operation: /delete/ })
    const error = await rejection(storage.scope('locked').clear())
    expect(error.message).toContain('did not delete 1 of 1 objects')
    expect(error.message).toContain('Object is locked.')
    expect(await storage.scope('locked').clear()).toBe(1)
  })

  test('a killed gateway is an outage until it is back', async ({ skip }) => {
    const gateway = await startS3Gateway()
    if (!gateway.available) return skip(gateway.why)
    try {
      const storage = open({ prefix: 'killed', maxAttempts: 2 }, gateway.endpoint)
      const reference = await storage.store('before', filled(3 * MB))
      const uploading = rejection(
        storage.storeStream(
          'during',
          (async function* () {
            yield* stream(10, MB)
            await gateway.kill()
            yield* stream(10, MB)
          })(),
        ),
      )
      expect(await uploading).toMatchObject(unavailable)
      await expect(storage.retrieve(reference)).rejects.toMatchObject(unavailable)
      await gateway.start()
      expect((await storage.retrieve(reference)).content).toEqual(filled(3 * MB))
      expect((await collect(storage.list())).map(({ key }) => key)).toEqual(['before'])
      const later = new S3Storage({
        ...bucket.options(gateway.endpoint),
        prefix: 'killed',
        now: () => Date.now() + 4_000_000,
      })
      expect(await later.gc()).toMatchObject({ leftovers: 1 })
      expect(await bucket.keys('killed')).toHaveLength(1)
      await later.close()
    } finally {
      await gateway.dispose()
    }
  })
})
