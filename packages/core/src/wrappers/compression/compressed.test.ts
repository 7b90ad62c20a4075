import { propertyRuns } from '@spillway-internal/test-run'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordedDriver, type RecordedDriver } from '../../../test/recorded-driver.ts'
import { tinyStorage } from '../../../test/tiny-storage.ts'
import { createStorage, type ManagedStorage } from '../../storage/managed-storage.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { StorageDriver } from '../../storage/storage-driver.ts'
import {
  blocksOfTail,
  BlockTable,
  decodeTail,
  encodeHint,
  findCodec,
  tailBytes,
  type CodecName,
} from './block-table.ts'
import { compressed, isCompressedType, type CompressedOptions } from './compressed.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const lines = (count: number): Uint8Array =>
  bytes(Array.from({ length: count }, (_, line) => `${line} GET /health 200\n`).join(''))
const noise = (length: number): Uint8Array => {
  const content = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536))
  return content
}
/** Compares bytes much faster than an assertion does. */
const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0
const CODECS = (['gzip', 'zstd'] as const).filter((name) => findCodec(name) !== undefined)

const content = fc
  .array(fc.record({ text: fc.string({ minLength: 1, maxLength: 20 }), times: fc.nat(2_000) }), { maxLength: 6 })
  .map((parts) => bytes(parts.map(({ text, times }) => text.repeat(times)).join('')))
const range = fc.record({ offset: fc.nat(100_000), length: fc.nat(50_000) })

async function* cut(whole: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < whole.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    yield whole.subarray(at, at + length)
    at += length
  }
}

/** Node.js only decompresses the first of several frames. */
function decompressedByTools(codec: CodecName, content: Uint8Array): Uint8Array {
  if (codec === 'gzip') return new Uint8Array(gunzipSync(content))
  const tail = content.subarray(content.length - tailBytes(codec, blocksOfTail(codec, content)!))
  const table = decodeTail(codec, tail, content.length)!
  const frames = Array.from({ length: table.blocks }, (_, block) =>
    zstdDecompressSync(content.subarray(table.start(block), table.start(block + 1))),
  )
  return new Uint8Array(Buffer.concat(frames))
}

const make = (
  options: CompressedOptions = {},
  changes: Partial<StorageDriver> = {},
): RecordedDriver & { readonly storage: ReturnType<typeof createStorage> } => {
  const recorded = recordedDriver(changes)
  return { ...recorded, storage: compressed(createStorage(recorded.driver), { minBytes: 0, ...options }) }
}

interface Rewriting {
  readonly storage: ManagedStorage
  /** @param before - Called once, after the entry was found to be missing. */
  wrap(options: CompressedOptions, before?: () => Promise<unknown>): ManagedStorage
}

/** A storage that replaces content but keeps the description, like S3 after a lost conditional put. */
function rewriting(): Rewriting {
  const recorded = recordedDriver({ touch: undefined as never })
  const driver: StorageDriver = {
    ...recorded.driver,
    tellsCreated: true,
    async write(id, chunks, info, lineIndex) {
      const before = recorded.disk.records.get(id)?.info
      recorded.disk.records.delete(id)
      await recorded.driver.write(id, chunks, before ?? info, lineIndex)
      return { created: before === undefined, lastUsedAt: info.lastUsedAt }
    },
  }
  const wrap: Rewriting['wrap'] = (options, before) => {
    let pending = before
    const write: StorageDriver['write'] = async (...parameters) => {
      const run = pending
      pending = undefined
      await run?.()
      return await driver.write(...parameters)
    }
    return compressed(createStorage({ ...driver, write }), { minBytes: 0, ...options })
  }
  return { storage: createStorage(driver), wrap }
}

describe.each(CODECS)('compressed with %s', (codec: CodecName) => {
  test('equals the plain storage, with any chunks and for any range', async () => {
    const options = { codec, blockBytes: 4_096 }
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1 }),
        fc.array(range),
        async (one, lengths, ranges) => {
          const { storage } = make(options)
          const stored = await storage.store('whole', one)
          const streamed = await storage.storeStream('streamed', cut(one, lengths))
          for (const reference of [stored, streamed]) {
            expect(isEqual((await storage.retrieve(reference)).content, one)).toBe(true)
            expect((await storage.stat(reference)).size).toBe(one.length)
            for (const { offset, length } of ranges) {
              const found = await storage.retrieveRange(reference, { offset, length })
              expect(isEqual(found.content, one.subarray(offset, offset + length))).toBe(true)
              expect(found.size).toBe(one.length)
            }
          }
          for await (const { size } of storage.list()) expect(size).toBe(one.length)
        },
      ),
      propertyRuns(10, 300),
    )
  })

  test('stores bytes that tools of the format can read, with its content type', async () => {
    const { storage, only } = make({ codec, blockBytes: 4_096 })
    await storage.store('log', lines(3_000), 'text/x-log; charset=utf-8', { metadata: { tool: 'read_log' } })
    const { content, info } = only()
    expect(isEqual(decompressedByTools(codec, content), lines(3_000))).toBe(true)
    expect(content.length).toBeLessThan(lines(3_000).length / 3)
    expect(info.contentType).toBe(`application/${codec}`)
    expect(info.metadata['tool']).toBe('read_log')
  })

  test('never returns wrong bytes if any byte is changed or cut', async () => {
    const { storage, only } = make({ codec, blockBytes: 4_096 })
    const whole = lines(300)
    const reference = await storage.store('log', whole)
    const entry = only()
    const intact = entry.content
    const wrong: number[] = []
    for (let at = 0; at < intact.length; at += 1) {
      for (const damaged of [intact.with(at, intact[at]! ^ (1 << (at % 8))), intact.slice(0, at)]) {
        entry.content = damaged
        const found = await storage.retrieve(reference).catch((error: unknown) => error)
        const isRight = StorageError.isInstance(found)
          ? found.code === 'corrupt'
          : isEqual((found as { content: Uint8Array }).content, whole)
        if (!isRight) wrong.push(at)
      }
    }
    expect(wrong).toEqual([])
  })

  test("is read by its own table if another writer's line index is stored", async () => {
    const { storage, only } = make({ codec, blockBytes: 4_096 })
    const whole = lines(90_000)
    const reference = await storage.store('log', whole)
    const { content } = only()
    const other = make({ codec: 'gzip', level: 9, blockBytes: 8_192 })
    expect(await other.storage.store('log', whole)).toBe(reference)
    // The description and the line index of one entry, with the content of the other.
    other.only().content = content
    const { id, info } = other.only()
    other.disk.records.set(id, { content, info: { ...info, size: content.length } })
    const found = await other.storage.retrieveRange(reference, { offset: 700_000, length: 100 })
    expect(found.content).toEqual(whole.subarray(700_000, 700_100))
    expect(isEqual((await other.storage.retrieve(reference)).content, whole)).toBe(true)
  })
})

describe('compressed', () => {
  test('reads only the blocks of a range, and no blocks for a list', async () => {
    const { storage, calls, bytesRead } = make()
    const whole = lines(200_000)
    const reference = await storage.store('log', whole)
    const streamed = await storage.storeStream('stream', cut(whole, [100_000]))
    calls.length = 0
    for await (const { size } of storage.list()) expect(size).toBe(whole.length)
    expect(calls).toEqual(['list'])
    for (const one of [reference, streamed]) {
      const before = bytesRead()
      await storage.retrieveRange(one, { offset: 2_000_000, length: 65_536 })
      expect(bytesRead() - before).toBeLessThan(2 * 262_144 * 0.3)
    }
  })

  test('finds blocks and sizes at the end of the content if the backend stores no line index', async () => {
    const recorded = recordedDriver()
    const { write } = recorded.driver
    const storage = compressed(
      createStorage({ ...recorded.driver, write: (id, chunks, info) => write(id, chunks, info) }),
      { blockBytes: 4_096 },
    )
    const whole = lines(200_000)
    const reference = await storage.storeStream('log', cut(whole, [100_000]))
    expect((await storage.stat(reference)).size).toBe(whole.length)
    const before = recorded.bytesRead()
    const found = await storage.retrieveRange(reference, { offset: 2_000_000, length: 100 })
    expect(found.content).toEqual(whole.subarray(2_000_000, 2_000_100))
    // The first bytes, the table of about a thousand blocks, and one or two blocks.
    expect(recorded.bytesRead() - before).toBeLessThan(65_536 + 4_096 + 16_384 + 8_192)
  })

  test('keeps the line index of the content', async () => {
    const { storage, only } = make()
    const reference = await storage.store('log', lines(200_000))
    expect(only().info.lineIndex).toMatch(/^blocks1\./)
    const open = await storage.open(reference)
    expect((await open.lineIndex?.())?.lines).toBe(200_000)
    await open.close()
  })

  test.each([
    ['small', bytes('small'.repeat(100)), 'text/plain'],
    ['of a compressed type', lines(10_000), 'Image/PNG; a=b'],
    ['that does not shrink', noise(600_000), 'application/octet-stream'],
    ['of no bytes', new Uint8Array(0), 'text/plain'],
  ])('keeps content %s unchanged', async (_name, one, type) => {
    const { storage, only } = make({ minBytes: 4_096 })
    const reference = await storage.store('call', one, type)
    expect(only().info).toMatchObject({ contentType: type, metadata: {} })
    expect(isEqual(only().content, one)).toBe(true)
    expect(isEqual((await storage.retrieve(reference)).content, one)).toBe(true)
  })

  test('reads earlier uncompressed entries, and leaves them unchanged', async () => {
    const { storage, driver } = make()
    const reference = await createStorage(driver).store('log', lines(1_000))
    expect((await storage.retrieve(reference)).content).toEqual(lines(1_000))
    expect(await storage.store('log', lines(1_000))).toBe(reference)
    expect((await storage.retrieveRange(reference, { offset: 2, length: 3 })).content).toEqual(bytes('GET'))
  })

  test('ignores descriptions of an earlier entry from a backend that writes again', async () => {
    const { storage: plain, wrap } = rewriting()
    const storages = [plain, wrap({}), wrap({ blockBytes: 4_096, level: 9 }), wrap({ minBytes: 1_000_000 })]
    for (const first of storages)
      for (const second of storages) {
        // A plain storage cannot read compressed entries.
        if (second === plain && first !== plain) continue
        await first.clear()
        const reference = await first.store('log', lines(1_000))
        await second.store('log', lines(1_000))
        for (const reader of storages.slice(1))
          expect(isEqual((await reader.retrieve(reference)).content, lines(1_000))).toBe(true)
      }
  })

  test('never combines compressed bytes with the description of an uncompressed entry stored in parallel', async () => {
    const { storage: meanwhile, wrap } = rewriting()
    const whole = lines(1_000)
    for (const [first, second] of [
      [{ minBytes: 1_000_000 }, { minBytes: 0 }],
      [{ minBytes: 0 }, { minBytes: 1_000_000 }],
    ] as const) {
      let reference = ''
      const late = wrap(second, async () => (reference = await wrap(first).store('log', whole)))
      await expect(late.store('log', whole)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
      await expect(meanwhile.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
      expect(await late.store('log', whole)).toBe(reference)
      for (const options of [first, second])
        expect(isEqual((await wrap(options).retrieve(reference)).content, whole)).toBe(true)
      await meanwhile.clear()
    }
  })

  test('keeps an entry that two writers compress differently at the same time', async () => {
    const { wrap } = rewriting()
    const whole = lines(1_000)
    let reference = ''
    const late = wrap({ blockBytes: 4_096, level: 9 }, async () => (reference = await wrap({}).store('log', whole)))
    expect(await late.store('log', whole)).toBe(reference)
    expect(isEqual((await wrap({}).retrieve(reference)).content, whole)).toBe(true)
  })

  test('lists damaged entries, so that they can be removed', async () => {
    const { storage, only } = make()
    const reference = await storage.store('log', lines(1_000))
    const entry = only()
    entry.info = { ...entry.info, metadata: { 'spillway.compressed': '{"codec":"gz' } }
    const listed: string[] = []
    for await (const info of storage.list()) listed.push(info.reference)
    expect(listed).toEqual([reference])
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt', reference })
    expect(await storage.clear()).toBe(1)
  })

  test.each([
    ['a block', { blockBytes: 5e15, size: 4e15 }, undefined],
    ['content', {}, encodeHint({ table: BlockTable.of(1e12, 16_777_216, new Uint8Array(59_605).fill(1))! })],
  ])('allocates no memory for %s of a size that only the backend claims', async (_name, sizes, lineIndex) => {
    const { storage, only } = make()
    const reference = await storage.store('log', lines(1_000))
    const entry = only()
    const marker = { ...(JSON.parse(entry.info.metadata['spillway.compressed']!) as object), ...sizes }
    const metadata = { 'spillway.compressed': JSON.stringify(marker) }
    entry.info = { ...entry.info, metadata, ...(lineIndex === undefined ? {} : { lineIndex }) }
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt', reference })
  })

  test('counts bytes before compression against a quota', async () => {
    const storage = compressed(tinyStorage({ maxBytes: 100_000 }))
    await expect(storage.store('log', lines(10_000))).rejects.toMatchObject({ code: 'too-large' })
  })

  test('caches decompressed blocks, even of content in memory', async () => {
    const recorded = recordedDriver()
    let reads = 0
    const storage = compressed(
      createStorage({
        ...recorded.driver,
        ephemeral: true,
        async open(id) {
          const found = await recorded.driver.read(id)
          return (
            found && {
              info: found.info,
              read: async ({ offset, length }) => ((reads += 1), found.content.subarray(offset, offset + length)),
              close: async () => undefined,
            }
          )
        },
      }),
    )
    const reference = await storage.store('log', lines(10_000))
    for (let time = 0; time < 3; time += 1) {
      const open = await storage.open(reference)
      expect(await open.read(0, 2)).toEqual(bytes('0 '))
      await open.close()
    }
    expect(reads).toBe(1)
  })

  test('holds a few blocks of a stream in memory, not the whole stream', async () => {
    let given = 0
    let taken = 0
    let ahead = 0
    const { driver } = recordedDriver({
      async write(_id, chunks) {
        for await (const chunk of chunks) {
          taken += chunk.length > 0 ? 1 : 0
          ahead = Math.max(ahead, given - taken)
        }
        return true
      },
    })
    async function* source(): AsyncGenerator<Uint8Array> {
      for (; given < 200; given += 1) yield lines(300).subarray(0, 4_096)
    }
    await compressed(createStorage(driver), { blockBytes: 4_096 }).storeStream('log', source())
    expect(given).toBe(200)
    expect(ahead).toBeLessThan(8)
  })

  test('closes the source if the backend fails', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield lines(200)
      } finally {
        end()
      }
    }
    const { driver } = recordedDriver({ write: () => Promise.reject(new Error('disk full')) })
    const storage = compressed(createStorage(driver), { blockBytes: 4_096 })
    await expect(storage.storeStream('log', source())).rejects.toMatchObject({ code: 'unavailable' })
    await ended
  })

  test('has the same optional methods as the wrapped driver, except locations', async () => {
    const { storage } = make({}, { stat: undefined as never })
    expect(storage.locate).toBeUndefined()
    const reference = await storage.store('log', lines(1_000))
    expect((await storage.stat(reference)).size).toBe(lines(1_000).length)
  })

  test.each([1, 9])('gzip takes level %i', async (level) => {
    const storage = compressed(tinyStorage(), { codec: 'gzip', level })
    const content = lines(1_000)
    expect((await storage.retrieve(await storage.store('log', content))).content).toEqual(content)
  })

  test.each([
    [{ codec: 'brotli' }, 'codec'],
    [{ level: 0 }, 'level'],
    [{ level: 10 }, 'level'],
    [{ blockBytes: 100 }, 'blockBytes'],
    [{ blockBytes: 1.5 }, 'blockBytes'],
    [{ minBytes: -1 }, 'minBytes'],
    [{ minSaving: 1 }, 'minSaving'],
    [{ minSaving: '10%' }, 'minSaving'],
    [{ blocks: 3 }, 'blocks'],
    [null, 'compressed()'],
  ])('refuses %j and names the option', (options, name) => {
    expect(() => compressed(tinyStorage(), options as never)).toThrow(TypeError)
    expect(() => compressed(tinyStorage(), options as never)).toThrow(name)
  })
})

test.each([
  'image/png',
  'Image/JPEG; q=1',
  'video/mp4',
  'audio/mpeg',
  'application/zip',
  'application/gzip',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.text',
  'application/made-up+zip',
  'font/woff2',
])('content of type %s is compressed', (type) => {
  expect(isCompressedType(type)).toBe(true)
})

test.each([
  'text/plain',
  'application/json; charset=utf-8',
  'image/svg+xml',
  'image/bmp',
  'audio/wav',
  'application/octet-stream',
  'application/x-tar',
  'application/ld+json',
  'font/ttf',
])('content of type %s is not compressed', (type) => {
  expect(isCompressedType(type)).toBe(false)
})
