import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkBytes, rejectionOfMistake } from '../conformance-failure.ts'
import { bytes, pattern } from '../sample.ts'
import type { Storage } from '../../storage/storage.ts'

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
    title: '1 byte comes back, whichever it is',
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
    title: 'Text is not normalised: line ends, byte order marks and invalid UTF-8 stay',
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
    title: 'Only the part of a buffer that a view shows is stored',
    level: 'two-method',
    async run({ storage }) {
      const buffer = pattern(1000, 7)
      await roundTrip(storage, buffer.subarray(100, 300))
    },
  },
  {
    id: 'content/input-copied',
    title: 'Changing a buffer after it was stored changes nothing stored',
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
    title: 'Changing a buffer while it is being stored changes nothing stored',
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
    id: 'content/input-copied-from-buffer',
    title: "A buffer whose slice() shares memory, as that of Node's Buffer does, is copied nevertheless",
    level: 'two-method',
    async run({ storage }) {
      const content = new SharingBytes(bytes('as it was stored'))
      const reference = await storage.store('call_1_0', content)
      content.fill(0x78)
      const first = await storage.retrieve(reference)
      checkBytes(first.content, bytes('as it was stored'), 'content after the change')
      first.content.fill(0x79)
      checkBytes((await storage.retrieve(reference)).content, bytes('as it was stored'), 'content read again')
    },
  },
  {
    id: 'content/output-copied',
    title: 'Changing what was retrieved changes nothing stored',
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
    title: 'A buffer that is given away is stored, and what is retrieved is a copy of it',
    async run({ storage }) {
      const given = new SharingBytes(bytes('given away'))
      const reference = await storage.store('call_1_0', given, 'text/plain', { transfer: true })
      const first = await storage.retrieve(reference)
      checkBytes(first.content, bytes('given away'), 'content')
      first.content.fill(0x78)
      checkBytes((await storage.retrieve(reference)).content, bytes('given away'), 'content retrieved again')
    },
  },
  {
    id: 'content/only-bytes',
    title: 'What is not bytes is refused as a mistake, and nothing is stored',
    requires: ['list'],
    async run({ storage }) {
      for (const mistake of ['text', new ArrayBuffer(3), [1, 2, 3], null, undefined, new DataView(new ArrayBuffer(3))])
        await rejectionOfMistake(`storing ${Object.prototype.toString.call(mistake)}`, () =>
          storage.store('call_1_0', mistake as unknown as Uint8Array),
        )
      for await (const { reference } of storage.list()) check(false, `${reference} was stored nevertheless`)
    },
  },
]

/** Behaves as Node's Buffer, whose `slice` is a view. */
class SharingBytes extends Uint8Array {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end)
  }
}
