import { readFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LEFTOVER_AGE_MS } from '../src/sqlite-storage.ts'
import { BATCH_BYTES } from '../src/contents.ts'
import { collect } from './support/collect.ts'
import { countTurns } from './support/count-turns.ts'
import { inDatabase } from './support/in-database.ts'
import { opened } from './support/opened.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes, pattern } from './support/text.ts'

const SIZE = 5 * BATCH_BYTES + 12_345

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

const countRows = (path: string, table: string): number =>
  inDatabase(path, (database) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number)

describe('large content', () => {
  test('is written, read and removed in parts, and other operations run between them', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    await storage.store('small', bytes('content'))
    const content = pattern(SIZE)
    const references: string[] = []
    const working = vi.spyOn(performance, 'now')
    onTestFinished(() => working.mockRestore())
    // Each read of the clock adds 20 ms, so that the storage must yield after each part.
    let now = 0
    working.mockImplementation(() => (now += 20))
    expect(await countTurns(async () => references.push(await storage.store('large', content)))).toBeGreaterThanOrEqual(
      4,
    )
    const reading = async (): Promise<void> => {
      const { content: found } = await storage.retrieve(references[0] ?? '')
      expect(isEqual(found, content)).toBe(true)
    }
    expect(await countTurns(reading)).toBeGreaterThanOrEqual(4)
    expect(await countTurns(() => storage.delete(references[0] ?? ''))).toBeGreaterThanOrEqual(4)
    expect(countRows(path, 'spillway_chunk')).toBe(1)
    expect(countRows(path, 'spillway_loose')).toBe(0)
  })

  test('is not visible before its last byte, and its parts are never mixed with other content', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const content = pattern(SIZE)
    let seen = 0
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < SIZE; at += 1_000_000) {
        yield content.subarray(at, at + 1_000_000)
        seen += (await collect(storage.list())).length
      }
    }
    const reference = await storage.storeStream('large', chunks())
    expect(seen).toBe(0)
    expect(isEqual((await storage.retrieve(reference)).content, content)).toBe(true)
    for (const [offset, length] of [
      [0, 1],
      [131_071, 2],
      [SIZE - 1, 10],
      [BATCH_BYTES - 5, 3_000_000],
      [SIZE, 1],
    ] as const) {
      const range = await storage.retrieveRange(reference, { offset, length })
      expect(isEqual(range.content, content.subarray(offset, offset + length))).toBe(true)
    }
  })

  test('is not found if it is removed during a read, even if it was stored again', async () => {
    const storage = opened(await temporaryPath())
    const content = pattern(SIZE)
    const reference = await storage.store('large', content)
    const entry = await storage.open(reference)
    expect(isEqual(await entry.read(0, 10), content.subarray(0, 10))).toBe(true)
    await storage.delete(reference)
    await expect(entry.read(BATCH_BYTES * 3, 10)).rejects.toMatchObject({ code: 'not-found' })
    await storage.store('other', pattern(SIZE, 2))
    await storage.store('large', content)
    await expect(entry.read(BATCH_BYTES * 4, 10)).rejects.toMatchObject({ code: 'not-found' })
    await entry.close()
    const [reading] = await Promise.allSettled([storage.retrieve(reference), storage.delete(reference)])
    if (reading.status === 'fulfilled') expect(isEqual(reading.value.content, content)).toBe(true)
    else expect(reading.reason).toMatchObject({ code: 'not-found' })
  })

  test('is corrupt if a chunk is missing, and never returns other bytes', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const reference = await storage.store('large', pattern(1_000_000))
    inDatabase(path, (database) => database.exec('DELETE FROM spillway_chunk WHERE number & 1048575 = 3'))
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(storage.retrieveRange(reference, { offset: 400_000, length: 10 })).rejects.toMatchObject({
      code: 'corrupt',
    })
    const entry = await storage.open(reference)
    await expect(entry.read(400_000, 10)).rejects.toMatchObject({ code: 'corrupt' })
  })

  test('gets a new last use if it exists, and the second store leaves nothing behind', async () => {
    const path = await temporaryPath()
    const [first, second] = [opened(path), opened(path)]
    const content = pattern(SIZE)
    const created: boolean[] = []
    const onStored = (receipt: { created: boolean }): void => void created.push(receipt.created)
    await Promise.all([first, second].map((storage) => storage.store('large', content, 'text/plain', { onStored })))
    expect(created.map(Number).toSorted((a, b) => a - b)).toEqual([0, 1])
    expect(countRows(path, 'spillway_chunk')).toBe(Math.ceil(SIZE / 131_072))
    expect(countRows(path, 'spillway_loose')).toBe(0)
  })

  test('is read by ranges with little more than the requested bytes', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const reference = await storage.store('large', new Uint8Array(20 * BATCH_BYTES))
    await storage.close()
    const other = opened(path)
    await other.retrieveRange(reference, { offset: 0, length: 1 })
    const before = await bytesRead()
    await other.retrieveRange(reference, { offset: 30_000_000, length: 65_536 })
    expect((await bytesRead()) - before).toBeLessThan(512 * 1_024)
  })
})

/** The number of bytes that this process has read from files. */
async function bytesRead(): Promise<number> {
  const { rchar } = /rchar: (?<rchar>\d+)/.exec(await readFile('/proc/self/io', 'utf8'))?.groups ?? {}
  return Number(rchar)
}

describe('gc', () => {
  /** Stream content, and stop after its first batches until `resume` is called. */
  async function pausedStream(storage: ReturnType<typeof opened>) {
    const paused = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield pattern(3 * BATCH_BYTES)
      paused.resolve()
      await resumed.promise
      yield pattern(3 * BATCH_BYTES)
    }
    const storing = storage.storeStream('stream', chunks())
    await paused.promise
    return { storing, resume: resumed.resolve }
  }

  test('keeps the rows of a slow running writer', async () => {
    const path = await temporaryPath()
    const { storing, resume } = await pausedStream(opened(path))
    const now = Date.now() + LEFTOVER_AGE_MS - 60_000
    expect(await opened({ path, now: () => now }).gc()).toMatchObject({ leftovers: 0 })
    resume()
    const storage = opened(path)
    expect((await storage.stat(await storing)).size).toBe(6 * BATCH_BYTES)
  })

  test('keeps the rows of a writer whose stream pauses for long', async () => {
    const path = await temporaryPath()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const storage = opened(path)
    const { storing, resume } = await pausedStream(storage)
    await vi.advanceTimersByTimeAsync(3 * LEFTOVER_AGE_MS)
    expect(await storage.gc()).toMatchObject({ leftovers: 0 })
    resume()
    expect((await storage.stat(await storing)).size).toBe(6 * BATCH_BYTES)
  })

  test('makes a running writer fail if its clock is wrong, and never leaves an entry without content', async () => {
    const path = await temporaryPath()
    const { storing, resume } = await pausedStream(opened(path))
    const now = Date.now() + 2 * LEFTOVER_AGE_MS
    const storage = opened({ path, now: () => now })
    expect(await storage.gc()).toMatchObject({ leftovers: 1 })
    resume()
    await expect(storing).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    expect(await collect(storage.list())).toEqual([])
    expect(countRows(path, 'spillway_chunk') + countRows(path, 'spillway_loose')).toBe(0)
  })

  test('does not block the event loop while it reads many entries of a scope, and misses none', async () => {
    const path = await temporaryPath()
    const storage = opened({ path, ttlMs: 60_000 })
    const reference = await storage.scope('a').store('key', bytes('content'))
    // Of these entries, every hundredth has expired, and so has one sequence that is longer than a page.
    inDatabase(path, (database) =>
      database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50000)
        INSERT INTO spillway_entry
        SELECT printf('a/old_%020d', n), -n, 0, chunk_bytes,
          CASE WHEN n % 100 = 0 OR n BETWEEN 10000 AND 10600 THEN 1 ELSE last_used_at END, description
        FROM numbers, (SELECT * FROM spillway_entry WHERE id = 'a/${reference}')`),
    )
    const expired = 500 + 601 - 7
    const reading = vi.spyOn(performance, 'now')
    onTestFinished(() => reading.mockRestore())
    let time = 0
    reading.mockImplementation(() => (time += 20))
    const found = await collect(storage.scope('a').list())
    expect(found).toHaveLength(50_001 - expired)
    const report = await storage.scope('a').gc?.()
    expect(report).toMatchObject({ expired })
    // No entry has expired now, so all turns are between statements that search for expired entries.
    const turns = await countTurns(async () => storage.scope('a').gc?.())
    expect(turns).toBeGreaterThanOrEqual(13)
  })

  test('keeps entries of other scopes if it runs for one scope', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    await storage.store('key', bytes('content'))
    inDatabase(path, (database) => {
      const loose = database.prepare('INSERT INTO spillway_loose VALUES (?, ?, 0)')
      for (const [content, id] of [
        [1_000, 'a/x_1'],
        [1_001, 'a/b/x_1'],
        [1_002, 'ab/x_1'],
        [1_003, 'x_1'],
      ])
        loose.run(content, id)
    })
    expect(await storage.scope('a').gc?.()).toMatchObject({ leftovers: 2 })
    expect(await storage.gc()).toMatchObject({ leftovers: 2 })
  })
})

test.each([
  [
    'is stored by consecutive small calls',
    async (call: () => Promise<unknown>) => {
      for (let calls = 0; calls < 200; calls += 1) await call()
    },
  ],
  [
    'is stored by parallel small calls',
    async (call: () => Promise<unknown>) => Promise.all(Array.from({ length: 200 }, call)),
  ],
])('the event loop gets its turns if a page of entries %s', async (_, callOften) => {
  const storage = opened(await temporaryPath())
  const reference = await storage.store('small', bytes('content'))
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => clock.mockRestore())
  let now = 0
  clock.mockImplementation(() => (now += 1))
  const turns = await countTurns(() => callOften(() => storage.stat(reference)))
  expect(turns).toBeGreaterThanOrEqual(10)
})

test('content numbers are never reused, even after a rolled back transaction', async () => {
  const path = await temporaryPath()
  const [storage, other] = [opened(path), opened(path)]
  await storage.store('first', bytes('first'))
  inDatabase(path, (database) =>
    database.exec(`CREATE TRIGGER spillway_failing BEFORE INSERT ON spillway_entry WHEN NEW.id LIKE 'failing%'
      BEGIN SELECT RAISE(ROLLBACK, 'as the test wants it'); END`),
  )
  for (let round = 0; round < 5; round += 1) {
    await expect(storage.store(`failing ${round}`, bytes('x'))).rejects.toMatchObject({ code: 'unavailable' })
    for (const one of [other, storage, other]) await one.store(`${round}`, pattern(10, Math.random() * 2 ** 31))
  }
  const numbers = inDatabase(path, (database) =>
    database.prepare('SELECT content FROM spillway_entry').pluck().all(),
  ) as number[]
  expect(numbers).toHaveLength(16)
  expect(new Set(numbers).size).toBe(16)
  expect(countRows(path, 'spillway_chunk')).toBe(16)
})
