import { describe, expect, test } from 'vitest'
import { createStorage, type ManagedStorage, type StorageDriver } from '../src/index.ts'
import { compressed, encrypted } from '../src/wrappers/index.ts'
import { recordedDriver } from './recorded-driver.ts'

const key = new Uint8Array(32).fill(7)
const content = new TextEncoder().encode(
  Array.from({ length: 1_000 }, (_, line) => `${line} GET /health 200\n`).join(''),
)
const reading = { offset: 100, length: 10 }

/** A driver whose `write` detects an existing entry, and leaves the entry unchanged. */
function tellingDriver(driver: StorageDriver): StorageDriver {
  const { touch: _touch, ...others } = driver
  return {
    ...others,
    tellsCreated: true,
    async write(id, chunks, info, lineIndex) {
      const created = (await driver.write(id, chunks, info, lineIndex)) === true
      return { created, lastUsedAt: info.lastUsedAt }
    },
  }
}

describe.each([
  ['compressed', (storage: ManagedStorage) => compressed(storage)],
  ['encrypted', (storage: ManagedStorage) => encrypted(storage, { key })],
  ['compressed and encrypted', (storage: ManagedStorage) => compressed(encrypted(storage, { key }))],
])('%s', (_name, wrap) => {
  const make = (change: (driver: StorageDriver) => StorageDriver = (driver) => driver) => {
    const recorded = recordedDriver()
    const storage = wrap(createStorage(change(recorded.driver), { maxBytes: 2.5 * content.length }))
    const flip = (at: number): void => {
      const record = recorded.only()
      record.content = record.content.with(at, record.content.at(at)! ^ 1)
    }
    return { ...recorded, storage, flip }
  }

  test.each([
    ['as a whole', async (storage: ManagedStorage, reference: string) => storage.retrieve(reference)],
    ['in part', async (storage: ManagedStorage, reference: string) => storage.retrieveRange(reference, reading)],
    [
      'open',
      async (storage: ManagedStorage, reference: string) => {
        const entry = await storage.open(reference)
        try {
          return await entry.read(reading.offset, reading.length)
        } finally {
          await entry.close()
        }
      },
    ],
  ])('repairs an entry that was corrupt when read %s, if the entry is stored again', async (_way, read) => {
    for (const change of [undefined, tellingDriver]) {
      const { storage, flip, only, calls } = make(change)
      const reference = await storage.store('log', content)
      flip(only().content.length >> 1)
      await expect(read(storage, reference)).rejects.toMatchObject({ code: 'corrupt', reference })
      expect(await storage.store('log', content)).toBe(reference)
      expect((await storage.retrieve(reference)).content).toEqual(content)
      // The entry is not removed once more.
      calls.length = 0
      await storage.store('log', content)
      expect(calls).not.toContain('remove')
    }
  })

  test('counts a repaired entry once', async () => {
    const { storage, flip, only, disk } = make()
    const created: boolean[] = []
    const store = async (one: string): Promise<string> =>
      storage.store(one, content, 'text/plain', { onStored: (stored) => created.push(stored.created) })
    const first = await store('first')
    flip(only().content.length >> 1)
    await expect(storage.retrieve(first)).rejects.toMatchObject({ code: 'corrupt' })
    await store('first')
    await store('second')
    expect(created).toEqual([true, false, true])
    expect(disk.records.size).toBe(2)
  })

  test('keeps intact entries, and entries that were read completely since', async () => {
    const { storage, flip, only, calls } = make()
    const reference = await storage.store('log', content)
    const middle = only().content.length >> 1
    flip(middle)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
    flip(middle)
    expect((await storage.retrieve(reference)).content).toEqual(content)
    calls.length = 0
    expect(await storage.store('log', content)).toBe(reference)
    expect(calls).toEqual(['touch'])
  })
})
