import type { Storage } from '../../storage/storage.ts'
import { attempt, checkBytes, checkEqual, rejectionOfMistake } from '../conformance-failure.ts'
import type { CaseContext, ConformanceCase } from '../harness.ts'
import { bytes, pattern, randomBelow } from '../sample.ts'

const MB = 1024 * 1024

async function roundTrip(storage: Storage, content: Uint8Array): Promise<void> {
  const what = `storing ${content.length} bytes`
  const reference = await attempt(what, () => storage.store('call_1_0', content, 'application/octet-stream'))
  const found = await attempt(`retrieving ${content.length} bytes`, () => storage.retrieve(reference))
  checkBytes(found.content, content, `content of ${content.length} bytes`)
}

const TEXTS: readonly (readonly [string, Uint8Array])[] = [
  ['Unicode', bytes('naïve Ελληνικά 日本語 👩‍👩‍👧 \u0000 \u2028')],
  ['line ends', bytes('a\r\nb\rc\nd\u0085e\r\n')],
  ['a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, 0x61])],
  ['invalid UTF-8', new Uint8Array([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf5])],
]

/** Bytes in, same bytes out. */
export const contentCases: readonly ConformanceCase[] = [
  {
    id: 'content/round-trip-empty',
    title: '0 bytes come back as 0 bytes',
    level: 'two-method',
    run: ({ storage }) => roundTrip(storage, new Uint8Array(0)),
  },
  {
    id: 'content/round-trip-one-byte',
    title: '1 byte comes back with any value',
    level: 'two-method',
    async run({ storage }) {
      for (const byte of [0x00, 0x0a, 0x7f, 0xff]) await roundTrip(storage, Uint8Array.of(byte))
    },
  },
  {
    id: 'content/round-trip-every-byte',
    title: 'All 256 byte values come back, next to each other and in any order',
    level: 'two-method',
    async run({ storage }) {
      await roundTrip(
        storage,
        Uint8Array.from({ length: 256 }, (_, index) => index),
      )
      await roundTrip(storage, pattern(65_537, 3))
    },
  },
  {
    id: 'content/round-trip-text',
    title: 'Text is not normalized: line ends, byte order marks and invalid UTF-8 stay',
    level: 'two-method',
    async run({ storage }) {
      for (const [what, content] of TEXTS) {
        const reference = await attempt(`storing ${what}`, () => storage.store('call_1_0', content, 'text/plain'))
        checkBytes((await storage.retrieve(reference)).content, content, what)
      }
    },
  },
  {
    id: 'content/round-trip-5-mb',
    title: '5 MB come back whole',
    level: 'two-method',
    run: ({ storage }) => roundTrip(storage, pattern(5 * MB + 1, 5)),
  },
  {
    id: 'content/round-trip-20-mb',
    title: '20 MB come back whole',
    level: 'two-method',
    run: ({ storage }) => roundTrip(storage, pattern(20 * MB + 3, 20)),
  },
  {
    id: 'content/round-trip-200-mb',
    title: '200 MB come back whole',
    level: 'two-method',
    large: true,
    run: ({ storage }) => roundTrip(storage, pattern(200 * MB + 7, 200)),
  },
  {
    id: 'content/part-of-a-buffer',
    title: 'Only the part of a buffer that its view covers is stored',
    level: 'two-method',
    async run({ storage }) {
      const buffer = pattern(1000, 7)
      await roundTrip(storage, buffer.subarray(100, 300))
    },
  },
  {
    id: 'content/input-copied',
    title: 'Changing a buffer after it was stored does not change the entry',
    level: 'two-method',
    async run({ storage }) {
      const content = bytes('as it was stored')
      const reference = await storage.store('call_1_0', content)
      content.fill(0x78)
      checkBytes((await storage.retrieve(reference)).content, bytes('as it was stored'), 'content after the change')
    },
  },
  {
    id: 'content/input-copied-at-once',
    title: 'Changing a buffer while it is being stored does not change the entry',
    async run({ storage }) {
      const content = pattern(300_000, 9)
      const pending = storage.store('call_1_0', content)
      const expected = content.slice()
      content.fill(0x78)
      const reference = await pending
      checkBytes((await storage.retrieve(reference)).content, expected, 'content changed while it was being stored')
    },
  },
  {
    id: 'content/output-copied',
    title: 'Changing retrieved content does not change the entry',
    level: 'two-method',
    async run({ storage }) {
      const content = pattern(100_000, 11)
      const reference = await storage.store('call_1_0', content)
      const first = await storage.retrieve(reference)
      first.content.fill(0x78)
      checkBytes((await storage.retrieve(reference)).content, content, 'content retrieved again')
      checkBytes(content, pattern(100_000, 11), "the caller's own buffer")
    },
  },
  {
    id: 'content/transferred',
    title: 'A buffer that is transferred after the call is stored, and retrieving returns a copy',
    async run({ storage }) {
      const given = new SharingBytes(bytes('given away'))
      const reference = await storage.store('call_1_0', given, 'text/plain', { transfer: true })
      const first = await storage.retrieve(reference)
      checkBytes(first.content, bytes('given away'), 'content')
      first.content.fill(0x78)
      checkBytes((await storage.retrieve(reference)).content, bytes('given away'), 'content retrieved again')
    },
  },
]

/** Behaves as Node's Buffer, whose `slice` is a view. */
class SharingBytes extends Uint8Array {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end)
  }
}

const SIZE = 1_000
const TYPE = 'Text/CSV; header=present'

const ranges = (id: string, title: string, spans: readonly (readonly [number, number])[]): ConformanceCase => ({
  id,
  title,
  requires: ['retrieveRange'],
  async run({ storage }) {
    const content = pattern(SIZE, 13)
    const reference = await storage.store('call_1_0', content, TYPE)
    for (const [offset, length] of spans) {
      const what = `${length} bytes from ${offset} of ${SIZE}`
      const found = await attempt(what, () => storage.retrieveRange(reference, { offset, length }))
      checkBytes(found.content, content.subarray(offset, offset + length), what)
      checkEqual([found.size, found.contentType], [SIZE, TYPE], `size and content type with ${what}`)
    }
  },
})

async function checkRandomRanges({ storage, random }: CaseContext, size: number, rounds: number): Promise<void> {
  const content = pattern(size, 17)
  const reference = await storage.store('call_1_0', content)
  for (let round = 0; round < rounds; round += 1) {
    const offset = randomBelow(random, size + 10)
    const length = round % 2 === 0 ? randomBelow(random, size) : randomBelow(random, 300)
    const found = await storage.retrieveRange(reference, { offset, length })
    checkBytes(found.content, content.subarray(offset, offset + length), `${length} bytes from ${offset} of ${size}`)
  }
}

/** A range is a slice of the whole. */
export const rangeCases: readonly ConformanceCase[] = [
  ranges('range/inside', 'A range inside the content has exactly its bytes', [
    [0, 1],
    [0, SIZE],
    [1, 1],
    [499, 2],
    [10, 20],
    [SIZE - 1, 1],
  ]),
  ranges('range/past-the-end', 'A range that passes the end has what is there, or nothing', [
    [SIZE - 1, 2],
    [SIZE - 10, 1_000],
    [0, 2 * SIZE],
    [SIZE, 1],
    [SIZE + 1, 1],
    [10 * SIZE, 10],
    [0, Number.MAX_SAFE_INTEGER],
    [5, Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER, 1],
  ]),
  ranges('range/no-bytes', 'A range of no bytes has none, and still the size and type', [
    [0, 0],
    [500, 0],
    [SIZE, 0],
    [SIZE + 5, 0],
  ]),
  {
    id: 'range/equals-slice',
    title: 'Any range equals the slice of the whole',
    requires: ['retrieveRange'],
    run: (context) => checkRandomRanges(context, 200_000, context.thorough ? 500 : 50),
  },
  {
    id: 'range/of-large-content',
    title: "Ranges of 5 MB are right at any boundary of the backend's pieces",
    requires: ['retrieveRange'],
    async run(context) {
      const { storage } = context
      const content = pattern(5_000_000, 19)
      const reference = await storage.store('large', content)
      for (const boundary of [65_536, 131_072, 262_144, 524_288, 1_048_576, 4_194_304])
        for (const [offset, length] of [
          [boundary - 2, 4],
          [boundary, 3],
          [boundary - 3, 3],
          [boundary - 70_000, 140_000],
        ] as const) {
          const start = Math.max(0, offset)
          const found = await storage.retrieveRange(reference, { offset: start, length })
          checkBytes(found.content, content.subarray(start, start + length), `${length} bytes from ${start}`)
        }
    },
  },
  {
    id: 'range/of-empty-content',
    title: 'Every range of empty content is empty',
    requires: ['retrieveRange'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', new Uint8Array(0))
      for (const range of [
        { offset: 0, length: 0 },
        { offset: 0, length: 10 },
        { offset: 5, length: 5 },
      ]) {
        const found = await attempt('a range of nothing', () => storage.retrieveRange(reference, range))
        checkEqual([found.content.length, found.size], [0, 0], 'bytes and size')
      }
    },
  },
  {
    id: 'range/bad-ranges-refused',
    title: 'Ranges with negative, fractional or missing numbers reject with a TypeError',
    requires: ['retrieveRange'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const mistakes: unknown[] = [
        { offset: -1, length: 1 },
        { offset: 0, length: -1 },
        { offset: 0.5, length: 1 },
        { offset: 0, length: 1.5 },
        { offset: Number.NaN, length: 1 },
        { offset: 0, length: Number.POSITIVE_INFINITY },
        { offset: '0', length: 1 },
        { offset: 0 },
        {},
        undefined,
        null,
      ]
      for (const range of mistakes)
        await rejectionOfMistake(`the range ${JSON.stringify(range)}`, () =>
          storage.retrieveRange(reference, range as { offset: number; length: number }),
        )
    },
  },
]
