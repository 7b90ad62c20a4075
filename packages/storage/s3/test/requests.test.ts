import { httpFaults, sharedS3, type HttpFaults } from '@spillway-internal/services'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { S3Storage } from '../src/index.ts'
import { collect } from './support/samples.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const MB = 1024 * 1024
const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))

/** Text that gets a line index. The index of 3 MB fits into metadata, and the index of 60 MB does not. */
function lines(bytes: number): Uint8Array {
  const content = new Uint8Array(bytes).fill(0x61)
  for (let at = 99; at < bytes; at += 100) content[at] = 0x0a
  return content
}

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += MB) yield content.slice(at, at + MB)
}

describe.skipIf(!found.available)('the number of requests:', () => {
  let proxy: HttpFaults
  let storage: S3Storage
  beforeAll(async () => {
    await bucket.create()
    proxy = await httpFaults(bucket.endpoint)
    storage = new S3Storage(bucket.options(proxy.endpoint))
    // Requests that only the first use of a bucket needs are not counted.
    await storage.stat(await storage.store('first', lines(10)))
  })
  afterAll(async () => {
    await storage.close()
    await proxy.close()
    await bucket.remove()
  })
  beforeEach(() => proxy.reset())

  const requestsOf = async (run: () => Promise<unknown>): Promise<Record<string, number>> => {
    proxy.reset()
    await run()
    return Object.fromEntries(proxy.requests)
  }

  test('new content takes one request', async () => {
    expect(await requestsOf(() => storage.store('empty', lines(0)))).toEqual({ PUT: 1 })
    expect(await requestsOf(() => storage.store('small', lines(100_000)))).toEqual({ PUT: 1 })
    expect(await requestsOf(() => storage.store('large', lines(3 * MB)))).toEqual({ PUT: 1 })
  })

  test('a description too large for metadata takes one more request', async () => {
    expect(await requestsOf(() => storage.store('k'.repeat(3_000), lines(10)))).toEqual({ PUT: 2 })
    expect(await requestsOf(() => storage.store('indexed', lines(60 * MB)))).toEqual({ PUT: 2 })
  })

  test('storing again sends the content again, even if another process has stored the entry', async () => {
    await storage.store('again', lines(3 * MB))
    expect(await requestsOf(() => storage.store('again', lines(3 * MB)))).toEqual({ HEAD: 1, PUT: 1 })
    expect(proxy.bytesWritten).toBe(3 * MB)
    const other = new S3Storage(bucket.options(proxy.endpoint))
    expect(await requestsOf(() => other.store('again', lines(3 * MB)))).toEqual({ PUT: 2, HEAD: 1 })
    await other.close()
  })

  test('a check comes first if there are no conditional puts', async () => {
    const careful = new S3Storage({ ...bucket.options(proxy.endpoint), conditionalPut: false })
    await careful.stat(await careful.store('asked', lines(10)))
    expect(await requestsOf(() => careful.store('asked', lines(20)))).toEqual({ HEAD: 1, GET: 1, PUT: 1 })
    expect(await requestsOf(() => careful.store('asked', lines(20)))).toEqual({ HEAD: 1, PUT: 1 })
    await careful.close()
  })

  test('a stream takes one request if it fits into one part, otherwise one per part and five more', async () => {
    expect(await requestsOf(() => storage.storeStream('short', pieces(lines(500_000))))).toEqual({ PUT: 1 })
    expect(await requestsOf(() => storage.storeStream('long', pieces(lines(20 * MB))))).toEqual({
      HEAD: 1,
      GET: 1,
      'POST ?uploads': 1,
      'PUT ?partNumber&uploadId': 3,
      PUT: 1,
      'POST ?uploadId': 1,
    })
  })

  test('retrieving, a range and a description take one request each, and reading continues from there', async () => {
    const content = lines(3 * MB)
    const reference = await storage.store('read', content)
    expect(await requestsOf(() => storage.retrieve(reference))).toEqual({ GET: 1 })
    expect(await requestsOf(() => storage.retrieveRange(reference, { offset: 2 * MB, length: 65_536 }))).toEqual({
      GET: 1,
    })
    expect(proxy.bytesRead).toBe(65_536)
    expect(await requestsOf(() => storage.stat(reference))).toEqual({ HEAD: 1 })
  })

  test('opening takes one request, with the start and the line index', async () => {
    const reference = await storage.store('opened', lines(2 * MB))
    expect(
      await requestsOf(async () => {
        const open = await storage.open(reference)
        await open.read(0, 1_000)
        expect((await open.lineIndex?.())?.lines).toBe(Math.floor((2 * MB) / 100) + 1)
        await open.close()
      }),
    ).toEqual({ GET: 1 })
  })

  test('deleting takes two requests, and listing one per entry and one per page', async () => {
    const scope = storage.scope('listed')
    const references = [await scope.store('one', lines(1)), await scope.store('two', lines(2))]
    expect(await requestsOf(() => collect(scope.list()))).toEqual({
      'GET ?list-type&max-keys&prefix': 1,
      HEAD: 2,
    })
    expect(await requestsOf(() => scope.delete(references[0] ?? ''))).toEqual({ HEAD: 1, DELETE: 1 })
  })

  test('a listing takes no request for entries that are known or in a child scope', async () => {
    const scope = storage.scope('known')
    const known = await scope.store('one', lines(1))
    const other = await scope.store('two', lines(2))
    await scope.scope('below').store('three', lines(3))
    const listed: string[] = []
    const requests = await requestsOf(async () => {
      for await (const { reference } of scope.list({ below: false, except: new Set([known]) })) listed.push(reference)
    })
    expect(listed).toEqual([other])
    // Another listing finds entries that are still written.
    expect(requests).toEqual({ 'GET ?list-type&max-keys&prefix': 2, HEAD: 1 })
  })

  test('a missing object takes two requests by HEAD and one by GET', async () => {
    const missing = 'call_9_9_abcdefghijklmnopqrst'
    const ignored = (run: Promise<unknown>): Promise<unknown> => Promise.allSettled([run])
    expect(await requestsOf(() => ignored(storage.stat(missing)))).toEqual({ HEAD: 1, GET: 1 })
    expect(await requestsOf(() => ignored(storage.delete(missing)))).toEqual({ HEAD: 1, GET: 1 })
    expect(await requestsOf(() => ignored(storage.retrieve(missing)))).toEqual({ GET: 1 })
  })

  test('an entry with a sibling takes 1 more request to describe, 2 requests and 1 deletion more to store again, and 1 deletion more to delete', async () => {
    const scope = storage.scope('second')
    const key = 'k'.repeat(3_000)
    const reference = await scope.store(key, lines(10))
    expect(await requestsOf(() => scope.stat(reference))).toEqual({ HEAD: 1, GET: 1 })
    expect(await requestsOf(() => scope.retrieve(reference))).toEqual({ GET: 2 })
    expect(await requestsOf(() => scope.store(key, lines(10)))).toEqual({ HEAD: 1, GET: 1, PUT: 2, DELETE: 1 })
    expect(await requestsOf(() => collect(scope.list()))).toEqual({
      'GET ?list-type&max-keys&prefix': 1,
      HEAD: 1,
      GET: 1,
    })
    expect(await requestsOf(() => scope.delete(reference))).toEqual({ HEAD: 1, DELETE: 2 })
    await scope.store(key, lines(10))
    expect(await requestsOf(() => scope.clear())).toEqual({
      'GET ?list-type&max-keys&prefix': 3,
      HEAD: 1,
      'POST ?delete': 2,
    })
  })

  test('clearing takes no request per entry', async () => {
    const scope = storage.scope('cleared')
    for (let index = 0; index < 5; index += 1) await scope.store(`call_${index}`, lines(index))
    expect(await requestsOf(() => scope.clear())).toEqual({ 'GET ?list-type&max-keys&prefix': 2, 'POST ?delete': 1 })
  })
})
