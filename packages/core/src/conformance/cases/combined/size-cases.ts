import type { Storage } from '../../../storage/storage.ts'
import { attempt, check, checkBytes, checkEqual, rejectionOfMistake } from '../../conformance-failure.ts'
import type { CaseContext, ConformanceCase } from '../../harness.ts'
import { bytes, collect, pattern, randomBelow, stream } from '../../sample.ts'
import { checkContent, opened } from './methods.ts'

const KB = 1_024
const MB = KB * KB
const BLOCK = 64 * KB
/** Sizes at which backends, clients and protocols split content. */
const BOUNDARIES: readonly number[] = [64 * KB, 256 * KB, MB, 5 * MB, 8 * MB]
const TYPE = 'Text/X-Log; a="b c"'
const METADATA = { tool: 'read_log', note: 'é\n' }

/** Text with lines of different lengths. */
function text(size: number): Uint8Array {
  const content = pattern(size, 73)
  for (let index = 0; index < size; index += 1) content[index] = 0x20 + ((content[index] as number) & 0x3f)
  for (let index = 7; index < size; index += 1 + (content[index] as number)) content[index] = 0x0a
  return content
}

/** Keys that a careless encoding would map to the same key. */
const ALIKE_KEYS: readonly string[] = [
  ...['call', 'Call', 'a', 'A', ' a', 'a ', 'a\n', 'a\u0000', 'a.', 'a_', '_a', 'a-', 'a/', '/a', 'a%', 'а', 'ａ'],
  ...['é', 'e\u0301', '\ud800', '\ud801', '\udc00', '\ufffd', '', '_', 'entry', 'k'.repeat(1_500), 'k'.repeat(1_501)],
  ...[`${'k'.repeat(200)}a`, `${'k'.repeat(200)}b`],
]

async function* cut(content: Uint8Array, random: () => number): AsyncGenerator<Uint8Array> {
  const lengths = [BLOCK, 100_000, MB, content.length, 1 + randomBelow(random, 300_000)]
  const length = lengths[randomBelow(random, lengths.length)] as number
  for (let start = 0; start < content.length; start += length) yield content.subarray(start, start + length)
}

async function checkWhole({ storage }: CaseContext, reference: string, content: Uint8Array): Promise<void> {
  const size = content.length
  const what = `of ${size} bytes`
  await checkContent(storage, reference, content, `an entry ${what}`, TYPE)
  const info = await storage.stat(reference)
  checkEqual(
    [info.key, info.contentType, info.size, info.metadata],
    ['key', TYPE, size, METADATA],
    `description ${what}`,
  )
  for (const [offset, length] of [
    [0, 1],
    [size - 2, 5],
    [Math.max(1, Math.floor(size / BLOCK) * BLOCK) - 1, 3],
  ] as const) {
    const range = await storage.retrieveRange(reference, { offset, length })
    checkBytes(range.content, content.subarray(offset, offset + length), `${length} bytes from ${offset} ${what}`)
    checkEqual([range.size, range.contentType], [size, TYPE], `size and type of a range ${what}`)
  }
  await opened(storage, reference, async (open) => {
    checkEqual([open.size, open.contentType], [size, TYPE], `size and type when opened, ${what}`)
    checkBytes(await open.read(0, size), content, `content when opened, ${what}`)
    const index = await open.lineIndex?.()
    if (index === undefined) return
    let ends = 0
    for (let block = 0; block <= index.blocks; block += 1) {
      checkEqual(index.lineEndsBefore(block), ends, `line ends before block ${block} ${what}`)
      const part = content.subarray(block * BLOCK, (block + 1) * BLOCK)
      for (let at = part.indexOf(0x0a); at >= 0; at = part.indexOf(0x0a, at + 1)) ends += 1
    }
  })
}

const atBoundaries = (
  id: string,
  title: string,
  store: (context: CaseContext, content: Uint8Array) => Promise<string>,
): ConformanceCase => ({
  id,
  title,
  requires: ['storeStream', 'stat', 'retrieveRange', 'open'],
  async run(context) {
    const whole = text(8 * MB + 1)
    for (const size of BOUNDARIES.flatMap((boundary) => [boundary - 1, boundary, boundary + 1])) {
      const content = whole.subarray(0, size)
      const reference = await attempt(`storing ${size} bytes`, () => store(context, content))
      await checkWhole(context, reference, content)
    }
  },
})

function checkBits(references: readonly string[]): void {
  const places = Array.from({ length: 20 }, (_, place) => references.map((one) => one.at(-1 - place) ?? ''))
  const independent = places.filter(
    (letters, place) =>
      !places.slice(0, place).some((earlier) => new Set(letters.map((letter, at) => letter + earlier[at])).size <= 64),
  )
  const longer = Array.from({ length: 44 }, (_, place) => new Set(references.map((one) => one.at(-21 - place))).size)
  const sizes = [...independent.map((letters) => new Set(letters).size), ...longer]
  const bits = sizes.reduce((sum, letters) => sum + Math.log2(letters), 0)
  check(
    bits > 94,
    `references differ in ${Math.floor(bits)} bits: expected at least 96, so that none are equal by chance`,
  )
}

export const sizeCases: readonly ConformanceCase[] = [
  atBoundaries(
    'store/at-boundaries',
    'Content of 64 or 256 KB, 1, 5 or 8 MB, or one byte less or more, is stored whole, with type, metadata and lines',
    ({ storage }, content) => storage.store('key', content, TYPE, { metadata: METADATA }),
  ),
  atBoundaries(
    'stream/at-boundaries',
    'Streams of 64 or 256 KB, 1, 5 or 8 MB, or one byte less or more, are stored whole, with type, metadata and lines',
    ({ storage, random }, content) => storage.storeStream('key', cut(content, random), TYPE, { metadata: METADATA }),
  ),
  {
    id: 'store/late-differences',
    title: 'Contents that differ in one byte anywhere, or in zeros at their end, have different references',
    level: 'two-method',
    async run({ storage, random }) {
      for (const size of [1, 64, 1_000, 65_536, 70_000 + randomBelow(random, 1_000), 1_100_000, 3_000_000]) {
        const base = pattern(size, 79)
        const contents = [base, new Uint8Array(size + 1), new Uint8Array(size + 2), new Uint8Array(size + 64)]
        for (const content of contents.slice(1)) content.set(base)
        for (const position of new Set([0, size >> 1, size - 1, Math.max(0, size - 3)])) {
          const changed = base.slice()
          changed[position] = (changed[position] as number) ^ 1
          contents.push(changed)
        }
        const references: string[] = []
        for (const content of contents) references.push(await storage.store('key', content))
        checkEqual(
          new Set(references).size,
          contents.length,
          `references of ${contents.length} contents of ${size} bytes`,
        )
        for (const [index, reference] of references.entries())
          await checkContent(storage, reference, contents[index]!, `content ${index} of ${size}`)
      }
    },
  },
  {
    id: 'store/alike-types-and-keys',
    title:
      'Entries differ if their types differ in case or spaces, or their keys in case or after thousands of characters',
    async run({ storage: whole, random }) {
      const types = [
        'text/plain',
        'Text/Plain',
        'text/PLAIN',
        'text/plain;a=b',
        'text/plain; a=b',
        'text/plain ;a=b',
        'text/plain; a=B',
      ]
      const lengths = [100, 1_000, 2_000, 4_096, 60_000]
      const late = lengths.flatMap((length) => ['a', 'b'].map((end) => 'k'.repeat(length) + end))
      const keys = [...ALIKE_KEYS, ...late]
      const inputs: (readonly [string, string])[] = types.map((type) => ['key', type])
      inputs.push(...keys.map((key) => [key, 'text/plain'] as const))
      const scope = whole.scope?.(`scope ${random()}`) as Required<Storage> | undefined
      for (const storage of scope === undefined ? [whole] : [whole, scope]) {
        const seen = new Map<string, string>()
        for (const [key, type] of inputs) {
          const reference = await storage.store(key, bytes('content'), type)
          const shown = `${JSON.stringify(key.slice(-20))} ${type}`
          check(!seen.has(reference), `${seen.get(reference)} and ${shown} got one reference`)
          seen.set(reference, shown)
          checkEqual((await storage.retrieve(reference)).contentType, type, 'content type')
          if (typeof storage.stat !== 'function') continue
          check((await storage.stat(reference)).key === key, `the key ending in ${key.slice(-20)} came back changed`)
        }
      }
    },
  },
  {
    id: 'reference/96-bits',
    title: 'References differ in at least 96 bits',
    async run({ storage }) {
      const indexes = Array.from({ length: 160 }, (_, index) => index)
      const stores = [(index: number) => storage.store('key', bytes(`${index}`))]
      if (typeof storage.storeStream === 'function')
        stores.push((index) => storage.storeStream('key', stream(bytes(`${index}`))))
      for (const store of stores) checkBits(await Promise.all(indexes.map(store)))
    },
  },
  {
    id: 'content/kinds-of-bytes',
    title: 'Buffers, views, resizable and shared memory are copied before store resolves',
    level: 'two-method',
    async run({ storage, random }) {
      const size = 100 + randomBelow(random, 100)
      const expected = pattern(size, 83)
      const resizable = new Uint8Array(new ArrayBuffer(size, { maxByteLength: 2 * size }))
      const views = [
        resizable,
        new Uint8Array(new SharedArrayBuffer(size)),
        new Uint8Array(new ArrayBuffer(size + 16), 5, size),
      ]
      const { Buffer } = globalThis as { Buffer?: typeof globalThis.Buffer }
      if (Buffer !== undefined) views.push(Buffer.allocUnsafe(size), Buffer.alloc(size + 3).subarray(3))
      for (const [index, view] of views.entries()) {
        view.set(expected)
        const reference = await storage.store(`key ${index}`, view)
        view.fill(0)
        if (view === resizable) resizable.buffer.resize(0)
        await checkContent(storage, reference, expected, `memory of kind ${index}`)
      }
    },
  },
  {
    id: 'content/other-arrays-refused',
    title:
      'Content that is not bytes, for example text or another typed array, rejects with a TypeError and is not stored',
    requires: ['storeStream', 'list'],
    async run({ storage }) {
      const arrays = [Int8Array, Uint8ClampedArray, Uint16Array, Int32Array, Float32Array, Float64Array, BigUint64Array]
      const others = [
        'text',
        '',
        [1, 2, 3],
        null,
        undefined,
        { length: 8 },
        new ArrayBuffer(3),
        new SharedArrayBuffer(8),
      ]
      const mistakes = [...arrays.map((Kind) => new Kind(8)), ...others, new DataView(new ArrayBuffer(3))] as unknown[]
      for (const mistake of mistakes as Uint8Array[]) {
        const what = Object.prototype.toString.call(mistake)
        await rejectionOfMistake(`storing ${what}`, () => storage.store('key', mistake))
        await rejectionOfMistake(`streaming ${what}`, () => storage.storeStream('key', stream(bytes('a'), mistake)))
      }
      checkEqual(await collect(storage.list()), [], 'entries')
    },
  },
  {
    id: 'content/own-memory',
    title: 'Retrieved content is a plain array that the caller can change and transfer, and shares no memory',
    level: 'two-method',
    async run({ storage }) {
      for (const size of [1, 100, 70_000]) {
        const expected = pattern(size, 89)
        const reference = await storage.store('key', expected)
        const reads = [() => storage.retrieve(reference), () => storage.retrieve(reference)]
        if (typeof storage.retrieveRange === 'function')
          reads.push(() => storage.retrieveRange(reference, { offset: 0, length: size }))
        const results = await Promise.all(reads.map((read) => read()))
        for (const { content } of results) {
          checkBytes(content, expected, `content of ${size} bytes`)
          check(Object.getPrototypeOf(content) === Uint8Array.prototype, 'the content is not a plain Uint8Array')
          check(content.buffer instanceof ArrayBuffer, 'the content is in shared memory')
        }
        checkEqual(new Set(results.map(({ content }) => content.buffer)).size, results.length, 'different memories')
        for (const { content } of results) {
          content.fill(0)
          structuredClone(content, { transfer: [content.buffer as ArrayBuffer] })
        }
        for (const read of reads) {
          const { content } = await attempt('reading after earlier results were transferred', () => read())
          checkBytes(content, expected, 'content after earlier results were transferred')
        }
      }
    },
  },
]
