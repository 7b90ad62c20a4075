import type { CaseContext, ConformanceCase } from '../conformance-case.ts'
import { attempt, checkBytes, checkEqual, rejectionOfMistake } from '../conformance-failure.ts'
import { bytes, pattern, randomBelow } from '../sample.ts'

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
    title: 'Ranges of 5 MB are right, wherever the backend cuts it into pieces',
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
    id: 'range/output-copied',
    title: 'Changing a range that was retrieved changes nothing stored',
    requires: ['retrieveRange'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      for (const length of [3, 7]) (await storage.retrieveRange(reference, { offset: 0, length })).content.fill(0x78)
      checkBytes((await storage.retrieve(reference)).content, bytes('content'), 'content')
    },
  },
  {
    id: 'range/bad-ranges-refused',
    title: 'Ranges that are not whole numbers of bytes from the start are refused as mistakes',
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
