import { afterEach, describe, expect, test, vi } from 'vitest'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { readStoredLines } from '../files/read-line-page.ts'
import { contentCache, DEFAULT_CONTENT_CACHE_BYTES, setContentCacheBytes } from './content-cache.ts'
import { createStorage, type ManagedStorage } from './managed-storage.ts'
import type { ManagedStorageOptions } from './storage.ts'
import type { ByteRange, EntryId, OpenEntry } from '../index.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** A driver that can open entries, and records its calls. */
class NotingDriver extends TinyDriver {
  override readonly refreshMs = MINUTE_MS
  readonly asked: string[] = []

  override async touch(id: EntryId, lastUsedAt: number): Promise<number | undefined> {
    this.asked.push('touch')
    return super.touch(id, lastUsedAt)
  }

  override async stat(id: EntryId): ReturnType<TinyDriver['stat']> {
    this.asked.push('stat')
    return super.stat(id)
  }

  override async read(id: EntryId, range?: ByteRange): ReturnType<TinyDriver['read']> {
    this.asked.push(`read ${range?.offset}+${range?.length}`)
    return super.read(id, range)
  }
}

interface Fixture {
  readonly storage: ManagedStorage
  readonly disk: TinyDisk
  readonly driver: NotingDriver
  advance(milliseconds: number): void
  /** Open an entry, read it, close it, and return the calls of the driver. */
  question(reference: string): Promise<readonly string[]>
}

function fixture(options: ManagedStorageOptions = {}): Fixture {
  let time = Date.UTC(2026, 0, 1)
  const now = (): number => time
  const disk = new TinyDisk(now)
  const driver = new NotingDriver(disk)
  const storage = createStorage(driver, { ...options, now })
  return {
    storage,
    disk,
    driver,
    advance: (milliseconds) => void (time += milliseconds),
    async question(reference) {
      driver.asked.length = 0
      const content = await storage.open(reference)
      await content.read(0, content.size)
      await content.close()
      return [...driver.asked]
    },
  }
}

afterEach(() => {
  setContentCacheBytes(0)
  setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES)
})

describe('opening content', () => {
  test('reads from the cache the second time, and after a while checks once whether the entry exists', async () => {
    const { storage, advance, question } = fixture()
    const reference = await storage.store('log', new Uint8Array(100_000))
    expect(await question(reference)).toEqual(['read 0+65536', 'read 0+100000'])
    advance(MINUTE_MS - 1)
    expect(await question(reference)).toEqual([])
    advance(1)
    expect(await question(reference)).toEqual(['touch'])
    expect(await question(reference)).toEqual([])
  })

  test('notices after a while that another process removed an entry', async () => {
    const { storage, disk, advance, question } = fixture()
    const reference = await storage.store('log', bytes('content'))
    await question(reference)
    disk.records.clear()
    expect(await question(reference)).toEqual([])
    advance(MINUTE_MS)
    await expect(question(reference)).rejects.toMatchObject({ code: 'not-found' })
    expect(contentCache.bytes).toBe(0)
  })

  test('does not return content evicted by turns, age or quota', async () => {
    const turns = fixture({ evictAfterTurns: 1 })
    const byTurns = await turns.storage.store('a', bytes('content'))
    await turns.question(byTurns)
    for (let turn = 0; turn < 2; turn += 1) await turns.storage.endTurn()
    await expect(turns.question(byTurns)).rejects.toMatchObject({ code: 'evicted', eviction: { reason: 'turns' } })

    const age = fixture({ ttlMs: HOUR_MS })
    const byAge = await age.storage.store('a', bytes('content'))
    await age.question(byAge)
    age.advance(HOUR_MS)
    await expect(age.question(byAge)).rejects.toMatchObject({ code: 'evicted', eviction: { reason: 'age' } })

    const quota = fixture({ maxBytes: 10 })
    const byQuota = await quota.storage.store('a', bytes('content'))
    await quota.question(byQuota)
    quota.advance(1)
    await quota.storage.store('b', bytes('another'))
    await expect(quota.question(byQuota)).rejects.toMatchObject({ code: 'evicted', eviction: { reason: 'quota' } })
  })

  test('counts as use even if the backend is not called', async () => {
    const { storage, question } = fixture({ evictAfterTurns: 1 })
    const reference = await storage.store('a', bytes('content'))
    await question(reference)
    for (let turn = 0; turn < 5; turn += 1) {
      await storage.endTurn()
      expect(await question(reference)).toEqual([])
    }
  })

  test('serves cached content during an outage, but only for a limited time', async () => {
    const { storage, disk, advance, question } = fixture()
    const reference = await storage.store('a', bytes('content'))
    await question(reference)
    disk.isDown = true
    expect(await question(reference)).toEqual([])
    advance(MINUTE_MS)
    await expect(question(reference)).rejects.toMatchObject({ code: 'unavailable' })
    disk.isDown = false
    expect(await question(reference)).toEqual(['touch'])
  })

  test('writes nothing, and requests only the description from a storage without touch', async () => {
    const { storage, driver, advance, question } = fixture()
    const reference = await storage.store('a', bytes('content'))
    await question(reference)
    vi.spyOn(driver, 'touch').mockRejectedValue(new Error('EROFS'))
    advance(MINUTE_MS)
    expect(await question(reference)).toEqual(['stat'])
    expect(await question(reference)).toEqual([])
  })

  test('reads once for all parallel requests', async () => {
    const { storage, driver, question } = fixture()
    const reference = await storage.store('log', new Uint8Array(100_000))
    const all = await Promise.all(Array.from({ length: 10 }, () => storage.open(reference)))
    driver.asked.length = 0
    await Promise.all(all.map((content) => content.read(0, 100_000)))
    expect(driver.asked).toEqual(['read 0+100000'])
    await Promise.all(all.map((content) => content.close()))
    expect(await question(reference)).toEqual([])
  })

  test('reads only the first block and the blocks of the lines for a range of lines', async () => {
    const { storage, driver } = fixture()
    const line = 'x'.repeat(99) + '\n'
    const reference = await storage.store('log', bytes(line.repeat(400_000)))
    for (const start of [200_000, 200_100]) {
      setContentCacheBytes(0)
      setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES)
      driver.asked.length = 0
      const { text } = await readStoredLines(storage, reference, { start, end: start + 49 })
      expect(text.length).toBe(50 * 100 - 1)
      const block = Math.floor(((start - 1) * 100) / 65_536) * 65_536
      expect(new Set(driver.asked)).toEqual(new Set(['read 0+65536', `read ${block}+65536`]))
    }
  })

  test('caches nothing if the cache is switched off', async () => {
    setContentCacheBytes(0)
    const { storage, question } = fixture()
    const reference = await storage.store('log', new Uint8Array(100_000))
    for (let time = 0; time < 2; time += 1) expect(await question(reference)).toEqual(['read 0+65536', 'read 0+100000'])
  })

  test('returns a copy of the bytes, which the caller may keep', async () => {
    const { storage, question } = fixture()
    const reference = await storage.store('a', bytes('content'))
    await question(reference)
    for (let time = 0; time < 2; time += 1) {
      ;(await storage.retrieve(reference)).content.fill(0)
      ;(await storage.retrieveRange(reference, { offset: 0, length: 7 })).content.fill(0)
    }
    const content = await storage.open(reference)
    expect(await content.read(0, 7)).toEqual(bytes('content'))
  })

  test('rejects with corrupt if the content became shorter', async () => {
    setContentCacheBytes(0)
    const { storage, disk } = fixture()
    const reference = await storage.store('a', new Uint8Array(100_000))
    const content = await storage.open(reference)
    for (const record of disk.records.values()) record.content = record.content.slice(0, 70_000)
    await expect(content.read(60_000, 40_000)).rejects.toMatchObject({ code: 'corrupt' })
  })

  test('is aborted by its signal while a backend hangs, but only for this reader', async () => {
    const { storage, driver } = fixture()
    const reference = await storage.store('a', new Uint8Array(100_000))
    const controller = new AbortController()
    const [first, second] = [
      await storage.open(reference, { signal: controller.signal }),
      await storage.open(reference),
    ]
    const { promise, resolve } = Promise.withResolvers<void>()
    const read = driver.read.bind(driver)
    driver.read = async (id, range) => {
      await promise
      return read(id, range)
    }
    const aborted = first.read(0, 100_000)
    const other = second.read(0, 100_000)
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    await first.close()
    resolve()
    expect(await other).toHaveLength(100_000)
  })

  test('requests uncached parts again, and retries after an outage', async () => {
    const { storage, disk, driver } = fixture()
    const content = new Uint8Array(20_000_000).fill(97)
    const reference = await storage.store('large', content)
    const first = await storage.open(reference)
    await first.read(0, 10)
    await first.close()
    driver.asked.length = 0
    const second = await storage.open(reference)
    expect(await second.read(5, 10)).toEqual(content.subarray(5, 15))
    expect(driver.asked).toEqual([])
    disk.isDown = true
    await expect(second.read(10_000_000, 10)).rejects.toMatchObject({ code: 'unavailable' })
    disk.isDown = false
    expect(await second.read(10_000_000, 10)).toEqual(content.subarray(0, 10))
    disk.records.clear()
    const third = await storage.open(reference)
    await expect(third.read(15_000_000, 10)).rejects.toMatchObject({ code: 'not-found' })
    await Promise.all([second.close(), third.close()])
  })

  test('refuses reads after closing, and invalid ranges', async () => {
    const { storage } = fixture()
    const content = await storage.open(await storage.store('a', bytes('content')))
    await expect(content.read(-1, 5)).rejects.toThrow(TypeError)
    await content.close()
    await content.close()
    await expect(content.read(0, 5)).rejects.toThrow(TypeError)
  })
})

describe('an entry that a driver opens', () => {
  /** A driver whose handles are counted. */
  class HandleDriver extends TinyDriver {
    override readonly refreshMs = MINUTE_MS
    handles = 0

    async open(id: EntryId): Promise<OpenEntry | undefined> {
      await this.reach()
      const record = this.disk.records.get(id)
      if (record === undefined) return undefined
      this.handles += 1
      return {
        info: record.info,
        read: async ({ offset, length }) => {
          await this.reach()
          return record.content.slice(offset, offset + length)
        },
        close: async () => void (this.handles -= 1),
      }
    }
  }

  test('is closed exactly once, even after failures', async () => {
    const disk = new TinyDisk(Date.now)
    const driver = new HandleDriver(disk)
    const storage = createStorage(driver, { ttlMs: HOUR_MS })
    const reference = await storage.store('a', bytes('content'))
    const first = await storage.open(reference)
    const known = await storage.open(reference)
    expect(driver.handles).toBe(1)
    expect(await known.read(0, 7)).toEqual(bytes('content'))
    await Promise.all([first.close(), first.close(), known.close()])
    expect(driver.handles).toBe(0)

    disk.isDown = true
    setContentCacheBytes(0)
    setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES)
    await expect(storage.open(reference)).rejects.toMatchObject({ code: 'unavailable' })
    disk.isDown = false
    for (const record of disk.records.values()) record.info = { ...record.info, lastUsedAt: 0 }
    const evict = vi.spyOn(driver, 'evict').mockRejectedValueOnce(new Error('down'))
    await expect(storage.open(reference)).rejects.toMatchObject({ code: 'unavailable' })
    expect([evict.mock.calls.length, driver.handles]).toEqual([1, 0])
    await expect(storage.open(reference)).rejects.toMatchObject({ code: 'evicted' })
    expect(driver.handles).toBe(0)
  })
})

describe('the line index', () => {
  const log = bytes('a line of a log\n'.repeat(100_000))

  test('is stored with text over 1 MiB, built while storing, and hidden from users', async () => {
    const { storage, disk } = fixture()
    const references = [
      await storage.store('log', log),
      await storage.storeStream('log', new Blob([log as Uint8Array<ArrayBuffer>]).stream()),
      await storage.store('small', log.subarray(0, 1_048_576)),
      await storage.store('binary', new Uint8Array(2_000_000)),
    ]
    const kept = references.map((reference) => disk.records.get(reference)?.info.lineIndex)
    expect(kept[0]).toBeTypeOf('string')
    expect(kept.slice(1)).toEqual([kept[0], undefined, undefined])
    expect(await storage.stat(references[0]!)).not.toHaveProperty('lineIndex')
  })

  test('is read without reading the content, or built once for all callers', async () => {
    const { storage, disk, driver } = fixture()
    const reference = await storage.store('log', log)
    const kept = await storage.open(reference)
    driver.asked.length = 0
    expect((await kept.lineIndex?.())?.lines).toBe(100_000)
    expect(driver.asked).toEqual([])
    await kept.close()

    for (const record of disk.records.values()) {
      const { lineIndex: _, ...info } = record.info
      record.info = info
    }
    await storage.close()
    driver.asked.length = 0
    const [first, second] = [await storage.open(reference), await storage.open(reference)]
    const indexes = await Promise.all([first, second, second].map(async (content) => await content.lineIndex?.()))
    expect(indexes.map((index) => index?.lines)).toEqual([100_000, 100_000, 100_000])
    expect(driver.asked.filter((asked) => asked === `read 0+${log.length}`)).toHaveLength(1)
  })

  test('is built again for other callers if one caller gave up', async () => {
    const { storage, disk } = fixture()
    const reference = await storage.store('log', log)
    for (const record of disk.records.values()) record.info = { ...record.info, lineIndex: 'of nothing' }
    await storage.close()
    const controller = new AbortController()
    const [first, second] = [
      await storage.open(reference, { signal: controller.signal }),
      await storage.open(reference),
    ]
    const [given, index] = [first.lineIndex?.(), second.lineIndex?.()]
    controller.abort()
    await expect(given).rejects.toMatchObject({ code: 'aborted' })
    expect((await index)?.lines).toBe(100_000)
  })
})
