import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countTurns } from '@spillway-internal/test-inputs'
import * as web from '@spillway/text/internal/engines/web'
import { recordedDriver } from '../../../test/recorded-driver.ts'
import { sealedFixture, SEGMENT_BYTES } from '../../../test/sealed-attacks.ts'
import { tinyStorage } from '../../../test/tiny-storage.ts'
import { compressed } from '../compression/compressed.ts'
import { createStorage, type ManagedStorage } from '../../storage/managed-storage.ts'
import { StorageError, type Eviction } from '../../storage/storage-error.ts'
import type { StorageDriver } from '../../storage/storage-driver.ts'
import { KeyRing } from './key-ring.ts'
import { SealedNames } from './sealed-content.ts'
import { encrypted, type EncryptedOptions } from './encrypted.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const FIRST = new Uint8Array(32).fill(1)
const SECOND = new Uint8Array(32).fill(2)
const THIRD = new Uint8Array(32).fill(3)

async function* cut(whole: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < whole.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    yield whole.subarray(at, at + length)
    at += length
  }
}

async function listed(storage: ManagedStorage): Promise<string[]> {
  const references: string[] = []
  for await (const { reference } of storage.list()) references.push(reference)
  return references
}

describe('encrypted', () => {
  test('equals the plain storage, with any chunks and for any range', async () => {
    const near = fc
      .integer({ min: 0, max: 6 })
      .chain((segments) => fc.integer({ min: -1, max: 1 }).map((more) => Math.max(0, segments * SEGMENT_BYTES + more)))
    const content = fc
      .oneof(near, fc.nat(1_000))
      .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
    const range = fc.record({ offset: fc.oneof(near, fc.nat(1_100)), length: fc.oneof(near, fc.nat(1_100)) })
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
        fc.array(range),
        async (one, lengths, ranges) => {
          const { storage, driver } = sealedFixture()
          const fromWeb = sealedFixture(web, { ...recordedDriver(), driver }).storage
          const stored = await storage.store('whole', one)
          const streamed = await fromWeb.storeStream('streamed', cut(one, lengths))
          for (const reference of [stored, streamed])
            for (const reader of [storage, fromWeb]) {
              expect((await reader.retrieve(reference)).content).toEqual(one)
              for (const { offset, length } of ranges) {
                const found = await reader.retrieveRange(reference, { offset, length })
                expect(found.content).toEqual(one.subarray(offset, offset + length))
                expect(found.size).toBe(one.length)
              }
            }
          for await (const { size } of storage.list()) expect(size).toBe(one.length)
        },
      ),
      propertyRuns(16, 400),
    )
  })

  test('has segments of 64 KiB, and reads only the segments of a range', async () => {
    const { driver, only, bytesRead } = recordedDriver()
    const storage = encrypted(createStorage(driver), { key: FIRST })
    const whole = new Uint8Array(1_000_000).map((_, at) => at % 251)
    const reference = await storage.store('call', whole)
    expect(only().content).toHaveLength(64 + 1_000_000 + 16 * 16)
    const before = bytesRead()
    const found = await storage.retrieveRange(reference, { offset: 131_000, length: 100 })
    expect(found.content).toEqual(whole.subarray(131_000, 131_100))
    expect(bytesRead() - before).toBe(2 * (65_536 + 16))
  })

  test('detects each changed bit of the content and the description', async () => {
    const { storage, only } = sealedFixture()
    const reference = await storage.store('call_1', bytes('a text of three segments, about'), 'text/plain')
    const entry = only()
    const { content, info } = entry
    const isCorrupt = async (): Promise<boolean> =>
      storage.retrieve(reference).then(
        () => false,
        (error: unknown) => StorageError.isInstance(error) && error.code === 'corrupt',
      )
    for (let bit = 0; bit < content.length * 8; bit += 1) {
      entry.content = content.with(bit >> 3, content[bit >> 3]! ^ (1 << (bit & 7)))
      if (!(await isCorrupt())) expect.unreachable(`bit ${bit} of the content was changed`)
    }
    entry.content = content
    for (let at = 0; at < info.key.length; at += 1)
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        const changed = String.fromCharCode(info.key.charCodeAt(at) ^ bit)
        entry.info = { ...info, key: info.key.slice(0, at) + changed + info.key.slice(at + 1) }
        if (!(await isCorrupt())) expect.unreachable(`character ${at} of the description was changed`)
      }
    entry.info = info
    expect((await storage.retrieve(reference)).content).toEqual(bytes('a text of three segments, about'))
  })

  test('leaves nothing readable in the backend, even in tombstones', async () => {
    const { driver, disk } = recordedDriver()
    const lines = bytes('marker-of-content\n'.repeat(100_000))
    for (const wrap of [(storage: ManagedStorage) => storage, compressed]) {
      const storage = wrap(encrypted(createStorage(driver, { evictAfterTurns: 1 }), { key: FIRST }))
      const scope = storage.scope('marker-of-scope', 'marker-below')
      const options = { metadata: { 'marker-of-name': 'marker-of-value' } }
      await scope.store('marker-of-key', lines, 'text/x-marker-of-type', options)
      const evicted = await scope.store('marker-of-evicted', bytes('marker'), 'text/plain', options)
      await scope.endTurn()
      await scope.store('marker-of-key', lines, 'text/x-marker-of-type', options)
      await scope.endTurn()
      await expect(scope.retrieve(evicted)).rejects.toMatchObject({ eviction: { metadata: options.metadata } })
    }
    const kept = [...disk.records].flatMap(([id, { content, info }]) => [
      id,
      JSON.stringify(info),
      Buffer.from(content).toString('latin1'),
    ])
    kept.push(JSON.stringify([...disk.tombstones]))
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.join('\n')).not.toMatch(/marker/i)
    // The text is not readable in base64 either, the encoding of bytes in JSON.
    for (const shift of [0, 1, 2])
      expect(kept.join('\n')).not.toContain(
        Buffer.from(`${' '.repeat(shift)}marker-of`)
          .toString('base64')
          .slice(4, 10),
      )
  })

  test('encrypts equal names and contents to different bytes', async () => {
    const { driver, disk } = recordedDriver()
    const storage = encrypted(createStorage(driver), { key: FIRST })
    for (const scope of ['a', 'b']) await storage.scope(scope, 'same').store('same', bytes('same'))
    const [first, second] = [...disk.records]
    const segments = new Set([first, second].flatMap((record) => record![0].split('/')))
    expect(segments.size).toBe(6)
    for (const segment of segments) expect(segment).toMatch(/^[0-9a-f]{40}$/)
    expect(first![1].content.subarray(64)).not.toEqual(second![1].content.subarray(64))
    expect(await listed(storage.scope('a') as ManagedStorage)).toHaveLength(1)
  })

  test('reads an entry with the description of another writer', async () => {
    const { driver, only, disk } = recordedDriver()
    const storage = encrypted(createStorage(driver), { key: FIRST })
    const whole = bytes('0123456789'.repeat(20_000))
    const reference = await storage.store('call', whole)
    const { content } = only()
    await storage.clear()
    await storage.store('call', whole)
    const { id, info } = only()
    disk.records.set(id, { content, info })
    expect((await storage.retrieveRange(reference, { offset: 100_000, length: 10 })).content).toEqual(
      bytes('0123456789'),
    )
    expect((await storage.retrieve(reference)).content).toEqual(whole)
  })

  test('reports an eviction even if its metadata cannot be decrypted', async () => {
    const { driver, disk } = recordedDriver()
    const storage = encrypted(createStorage(driver, { evictAfterTurns: 1 }), { key: FIRST })
    const reference = await storage.store('call', bytes('content'), 'text/plain', { metadata: { tool: 'read_log' } })
    for (let turn = 0; turn < 2; turn += 1) await storage.endTurn()
    const again = encrypted(createStorage(driver), { keys: { current: SECOND, previous: [FIRST] }, nameKey: FIRST })
    await expect(again.retrieve(reference)).rejects.toMatchObject({
      code: 'evicted',
      eviction: { reason: 'turns', metadata: { tool: 'read_log' } },
    })
    const without = encrypted(createStorage(driver), { keys: { current: SECOND }, nameKey: FIRST })
    await expect(without.retrieve(reference)).rejects.toMatchObject({ code: 'evicted', eviction: { metadata: {} } })
    expect(disk.tombstones.size).toBe(1)
  })

  test('ignores the unencrypted parts of a tombstone', async () => {
    const { driver, disk } = recordedDriver()
    const storage = encrypted(createStorage(driver, { evictAfterTurns: 1 }), { key: FIRST })
    const reference = await storage.store('call', bytes('content'), 'text/plain', { metadata: { tool: 'read_log' } })
    for (let turn = 0; turn < 2; turn += 1) await storage.endTurn()
    const [[id, eviction]] = [...disk.tombstones] as [[string, Eviction]]
    disk.tombstones.set(id, { ...eviction, metadata: { tool: 'send_all_files' } })
    const error = await encrypted(createStorage(driver), { key: FIRST })
      .retrieve(reference)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'evicted', eviction: { reason: 'turns', metadata: {} } })
    expect(String(error)).not.toContain('send_all_files')
  })

  test('yields to the event loop while it encrypts and decrypts 34 MB', async () => {
    const storage = encrypted(createStorage(recordedDriver().driver), { key: FIRST })
    const whole = new Uint8Array(34_000_000)
    const stored = storage.store('large', whole, 'text/plain', { transfer: true })
    expect(await countTurns(() => stored)).toBeGreaterThanOrEqual(4)
    const reference = await stored
    expect(await countTurns(() => storage.retrieve(reference))).toBeGreaterThanOrEqual(4)
  })

  test('does not write an existing entry again', async () => {
    const { driver, calls } = recordedDriver()
    const storage = encrypted(createStorage(driver), { key: FIRST })
    const reference = await storage.store('call', bytes('content'))
    calls.length = 0
    expect(await storage.store('call', bytes('content'))).toBe(reference)
    expect(calls).toEqual(['touch'])
    expect(await tinyStorage().store('call', bytes('content'))).toBe(reference)
  })
})

describe('encryption keys', () => {
  const open = (driver: StorageDriver, options: EncryptedOptions): ManagedStorage =>
    encrypted(createStorage(driver), options)

  test('can be rotated: new content uses the new key, and earlier content can be read with its own key', async () => {
    const { driver, disk } = recordedDriver()
    const before = await open(driver, { key: FIRST }).scope('a').store('before', bytes('before'))
    const rotated = open(driver, { keys: { current: { id: '2026', key: SECOND }, previous: [FIRST] }, nameKey: FIRST })
    const after = await rotated.scope('a').store('after', bytes('after'))
    expect((await rotated.scope('a').retrieve(before)).content).toEqual(bytes('before'))
    expect((await rotated.scope('a').retrieve(after)).content).toEqual(bytes('after'))
    expect(await listed(rotated)).toHaveLength(2)
    const asked: string[] = []
    const previous = async (id: string): Promise<string | undefined> => {
      asked.push(id)
      return id === '2026' ? Buffer.from(SECOND).toString('base64') : Buffer.from(FIRST).toString('hex')
    }
    const again = open(driver, { keys: { current: THIRD, previous }, nameKey: FIRST })
    expect((await again.scope('a').retrieve(before)).content).toEqual(bytes('before'))
    expect((await again.scope('a').retrieve(after)).content).toEqual(bytes('after'))
    expect(asked).toContain('2026')
    expect(disk.records.size).toBe(2)
  })

  test('are requested once, and again if the request failed', async () => {
    const { driver } = recordedDriver()
    const before = open(driver, { key: { id: 'first', key: FIRST } })
    const references = [await before.store('a', bytes('a')), await before.store('b', bytes('b'))]
    const asked: string[] = []
    let answer: () => Uint8Array | undefined = () => {
      throw new Error('the key service is down')
    }
    const previous = async (id: string): Promise<Uint8Array | undefined> => {
      asked.push(id)
      return answer()
    }
    const storage = open(driver, { keys: { current: SECOND, previous }, nameKey: FIRST })
    const readAll = (): Promise<unknown> => Promise.all(references.map(async (one) => storage.retrieve(one)))
    await expect(readAll()).rejects.toMatchObject({ code: 'unavailable' })
    answer = () => undefined
    await expect(readAll()).rejects.toMatchObject({ code: 'corrupt' })
    answer = () => FIRST
    asked.length = 0
    await Promise.all([readAll(), readAll()])
    await readAll()
    for await (const { key } of storage.list()) expect(key).toMatch(/^[ab]$/)
    expect(asked).toEqual(['first'])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('down')
      },
      'unavailable',
    ],
    ['finds nothing', () => undefined, 'corrupt'],
  ])('are requested again if a function %s at once', async (_name, fail, code) => {
    const { driver } = recordedDriver()
    const reference = await open(driver, { key: { id: 'first', key: FIRST } }).store('a', bytes('a'))
    let previous: () => Uint8Array | undefined = fail
    const storage = open(driver, { keys: { current: SECOND, previous: () => previous() }, nameKey: FIRST })
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code })
    previous = () => FIRST
    expect((await storage.retrieve(reference)).content).toEqual(bytes('a'))
  })

  test('are listed in the error if one is missing', async () => {
    const { driver } = recordedDriver()
    const reference = await open(driver, { key: { id: 'first', key: FIRST } }).store('call', bytes('content'))
    const other = open(driver, { keys: { current: { id: 'second', key: SECOND } }, nameKey: FIRST })
    await expect(other.retrieve(reference)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('encrypted with the key "first", which is not configured (configured: second)'),
    })
    const wrong = open(driver, { key: { id: 'first', key: SECOND }, nameKey: FIRST })
    for (const answer of [wrong.retrieve(reference), wrong.stat(reference), wrong.open(reference)])
      await expect(answer).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringContaining('Either the key configured as "first" is a different key'),
      })
  })

  test('cause an error, not a missing entry, if the name key is different', async () => {
    const { driver } = recordedDriver()
    const reference = await open(driver, { key: FIRST }).scope('a').store('call', bytes('content'))
    const wrong = open(driver, { key: SECOND })
    for (const answer of [wrong.scope('a').retrieve(reference), wrong.stat(reference), wrong.open(reference)])
      await expect(answer).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringContaining('names in this storage were made with another name key'),
      })
    // After this, there are no entries with the other name key.
    await wrong.clear()
    await expect(wrong.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('are checked against stored names only once', async () => {
    const { driver, calls } = recordedDriver()
    const storage = open(driver, { key: FIRST })
    await storage.store('call', bytes('content'))
    for (let time = 0; time < 3; time += 1)
      await expect(storage.retrieve('nothing_abc')).rejects.toMatchObject({ code: 'not-found' })
    expect(calls.filter((name) => name === 'list')).toHaveLength(1)
  })

  test.each([
    ['no options', undefined, 'encrypted()'],
    ['no key', {}, 'either key, or keys'],
    ['both', { key: FIRST, keys: { current: SECOND }, nameKey: FIRST }, 'either key, or keys'],
    ['a rotation without a key for names', { keys: { current: SECOND, previous: [FIRST] } }, 'keys needs nameKey'],
    ['a short key', { key: new Uint8Array(16) }, 'key must be a key of 32 random bytes'],
    ['a pass phrase', { key: 'correct horse battery staple' }, 'openssl rand'],
    ['a number', { key: 7 }, 'got number'],
    ['a key without its id', { key: { key: FIRST } }, 'key.id'],
    ['a long id', { key: { id: 'x'.repeat(17), key: FIRST } }, 'key.id'],
    ['a wrong key for names', { key: FIRST, nameKey: 'no' }, 'nameKey'],
    ['a wrong earlier key', { keys: { current: FIRST, previous: ['no'] }, nameKey: FIRST }, 'keys.previous[0]'],
    ['no list', { keys: { current: FIRST, previous: FIRST }, nameKey: FIRST }, 'keys.previous must be a list'],
    [
      'one id twice',
      { keys: { current: { id: 'a', key: FIRST }, previous: [{ id: 'a', key: SECOND }] }, nameKey: FIRST },
      'Two keys have the id "a"',
    ],
    ['an unknown option', { key: FIRST, nonce: 1 }, 'nonce'],
    ['an unknown option of keys', { keys: { current: FIRST, next: 1 }, nameKey: FIRST }, 'next'],
  ])('cannot be %s, and the error names the option', (_name, options, message) => {
    expect(() => encrypted(tinyStorage(), options as never)).toThrow(TypeError)
    expect(() => encrypted(tinyStorage(), options as never)).toThrow(message)
  })

  test('are never shown in messages', () => {
    const secret = 'hunter2'.repeat(7)
    for (const options of [{ key: secret }, { key: { id: 'a', key: secret } }, { key: FIRST, nameKey: secret }])
      expect(() => encrypted(tinyStorage(), options)).toThrow(/^(?!.*hunter2)/s)
  })
})

describe('an entry that cannot be decrypted', () => {
  test('has the name by which it was requested', async () => {
    const { driver, only } = recordedDriver()
    const storage = encrypted(createStorage(driver), { key: FIRST }).scope('a')
    const reference = await storage.store('call', bytes('content'))
    const entry = only()
    const { content, info } = entry
    const damages: Partial<typeof entry>[] = [
      { content: content.with(70, content[70]! ^ 1) },
      { content: content.with(0, 0) },
      { content: content.slice(0, 70), info: { ...info, size: 70 } },
      { info: { ...info, key: 'sealed1.' } },
      { info: { ...info, key: info.key.replace(/..$/, 'AA') } },
    ]
    for (const damage of damages) {
      Object.assign(entry, { content, info }, damage)
      for (const answer of [storage.retrieve(reference), storage.retrieveRange(reference, { offset: 0, length: 7 })])
        await expect(answer).rejects.toMatchObject({
          code: 'corrupt',
          reference,
          message: expect.stringMatching(new RegExp(`^${reference} `)),
        })
    }
  })

  test('has a name that differs from a name with two underscores', async () => {
    const { driver } = recordedDriver()
    const storage = encrypted(createStorage(driver), { key: FIRST })
    await storage.store('call', bytes('content'))
    for (const answer of [storage.retrieve('__'), storage.stat('__'), storage.open('__')])
      await expect(answer).rejects.toMatchObject({ code: 'not-found', reference: '__' })
    const names = new SealedNames(new KeyRing({ current: { secret: FIRST }, previous: [], nameSecret: FIRST }))
    expect(await names.innerId('__')).toMatch(/^[0-9a-f]{40}$/)
    expect(await names.innerId('__abc')).toBe('abc')
  })

  test('is listed, described and removed under its own name in its scope', async () => {
    const { driver, disk } = recordedDriver()
    const storage = encrypted(createStorage(driver), { key: FIRST })
    const scope = storage.scope('a', 'b')
    const reference = await scope.store('call', bytes('content'))
    await scope.store('other', bytes('other'))
    const record = [...disk.records.values()][0]!
    record.info = { ...record.info, key: 'sealed1.' }
    for (const view of [storage, storage.scope('a'), scope, encrypted(createStorage(driver), { key: FIRST })])
      expect((await listed(view as ManagedStorage)).filter((name) => name.startsWith('__'))).toHaveLength(1)
    const [standIn] = (await listed(scope as ManagedStorage)).filter((name) => name.startsWith('__'))
    expect(await scope.stat(standIn!)).toMatchObject({ key: '', metadata: {} })
    await expect(scope.retrieve(standIn!)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(scope.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
    await scope.delete(standIn!)
    expect(disk.records.size).toBe(1)
    await expect(scope.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('cannot be requested by its encrypted name', async () => {
    const { driver, only } = recordedDriver()
    const storage = encrypted(createStorage(driver), { key: FIRST })
    await storage.store('call', bytes('content'))
    for (const answer of [storage.retrieve(`__${only().id}`), storage.stat(`__${only().id}`)])
      await expect(answer).rejects.toMatchObject({ code: 'not-found' })
  })

  test('expires like any other entry', async () => {
    let now = 1_000
    const { driver, disk } = recordedDriver()
    await createStorage(driver, { now: () => now })
      .scope('plain')
      .store('call', bytes('plain'))
    const storage = encrypted(createStorage(driver, { ttlMs: 1_000, now: () => now }), { key: FIRST })
    await storage.scope('a').store('call', bytes('content'))
    now = 5_000
    expect(await storage.gc()).toMatchObject({ expired: 2 })
    expect(disk.records.size).toBe(0)
  })

  test('may be an entry stored earlier without encryption', async () => {
    const { driver } = recordedDriver()
    const plain = createStorage(driver)
    const reference = await plain.store('call', bytes('content'))
    const storage = encrypted(plain, { key: FIRST })
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    expect(await listed(storage)).toEqual([`__${reference}`])
    await expect(storage.retrieve(`__${reference}`)).rejects.toThrow('it was stored without encryption')
    expect((await plain.retrieve(reference)).content).toEqual(bytes('content'))
  })
})

test('clearing returns the names of removed entries even if the backend clears by itself', async () => {
  const recorded = recordedDriver()
  const removed: string[] = []
  const driver: StorageDriver = {
    ...recorded.driver,
    async *removeAll(prefix) {
      for (const id of [...recorded.disk.records.keys()])
        if (id.startsWith(prefix) && recorded.disk.records.delete(id)) {
          removed.push(id)
          yield id
        }
    },
  }
  const storage = encrypted(createStorage(driver, { evictAfterTurns: 5 }), { key: FIRST })
  const references: string[] = []
  for (const name of ['a', 'b']) references.push(await storage.scope('x', name).store('call', bytes(name)))
  const open = await storage.scope('x', 'a').open(references[0]!)
  await open.close()
  expect(await storage.scope('x').clear()).toBe(2)
  expect(removed).toHaveLength(2)
  // Cached names of the entry are removed, too.
  await expect(storage.scope('x', 'a').open(references[0]!)).rejects.toMatchObject({ code: 'not-found' })
})
