import { faultProxy } from '@spillway-internal/services'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RedisStorage } from '../src/index.ts'
import { RENEW } from '../src/scripts.ts'
import { rawKeys } from './support/raw-keys.ts'
import { pattern, same, shared, sharedUrl, slowly, streamOf, testDriver, testStorage } from './support/test-server.ts'

const KIB = 1024
const INFO = { key: 'key', contentType: 'text/plain', storedAt: 1, lastUsedAt: 1, metadata: {} }

describe.skipIf(!shared.available)('content in chunks', () => {
  test('has ranges equal to slices of the whole, at any size of content and chunks', async () => {
    const { prefix } = testStorage()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.nat(20_000), fc.constantFrom(0, 4_095, 4_096, 4_097, 8_192, 12_288)),
        fc.integer({ min: 4_096, max: 9_000 }),
        fc.array(fc.tuple(fc.nat(21_000), fc.nat(21_000)), { maxLength: 5 }),
        fc.integer({ min: 1, max: 10_000 }),
        async (size, chunkBytes, ranges, part) => {
          const driver = testDriver(prefix, { chunkBytes })
          const content = pattern(size, part)
          const parts = Array.from({ length: Math.ceil(size / part) }, (_, at) =>
            content.subarray(at * part, (at + 1) * part),
          )
          const id = `a/of_${size}_${chunkBytes}_${part}`
          await driver.write(id, streamOf(parts), INFO)
          expect(same((await driver.read(id))?.content ?? new Uint8Array(1), content)).toBe(true)
          const open = await driver.open(id)
          for (const [offset, length] of ranges) {
            const expected = content.subarray(offset, offset + length)
            const found = await driver.read(id, { offset, length })
            expect(same(found?.content ?? new Uint8Array(1), expected)).toBe(true)
            const read = await open?.read({ offset, length }, new Uint8Array(length))
            expect(same(read ?? new Uint8Array(1), expected)).toBe(true)
          }
          await driver.close()
        },
      ),
      { numRuns: 60 },
    )
  })

  test('is read by ranges, which transfer little more than requested, and no command exceeds a chunk', async () => {
    const { hostname, port } = new URL(sharedUrl())
    const proxy = await faultProxy({ host: hostname, port: Number(port) })
    onTestFinished(() => proxy.close())
    const { prefix, raw } = testStorage()
    const storage = new RedisStorage(`redis://127.0.0.1:${proxy.port}`, { prefix })
    onTestFinished(() => storage.close())
    const part = pattern(1024 * KIB)
    const reference = await storage.storeStream('large', streamOf(Array.from({ length: 64 }, () => part)))
    const lengths = await Promise.all((await rawKeys(raw, `{${prefix}*:piece:*`)).map((key) => raw.strlen(key)))
    expect(Math.max(...lengths)).toBe(1_020 * KIB)
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(64 * 1024 * KIB)
    // A slightly larger chunk would need a quarter more memory.
    const [key = ''] = await rawKeys(raw, `{${prefix}*:piece:*:0`)
    expect(await raw.memory('USAGE', key)).toBeLessThan(1_025 * KIB)
    const before = proxy.bytesRead
    const range = { offset: 33 * 1024 * KIB - 5, length: 64 * KIB }
    const { content } = await storage.retrieveRange(reference, range)
    expect(same(content.subarray(5), part.subarray(0, 64 * KIB - 5))).toBe(true)
    expect(proxy.bytesRead - before).toBeLessThan(80 * KIB)
  })

  test('keeps the chunks of a slow writer, and removes the chunks of a killed writer', async () => {
    const { prefix, raw } = testStorage()
    let now = Date.now()
    const driver = testDriver(prefix, { leftoverAgeMs: 600, now: () => now })
    const parts = Array.from({ length: 6 }, (_, index) => pattern(4_096, index))
    const writing = driver.write('a/slow', slowly(parts, 300), INFO)
    for (let look = 0; look < 6; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      now += 200
      await driver.collect('', now)
    }
    expect(Object(await writing).created).toBe(true)
    expect(same((await driver.read('a/slow'))?.content ?? new Uint8Array(1), Buffer.concat(parts))).toBe(true)

    await raw.set(`{${prefix}:a}:piece:slow:abc-def:0`, 'left by a killed writer')
    await raw.zadd(`{${prefix}:a}:writers`, 1, 'slow:abc-def')
    await raw.set(`{${prefix}:a}:piece:slow:${now.toString(36)}-def:0`, 'young')
    expect(await driver.collect('a/', now)).toEqual({ leftovers: 1, bytes: 23 })
    expect(await driver.collect('b/', now + 10_000)).toEqual({ leftovers: 0, bytes: 0 })
    expect(await driver.collect('', now + 10_000)).toEqual({ leftovers: 1, bytes: 5 })
    expect((await driver.read('a/slow'))?.info.size).toBe(6 * 4_096)
    const left = await rawKeys(raw, `{${prefix}:a}*`)
    expect(left.length).toBe(8)
  })

  test('does not expire because of a heartbeat after the commit', async () => {
    const { prefix, raw } = testStorage()
    const driver = testDriver(prefix)
    const content = pattern(20_000)
    await driver.write('a/late', streamOf([content]), INFO)
    const index = `{${prefix}:a}:index`
    const pieces = await rawKeys(raw, `{${prefix}:a}:piece:*`)
    expect(pieces).toHaveLength(5)
    const nonce = pieces[0]?.split(':').at(-2) ?? ''
    const keys = [index, `{${prefix}:a}:entry:late`]
    expect(await raw.eval(RENEW.lua, keys.length, ...keys, 'late', nonce, 5, 600_000, Date.now())).toBe(0)
    expect(await Promise.all(pieces.map((key) => raw.pttl(key)))).toEqual(pieces.map(() => -1))
    expect(await rawKeys(raw, `{${prefix}:a}:writers`)).toEqual([])
    expect(same((await driver.read('a/late'))?.content ?? new Uint8Array(1), content)).toBe(true)
  })

  test('loses the chunks of a killed writer because they expire', async () => {
    const { prefix, raw } = testStorage()
    const driver = testDriver(prefix, { leftoverAgeMs: 1_000 })
    await expect(driver.write('a/b', failing([pattern(20_000)]), INFO)).rejects.toThrow('the source failed')
    await expect.poll(() => rawKeys(raw, `{${prefix}:a}*`)).toEqual([])
    await raw.set(`{${prefix}:a}:piece:b:abc-def:0`, 'content', 'PX', 100)
    await expect.poll(() => rawKeys(raw, `{${prefix}:a}*`)).toEqual([])
  })

  test('removes scopes from the list with gc if they were empty for long', async () => {
    const { prefix, raw } = testStorage()
    const driver = testDriver(prefix, { scopeAgeMs: 0 })
    const chunks = (): AsyncIterable<Uint8Array> => streamOf([pattern(10)])
    for (const path of ['used', 'left', 'left/below']) await driver.write(`${path}/entry`, chunks(), INFO)
    expect((await Array.fromAsync(driver.list(''))).map(({ id }) => id)).toEqual([
      'left/entry',
      'left/below/entry',
      'used/entry',
    ])
    expect(await Array.fromAsync(driver.removeAll('left/'))).toEqual(['left/entry', 'left/below/entry'])
    await driver.collect('', Date.now())
    expect(await raw.zrange(`{${prefix}}:scopes`, '0', '-1')).toEqual(['used'])
    await driver.write('left/again', chunks(), INFO)
    expect((await Array.fromAsync(driver.list('left/'))).map(({ id }) => id)).toEqual(['left/again'])
  })
})

test.skipIf(!shared.available)('a list has the entries of more scopes than one command returns', async () => {
  const { prefix } = testStorage()
  const driver = testDriver(prefix)
  const ids = Array.from({ length: 2_000 }, (_, index) => `scope${String(index).padStart(4, '0')}/entry`)
  await Promise.all(ids.map((id) => driver.write(id, streamOf([pattern(1)]), INFO)))
  expect((await Array.fromAsync(driver.list(''))).map(({ id }) => id)).toEqual(ids)
})

async function* failing(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
  throw new Error('the source failed')
}
