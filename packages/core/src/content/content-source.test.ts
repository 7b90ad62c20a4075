import { bytesOf, png } from '@spillway-internal/test-inputs'
import { concatBytes } from '@spillway/text/internal'
import { LINE_BLOCK_BYTES, LineIndexBuilder, type LineIndex } from '@spillway/text/internal/lines'
import { afterEach, describe, expect, it, test, vi } from 'vitest'
import { textOf, toolOf } from '../../test/retrieval-fixture.ts'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { DEFAULT_CONTENT_CACHE_BYTES, MAX_WHOLE_BYTES, setContentCacheBytes } from '../storage/content-cache.ts'
import { createStorage } from '../storage/managed-storage.ts'
import type { OpenContent, Storage } from '../storage/storage.ts'
import { adoptStorage, type AdoptedStorage } from './adopt-storage.ts'
import { openContentSource, withLineIndex, type ContentSource } from './content-source.ts'

type ReadableStorage = Pick<Storage, 'retrieve' | 'retrieveRange' | 'open'>

const open = async (
  storage: ReadableStorage | AdoptedStorage,
  ...rest: [reference: string, options: Parameters<typeof openContentSource>[2]]
): Promise<ContentSource> => openContentSource('can' in storage ? storage : adoptStorage(storage as Storage), ...rest)

async function withContentSource<Result>(
  storage: ReadableStorage | AdoptedStorage,
  reference: string,
  options: Parameters<typeof openContentSource>[2],
  use: (source: ContentSource) => Promise<Result>,
): Promise<Result> {
  const source = await open(storage, reference, options)
  try {
    return await use(source)
  } finally {
    await source.close()
  }
}

describe('content source', () => {
  const close = async (): Promise<void> => undefined

  const BLOCK_BYTES = 300_000

  const small = pattern(1_000_000)

  const large = pattern(MAX_WHOLE_BYTES + 1_234_567)

  /** Bytes that depend on their positions, with line ends among them. */
  function pattern(size: number): Uint8Array {
    const bytes = new Uint8Array(size)
    for (let at = 0; at < size; at += 1) bytes[at] = (at * 7 + (at >> 8) * 3 + (at >> 16)) & 255
    return bytes
  }

  function indexOf(bytes: Uint8Array): LineIndex {
    const builder = new LineIndexBuilder()
    builder.add(bytes)
    return builder.finish()
  }

  /** Every way in which a storage may be read. */
  async function storagesOf(content: Uint8Array): Promise<readonly (readonly [string, ReadableStorage, string])[]> {
    const storage = tinyStorage()
    const reference = await storage.store('content', content)
    const retrieve: Storage['retrieve'] = (...parameters) => storage.retrieve(...parameters)
    const retrieveRange: Required<Storage>['retrieveRange'] = (...parameters) => storage.retrieveRange(...parameters)
    return [
      ['opened', storage, reference],
      ['by ranges', { retrieve, retrieveRange }, reference],
      [
        'by ranges that are cut short',
        {
          retrieve,
          retrieveRange: (name, { offset, length }) =>
            retrieveRange(name, { offset, length: Math.min(length, 400_000) }),
        },
        reference,
      ],
      ['as a whole', { retrieve }, reference],
    ]
  }

  async function collect(
    source: ContentSource,
    ...parameters: Parameters<ContentSource['blocks']>
  ): Promise<Uint8Array> {
    const blocks: Uint8Array[] = []
    for await (const block of source.blocks(...parameters)) blocks.push(block.slice())
    return concatBytes(
      blocks,
      blocks.reduce((size, block) => size + block.length, 0),
    )
  }

  afterEach(() => {
    setContentCacheBytes(0)
    setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES)
  })

  describe('openContentSource', () => {
    test.each([
      ['small', small],
      ['large', large],
      ['empty', new Uint8Array(0)],
    ])('reads %s content correctly by every method, repeatedly', async (_size, content) => {
      const { lines } = indexOf(content)
      for (const [way, storage, reference] of await storagesOf(content)) {
        const times = content === large ? 1 : 2
        for (let time = 0; time < times; time += 1) {
          await withContentSource(storage, reference, { blockBytes: BLOCK_BYTES }, async (source) => {
            expect([way, source.contentType, source.size]).toEqual([way, 'text/plain', content.length])
            for (const transient of [false, true])
              expect(Buffer.compare(await collect(source, 0, undefined, { transient }), content)).toBe(0)
            const middle = Math.floor(content.length / 2)
            const part = content.subarray(middle, middle + 250_000)
            expect(Buffer.compare(await collect(source, middle, middle + 250_000), part)).toBe(0)
            expect(Buffer.compare(await source.read(middle, 250_000), part)).toBe(0)
            expect(Buffer.compare(await source.whole(), content)).toBe(0)
            expect(await source.read(content.length, 5)).toHaveLength(0)
            expect((await source.lineIndex()).lines).toBe(lines)
          })
        }
      }
    })

    test('returns whole content that the caller may change', async () => {
      for (const [, storage, reference] of await storagesOf(small)) {
        const options = { blockBytes: BLOCK_BYTES }
        await withContentSource(storage, reference, options, async (source) => (await source.whole()).fill(0))
        await withContentSource(storage, reference, options, async (source) => {
          expect(Buffer.compare(await source.whole(), small)).toBe(0)
        })
      }
    })

    test('requests content from a custom storage only once', async () => {
      const [, ranges, , whole] = await storagesOf(small)
      for (const [, storage, reference] of [ranges!, whole!]) {
        const retrieve = vi.spyOn(storage, 'retrieve')
        const range = storage.retrieveRange && vi.spyOn(storage as Required<ReadableStorage>, 'retrieveRange')
        const adopted = adoptStorage(storage as Storage)
        const question = (): Promise<Uint8Array> =>
          withContentSource(adopted, reference, { blockBytes: BLOCK_BYTES }, (source) => collect(source))
        await question()
        retrieve.mockClear()
        range?.mockClear()
        expect(Buffer.compare(await question(), small)).toBe(0)
        expect(retrieve).not.toHaveBeenCalled()
        // A storage with ranges is asked whether it still has the content.
        expect(range?.mock.calls.map(([, asked]) => asked)).toEqual(range && [{ offset: 0, length: 1 }])
      }
    })

    test('notices at once that a custom storage with ranges has removed content', async () => {
      const storage = tinyStorage()
      const reference = await storage.store('content', small)
      const others: ReadableStorage = {
        retrieve: (...parameters) => storage.retrieve(...parameters),
        retrieveRange: (...parameters) => storage.retrieveRange(...parameters),
      }
      await withContentSource(others, reference, { blockBytes: BLOCK_BYTES }, (source) => collect(source))
      await storage.delete(reference)
      await expect(open(others, reference, { blockBytes: BLOCK_BYTES })).rejects.toMatchObject({
        code: 'not-found',
      })
    })

    test.each([undefined, null])('rejects with not-found if a storage opens %s', async (opened) => {
      const storage = { retrieve: async () => opened, open: async () => opened } as unknown as ReadableStorage
      const { retrieve } = storage
      for (const one of [storage, { retrieve }, { retrieve, retrieveRange: retrieve }] as ReadableStorage[])
        await expect(open(one, 'a', { blockBytes: 10 })).rejects.toMatchObject({ code: 'not-found' })
    })

    test.each([
      {},
      { contentType: 'text/plain', size: 3, close },
      { contentType: 'text/plain', size: -1, read: async () => small, close },
      { size: 3, read: async () => small, close },
    ])('rejects with corrupt if a storage opens a value that is not content: %j', async (opened) => {
      const storage = { retrieve: async () => undefined, open: async () => opened } as unknown as ReadableStorage
      await expect(open(storage, 'a', { blockBytes: 10 })).rejects.toMatchObject({ code: 'corrupt' })
    })

    test.each([undefined, 'abc', new Uint8Array(2), new Uint8Array(4)])(
      'rejects with corrupt if opened content returns other bytes than requested: %s',
      async (given) => {
        const opened = { contentType: 'text/plain', size: 3, read: async () => given, close }
        const storage = { retrieve: async () => undefined, open: async () => opened } as unknown as ReadableStorage
        const source = await open(storage, 'a', { blockBytes: 10 })
        await expect(source.read(0, 3)).rejects.toMatchObject({ code: 'corrupt' })
        await expect(collect(source)).rejects.toMatchObject({ code: 'corrupt' })
      },
    )
  })

  describe('opened content', () => {
    test("closes a storage's content that opens only after the abort", async () => {
      const { promise: opening, resolve } = Promise.withResolvers<OpenContent>()
      const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>()
      const { promise: closed, resolve: noteClosed } = Promise.withResolvers<void>()
      const storage: ReadableStorage = {
        retrieve: () => Promise.reject(new Error('not used')),
        open: () => (noteAsked(), opening),
      }
      const controller = new AbortController()
      const options = { blockBytes: 10, signal: controller.signal }
      const using = withContentSource(storage, 'a', options, async () => undefined)
      await asked
      controller.abort()
      await expect(using).rejects.toMatchObject({ code: 'aborted' })
      const read = async (): Promise<Uint8Array> => small
      resolve({ contentType: 'text/plain', size: 0, read, close: async () => noteClosed() })
      await closed
    })

    test('closes content even if using it fails', async () => {
      const closed = vi.fn<() => Promise<void>>(close)
      const opened = { contentType: 'text/plain', size: 0, read: async () => new Uint8Array(0), close: closed }
      const storage = { retrieve: async () => undefined, open: async () => opened } as unknown as ReadableStorage
      await withContentSource(storage, 'a', { blockBytes: 10 }, async () => undefined)
      const failing = withContentSource(storage, 'a', { blockBytes: 10 }, () =>
        Promise.reject(new Error('of the caller')),
      )
      await expect(failing).rejects.toThrow('of the caller')
      expect(closed).toHaveBeenCalledTimes(2)
    })
  })
})

const LINES = Array.from(
  { length: 900 },
  (_, line) => `${line + 1}: ${line === 611 ? 'SourceNotFound: é' : 'installed'}`,
)

const LOG = LINES.join('\r\n')

const wide = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf16le'))

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const MIXED = bytesOf(encode(`${'an older line\n'.repeat(9_000)}`), wide('SourceNotFound: once\n'), encode('the end\n'))

async function ask(content: Uint8Array, contentType: string, input: object): Promise<string> {
  const entries = { file: { content, contentType }, other: { content: 'nothing' } }
  return textOf(await toolOf(entries, { scoped: true }).execute({ reference: 'file', ...input }))
}

it.each([
  ['UTF-16 with a mark', wide(`\ufeff${LOG}`), 'text/plain'],
  ['UTF-16 without a mark', wide(LOG), 'text/csv'],
  ['UTF-16BE', new Uint8Array(Buffer.from(`\ufeff${LOG}`, 'utf16le').swap16()), 'text/x-log'],
  ['UTF-16 that is declared as binary', wide(`\ufeff${LOG}`), 'application/octet-stream'],
  ['UTF-8 that is declared as an unknown type', encode(LOG), 'application/x-made-up'],
  ['UTF-8 with a NUL', encode(LOG.replace('installed', 'in\0stalled')), 'text/plain'],
])('content in %s is read by lines, patterns and words', async (_name, content, contentType) => {
  expect(await ask(content, contentType, { pattern: 'SourceNotFound: .$' })).toContain('> 612| 612: SourceNotFound: é')
  expect(await ask(content, contentType, { line_range: { start: 612, end: 612 } })).toContain(
    '| 612: SourceNotFound: é',
  )
  expect(await ask(content, contentType, { query: 'SourceNotFound' })).toContain('612: SourceNotFound: é')
  expect(await ask(content, contentType, { pattern: 'no such' })).toContain('searched 900 lines')
  expect(await ask(content, contentType, { reference: undefined, pattern: 'SourceNotFound' })).toContain('> 612|')
  expect(await ask(content, contentType, { reference: undefined, query: 'SourceNotFound' })).toContain('612: Source')
})

it('a search of UTF-16 finds matches with the line numbers of the stored bytes', async () => {
  expect(await ask(MIXED, 'text/plain', { pattern: 'NotFound' })).toContain('> 9001| SourceNotFound: once')
  expect(await ask(MIXED, 'text/plain', { query: 'SourceNotFound' })).toContain('9001| SourceNotFound: once')
  expect(await ask(MIXED, 'text/plain', { line_range: { start: 9_002, end: 9_002 } })).toContain('the end')
})

it('an answer shows NUL as a symbol', async () => {
  const names = encode(Array.from({ length: 1_501 }, (_, index) => `./src/file-${index}.ts\0`).join(''))
  const answer = await ask(names, 'text/plain', { pattern: 'file-777\\.ts' })
  expect(answer).toContain('␀./src/file-777.ts␀')
  expect(answer).not.toContain('\0')
})

it.each([
  ['declared as text', png(800, 600), 'text/plain'],
  ['declared as a table', bytesOf('PK\x03\x04\x14\0\0\0\b\0', 0xff, 0xee, '\x01\x02\x03\x04'), 'text/csv'],
  ['declared as binary', png(800, 600), 'application/octet-stream'],
])('an answer never claims to have searched binary content that is %s', async (_name, content, contentType) => {
  for (const input of [{ pattern: 'a' }, { query: 'a' }, { line_range: { start: 1, end: 2 } }, { sql: 'SELECT 1' }])
    expect(await ask(content, contentType, input)).toMatch(/^Error: This content is binary/)
  const inScope = await ask(content, contentType, { reference: undefined, pattern: 'absent' })
  expect(inScope).toContain('1 stored result')
  expect(inScope).toMatch(/1 binary/)
  expect(await ask(content, contentType, { reference: undefined, query: 'absent' })).toContain('in 1 stored result')
})

describe('withLineIndex', () => {
  const lines = (count: number, length: number): Uint8Array =>
    new TextEncoder().encode(`${'a'.repeat(length - 1)}\n`.repeat(count))

  const content = lines(20_000, 100)

  function indexOf(bytes: Uint8Array): string {
    const builder = new LineIndexBuilder()
    builder.add(bytes)
    return builder.finish().encode()
  }

  /** Find where a line begins by reading one or two blocks, with `lineIndex` kept beside the content. */
  async function startOfLine(
    line: number,
    lineIndex: string | undefined,
  ): Promise<readonly [number, readonly number[]]> {
    const disk = new TinyDisk(Date.now)
    const storage = createStorage(new TinyDriver(disk))
    const reference = await storage.store('log', content)
    for (const record of disk.records.values()) {
      const { lineIndex: _, ...info } = record.info
      record.info = lineIndex === undefined ? info : { ...info, lineIndex }
    }
    const tries: number[] = []
    const start = await withContentSource(storage, reference, { blockBytes: 100_000 }, (source) =>
      withLineIndex(source, async ({ index, block }) => {
        const number = index.blockOfLine(line)
        tries.push(number)
        const bytes = await block(number)
        let at = -1
        for (let ends = index.lineEndsBefore(number); ends < line - 1; ends += 1) at = bytes.indexOf(10, at + 1)
        return number * LINE_BLOCK_BYTES + at + 1
      }),
    )
    return [start, tries]
  }

  test('reads by the stored index', async () => {
    expect(await startOfLine(15_001, indexOf(content))).toEqual([1_500_000, [22]])
  })

  test('builds the index if no readable index is stored', async () => {
    for (const kept of [undefined, '', 'AAAA', indexOf(lines(10, 100))])
      expect(await startOfLine(15_001, kept)).toEqual([1_500_000, [22]])
  })

  test('notices that a stored index belongs to other content, and builds its own', async () => {
    const stale = indexOf(lines(40_000, 50))
    expect(await startOfLine(15_001, stale)).toEqual([1_500_000, [11, 22]])
  })

  test('passes on errors of the caller', async () => {
    const disk = new TinyDisk(Date.now)
    const storage = createStorage(new TinyDriver(disk))
    const reference = await storage.store('log', content)
    const failing = withContentSource(storage, reference, { blockBytes: 100_000 }, (source) =>
      withLineIndex(source, () => Promise.reject(new RangeError('of the caller'))),
    )
    await expect(failing).rejects.toThrow('of the caller')
  })

  test('rejects with corrupt if the content changes while it is read', async () => {
    let reads = 0
    const storage = {
      retrieve: () => Promise.reject(new Error('not used')),
      open: async () => ({
        contentType: 'text/plain',
        size: 100,
        read: async () => new Uint8Array(100).fill((reads += 1) % 2 === 0 ? 10 : 97),
        close: async () => undefined,
      }),
    }
    const reading = withContentSource(storage, 'a', { blockBytes: 100 }, (source) =>
      withLineIndex(source, ({ block }) => block(0)),
    )
    await expect(reading).rejects.toMatchObject({ code: 'corrupt' })
  })
})
