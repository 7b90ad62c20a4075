import { attempt, checkBytes, checkEqual, rejectionOfMistake } from '../conformance-failure.ts'
import type { ConformanceCase } from '../harness.ts'
import { bytes, pattern, randomBelow } from '../sample.ts'
import { checkContent } from './combined/methods.ts'

const MB = 1024 * 1024

/** Contents that a careless backend would change: of many sizes, and text that is not normalized. */
const CONTENTS: Readonly<Record<string, () => readonly Uint8Array[]>> = {
  'small-content': () => [
    new Uint8Array(0),
    ...[0x00, 0x0a, 0x7f, 0xff].map((byte) => Uint8Array.of(byte)),
    Uint8Array.from({ length: 256 }, (_, index) => index),
    pattern(65_537, 3),
    pattern(1000, 7).subarray(100, 300),
  ],
  text: () => [
    bytes('naïve Ελληνικά 日本語 👩‍👩‍👧 \u0000 \u2028'),
    bytes('a\r\nb\rc\nd\u0085e\r\n'),
    new Uint8Array([0xef, 0xbb, 0xbf, 0x61]),
    new Uint8Array([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf5]),
  ],
  '20-mb': () => [pattern(20 * MB + 3, 20)],
  '200-mb': () => [pattern(200 * MB + 7, 200)],
}

export const contentCases: readonly ConformanceCase[] = [
  ...Object.entries(CONTENTS).map(([name, contents]): ConformanceCase => ({
    id: `content/round-trip-${name}`,
    title: `Retrieving returns the same bytes: ${name.replaceAll('-', ' ')}`,
    level: 'two-method',
    ...(name === '200-mb' && { large: true }),
    async run({ storage }) {
      for (const content of contents()) {
        const what = `${content.length} bytes`
        const reference = await attempt(`storing ${what}`, () => storage.store('call_1_0', content))
        await checkContent(storage, reference, content, what)
      }
    },
  })),
  {
    id: 'content/input-copied-at-once',
    title: 'Changing a buffer while it is being stored does not change the entry',
    async run({ storage }) {
      const content = pattern(300_000, 9)
      const pending = storage.store('call_1_0', content)
      const expected = content.slice()
      content.fill(0x78)
      const reference = await pending
      await checkContent(storage, reference, expected, 'an entry whose buffer changed while it was being stored')
    },
  },
  {
    id: 'content/transferred',
    title: 'A buffer is stored even if it is transferred after the call, and each retrieval returns a copy',
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

/** Bytes whose `slice` is a view, like a Buffer of Node.js. */
class SharingBytes extends Uint8Array {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end)
  }
}

const SIZE = 1_000
const TYPE = 'Text/CSV; header=present'

/** Ranges of content with 1,000 bytes: inside it, empty, and past its end. */
const SPANS: readonly (readonly [offset: number, length: number])[] = [
  ...([1, SIZE, 0, 2 * SIZE, Number.MAX_SAFE_INTEGER] as const).map((length) => [0, length] as const),
  ...([1, 2, 1_000, 0] as const).flatMap((length) => [499, SIZE - 1, SIZE].map((offset) => [offset, length] as const)),
  ...([SIZE + 5, 10 * SIZE, Number.MAX_SAFE_INTEGER] as const).map((offset) => [offset, 1] as const),
  [SIZE + 5, 0],
  [5, Number.MAX_SAFE_INTEGER],
]

export const rangeCases: readonly ConformanceCase[] = [
  {
    id: 'range/equals-slice',
    title: 'Any range, even if empty or past the end, has the size and type, and equals the same slice of the content',
    requires: ['retrieveRange'],
    async run({ storage, random, thorough }) {
      for (const size of [0, SIZE, 200_000]) {
        const content = pattern(size, 13)
        const reference = await storage.store('call_1_0', content, TYPE)
        const any = Array.from({ length: thorough ? 500 : 50 }, (_, round) => {
          const length = randomBelow(random, round % 2 === 0 ? Math.max(1, size) : 300)
          return [randomBelow(random, size + 10), length] as const
        })
        for (const [offset, length] of [...SPANS, ...any]) {
          const what = `${length} bytes from ${offset} of ${size}`
          const found = await attempt(what, () => storage.retrieveRange(reference, { offset, length }))
          checkBytes(found.content, content.subarray(offset, offset + length), what)
          checkEqual([found.size, found.contentType], [size, TYPE], `size and content type with ${what}`)
        }
      }
    },
  },
  {
    id: 'range/of-large-content',
    title: "Ranges of 5 MB are correct at every boundary of the backend's chunks",
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
