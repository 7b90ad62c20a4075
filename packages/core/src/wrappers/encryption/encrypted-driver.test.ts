import { describe, expect, test } from 'vitest'
import { recordedDriver } from '../../../test/recorded-driver.ts'
import { SEGMENT_BYTES } from '../../../test/sealed-attacks.ts'
import { completeDriver } from '../../storage/managed-storage.ts'
import { onlyChunk } from '../../storage/storage-input.ts'
import type { OpenEntry, StorageDriver } from '../../storage/storage-driver.ts'
import { encryptedDriver } from './encrypted.ts'
import { KeyRing } from './key-ring.ts'
import { HEADER_BYTES } from './sealed-segments.ts'

const SECRET = new Uint8Array(32).fill(1)
const ID = 'scope/call_1'
const WHOLE = Uint8Array.from({ length: 400 }, (_, at) => at % 251)
/** Bytes cached by an open entry: the header and two segments. */
const FIRST_BYTES = HEADER_BYTES + 2 * (SEGMENT_BYTES + 16)

/**
 * An encrypted driver over a driver that opens entries like S3: the beginning is cached, the rest is read on demand.
 */
function openingFixture() {
  const recorded = recordedDriver()
  const open = { now: 0, reads: 0 }
  const inner: StorageDriver = {
    ...recorded.driver,
    async open(id): Promise<OpenEntry | undefined> {
      const record = recorded.disk.records.get(id)
      if (record === undefined) return undefined
      const first = record.content.subarray(0, FIRST_BYTES)
      open.now += 1
      return {
        info: record.info,
        async read({ offset, length }) {
          open.reads += 1
          await Promise.resolve()
          const content = offset + length <= first.length ? first : recorded.disk.records.get(id)?.content
          return content?.slice(offset, offset + length) ?? new Uint8Array(0)
        },
        close: async () => void (open.now -= 1),
      }
    },
  }
  const driver = encryptedDriver(completeDriver(inner), ring())
  /** Store the content again with the existing description. */
  const storeAgain = async (): Promise<void> => {
    const other = recordedDriver()
    await write(encryptedDriver(completeDriver(other.driver), ring()))
    recorded.only().content = other.only().content
  }
  return { ...recorded, driver, inner, open, storeAgain }
}

const ring = (): KeyRing =>
  new KeyRing({ current: { secret: SECRET }, previous: [], nameSecret: SECRET, segmentBytes: SEGMENT_BYTES })

const write = async (driver: StorageDriver): Promise<unknown> =>
  driver.write(ID, onlyChunk(WHOLE), {
    key: 'call',
    contentType: 'text/plain',
    storedAt: 1,
    lastUsedAt: 1,
    metadata: {},
  })

const OFFSETS = [0, 20, 50, 100, 200, 300, 399]

const readAll = (entry: OpenEntry | undefined): Promise<readonly Uint8Array[]> =>
  Promise.all(OFFSETS.map(async (offset) => entry!.read({ offset, length: 10 })))

const EXPECTED = OFFSETS.map((offset) => WHOLE.subarray(offset, offset + 10))

describe('an open encrypted entry', () => {
  test('can be read at many positions in parallel even if its description is from another writer', async () => {
    const { driver, storeAgain } = openingFixture()
    await write(driver)
    await storeAgain()
    expect(await readAll(await driver.open?.(ID))).toEqual(EXPECTED)
  })

  test('can be read after its content was stored again, any number of times', async () => {
    const { driver, storeAgain, open } = openingFixture()
    await write(driver)
    const entry = await driver.open?.(ID)
    for (let time = 0; time < 10; time += 1) {
      expect(await readAll(entry)).toEqual(EXPECTED)
      const reading = readAll(entry)
      await storeAgain()
      expect(await reading).toEqual(EXPECTED)
      expect(await entry?.read({ offset: 200, length: 10 })).toEqual(WHOLE.subarray(200, 210))
    }
    expect(open.now).toBe(1)
    await entry?.close()
    expect(open.now).toBe(0)
  })

  test('detects a wrong description only once', async () => {
    const { driver, storeAgain, open } = openingFixture()
    await write(driver)
    await storeAgain()
    const entry = await driver.open?.(ID)
    await entry?.read({ offset: 100, length: 10 })
    open.reads = 0
    for (const offset of OFFSETS) await entry?.read({ offset, length: 10 })
    expect(open.reads).toBe(OFFSETS.length)
  })

  test('is corrupt only at its damaged positions, and leaves no inner entry open', async () => {
    const { driver, only, open } = openingFixture()
    await write(driver)
    const damaged = HEADER_BYTES + 10 * (SEGMENT_BYTES + 16)
    only().content = only().content.with(damaged, only().content[damaged]! ^ 1)
    const entry = await driver.open?.(ID)
    for (let time = 0; time < 5; time += 1) {
      const found = await Promise.allSettled([160, 165, 300].map(async (offset) => entry?.read({ offset, length: 4 })))
      expect(found[0]).toMatchObject({ status: 'rejected', reason: { code: 'corrupt' } })
      expect(found[1]).toMatchObject({ status: 'rejected', reason: { code: 'corrupt' } })
      expect(found[2]).toMatchObject({ status: 'fulfilled', value: WHOLE.subarray(300, 304) })
    }
    await entry?.close()
    expect(open.now).toBe(0)
  })
})

describe('a range of an encrypted entry', () => {
  test('takes one read, except the first range of an entry described by another writer', async () => {
    const { driver, calls, storeAgain } = openingFixture()
    await write(driver)
    await storeAgain()
    const reads: number[] = []
    for (const offset of OFFSETS) {
      calls.length = 0
      expect((await driver.read(ID, { offset, length: 1 }))?.content).toEqual(WHOLE.subarray(offset, offset + 1))
      reads.push(calls.length)
    }
    expect(reads).toEqual([3, ...OFFSETS.slice(1).map(() => 1)])
  })

  test('can be read while the content is stored again', async () => {
    const { driver, inner, storeAgain } = openingFixture()
    await write(driver)
    await storeAgain()
    let reads = 0
    const driverOfRewrites = encryptedDriver(
      completeDriver({
        ...inner,
        async read(id, range) {
          const found = await inner.read(id, range)
          // Store again once after the range was read, and once after the header, which then does not match either.
          if ((reads += 1) <= 2) await storeAgain()
          return found
        },
      }),
      ring(),
    )
    const found = await driverOfRewrites.read(ID, { offset: 100, length: 10 })
    expect(found?.content).toEqual(WHOLE.subarray(100, 110))
  })
})
