import type { OpenContent, Storage } from '../../storage/storage.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { ConformanceCase } from '../harness.ts'
import { attempt, check, checkBytes, checkEqual, fail, rejectionCode } from '../conformance-failure.ts'
import { bytes, pattern, randomBelow, stream } from '../sample.ts'

const TYPE = 'Text/CSV; header=present'
/** More than is read at once as a whole. */
const LARGE = 17_000_003
const TTL_MS = 600_000

/** Open content, use it, and close it. */
async function opened<Result>(
  storage: Required<Storage>,
  reference: string,
  use: (content: OpenContent) => Promise<Result>,
): Promise<Result> {
  const content = await attempt(`opening ${reference}`, () => storage.open(reference))
  try {
    return await use(content)
  } finally {
    await content.close()
  }
}

async function checkRead(open: OpenContent, content: Uint8Array, offset: number, length: number): Promise<void> {
  const what = `${length} bytes from ${offset} of ${content.length}`
  checkBytes(await attempt(what, () => open.read(offset, length)), content.subarray(offset, offset + length), what)
}

/** Lines of some length each, a power of ten, so that the last does not end. */
function lines(count: number, length: number): Uint8Array {
  const content = new Uint8Array(count * length + 1).fill(0x61)
  for (let line = 1; line <= count; line += 1) content[line * length - 1] = 0x0a
  return content
}

/** What is opened is read like what is retrieved, until it is gone. */
export const openCases: readonly ConformanceCase[] = [
  {
    id: 'open/equals-slice',
    title: 'Opened content has the type and size, and any part of it equals the slice of the whole',
    requires: ['open'],
    async run({ storage, random, thorough }) {
      for (const size of [0, 1, 1_000, 65_536, 200_000]) {
        const content = pattern(size, 23)
        const reference = await storage.store(`of_${size}`, content, TYPE)
        await opened(storage, reference, async (open) => {
          checkEqual([open.contentType, open.size], [TYPE, size], 'content type and size')
          for (let round = 0; round < (thorough ? 200 : 20); round += 1)
            await checkRead(open, content, randomBelow(random, size + 10), randomBelow(random, size + 20))
          await checkRead(open, content, 0, size)
          await checkRead(open, content, size, 1)
        })
      }
    },
  },
  {
    id: 'open/of-large-content',
    title: 'Parts of 17 MB are right, small and large, read again, and by several at once',
    requires: ['open'],
    async run({ storage }) {
      const content = pattern(LARGE, 29)
      const reference = await storage.store('large', content, TYPE)
      await opened(storage, reference, async (open) => {
        const parts: Promise<void>[] = []
        for (const boundary of [65_536, 131_072, 1_048_576, 8_388_608, LARGE - 65_536])
          for (const length of [4, 65_536, 140_000, 2_000_000])
            for (let time = 0; time < 2; time += 1) parts.push(checkRead(open, content, boundary - 2, length))
        await Promise.all(parts)
        await checkRead(open, content, LARGE - 3, 10)
      })
    },
  },
  {
    id: 'open/many-at-once',
    title: 'Content that many open and read at the same time is right for each',
    requires: ['open'],
    async run({ storage }) {
      const content = pattern(300_000, 31)
      const reference = await storage.store('shared', content, TYPE)
      const read = (index: number): Promise<void> =>
        opened(storage, reference, (open) => checkRead(open, content, index * 1_000, index * 20_000))
      await Promise.all(Array.from({ length: 20 }, (_, index) => read(index)))
    },
  },
  {
    id: 'open/line-index',
    title: 'The line index is that of the content, however it was stored',
    requires: ['open'],
    async run({ storage }) {
      // Of one size, so that only their own indexes fit.
      const contents = [lines(30_000, 100), lines(300_000, 10)]
      const references: string[] = []
      for (const [position, content] of contents.entries())
        references.push(await storage.store(`lines_${position}`, content))
      const streamed = contents[0] as Uint8Array
      if (typeof storage.storeStream === 'function') {
        const parts = [streamed.subarray(0, 1), streamed.subarray(1, 100_000), streamed.subarray(100_000)]
        references.push(await storage.storeStream('lines', stream(...parts)))
        contents.push(streamed)
      }
      for (const [position, reference] of references.entries()) {
        const count = (contents[position] as Uint8Array).filter((byte) => byte === 0x0a).length
        await opened(storage, reference, async (open) => {
          const index = await open.lineIndex?.()
          if (index !== undefined) checkEqual(index.lines, count + 1, 'lines')
        })
      }
    },
  },
  {
    id: 'open/unknown',
    title: 'What was never stored, or is no reference, cannot be opened',
    requires: ['open'],
    async run({ storage }) {
      await rejectionCode('not-found', 'opening what is not there', () => storage.open('call_9_9_abcdefghijklmnopqrst'))
      await rejectionCode('invalid-reference', 'opening a path', () => storage.open('../../etc/passwd'))
    },
  },
  {
    id: 'open/walled',
    title: 'What was opened in one scope cannot be opened in another',
    requires: ['open', 'scope'],
    async run({ storage }) {
      const [own, other] = ['tenant-1', 'tenant-2'].map((name) => storage.scope(name) as Required<Storage>) as [
        Required<Storage>,
        Required<Storage>,
      ]
      const reference = await own.store('call_1_0', bytes('content'))
      await opened(own, reference, (open) => checkRead(open, bytes('content'), 0, 7))
      for (const stranger of [other, storage])
        await rejectionCode('not-found', 'opening it from another scope', () => stranger.open(reference))
    },
  },
  {
    id: 'open/removed',
    title: 'What was removed cannot be opened any more, though it was read before',
    requires: ['open', 'delete', 'clear'],
    async run({ storage }) {
      const remove: readonly ((reference: string) => Promise<unknown>)[] = [
        (reference) => storage.delete(reference),
        () => storage.clear(),
      ]
      for (const [turn, removed] of remove.entries()) {
        const reference = await storage.store(`call_${turn}`, bytes('content'))
        await opened(storage, reference, (open) => checkRead(open, bytes('content'), 0, 7))
        await removed(reference)
        await rejectionCode('not-found', 'opening what was removed', () => storage.open(reference))
      }
    },
  },
  {
    id: 'open/removed-while-open',
    title: 'Content that is removed while it is open gives its own bytes or says that it is gone',
    requires: ['open', 'delete'],
    async run({ storage }) {
      const content = pattern(LARGE, 37)
      const reference = await storage.store('large', content, TYPE)
      await opened(storage, reference, async (open) => {
        await checkRead(open, content, 0, 10)
        await storage.delete(reference)
        for (const [offset, length] of [
          [0, 10],
          [9_000_000, 65_536],
          [LARGE - 2_000_000, 2_000_000],
        ] as const) {
          const found = await open.read(offset, length).catch((error: unknown) => error)
          if (found instanceof Uint8Array) checkBytes(found, content.subarray(offset, offset + length), 'bytes')
          else if (!StorageError.isInstance(found) || !['not-found', 'evicted', 'corrupt'].includes(found.code))
            fail(`reading what was removed: expected its bytes, or that it is gone, got ${String(found)}`)
        }
      })
    },
  },
  {
    id: 'open/expires',
    title: 'What has expired cannot be opened, though it was read before',
    requires: ['open', 'clock'],
    settings: { ttlMs: TTL_MS },
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      await opened(storage, reference, (open) => checkRead(open, bytes('content'), 0, 7))
      clock.advance(TTL_MS + 1_000)
      await rejectionCode('evicted', 'opening what has expired', () => storage.open(reference))
    },
  },
  {
    id: 'open/refreshes-age',
    title: 'Opening starts the age again',
    requires: ['open', 'clock'],
    settings: { ttlMs: TTL_MS },
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      for (let use = 0; use < 4; use += 1) {
        await opened(storage, reference, async () => undefined)
        clock.advance(TTL_MS - 1_000)
      }
      await opened(storage, reference, (open) => checkRead(open, bytes('content'), 0, 7))
    },
  },
  {
    id: 'open/refreshes',
    title: 'Opening counts as use, turn after turn',
    requires: ['open', 'endTurn'],
    settings: { evictAfterTurns: 2 },
    async run({ storage }) {
      const reference = await storage.store('used', bytes('content'))
      for (let turn = 0; turn < 6; turn += 1) {
        const { evicted } = await storage.endTurn()
        check(evicted.length === 0, `it was evicted at turn ${turn}, though it was opened in each`)
        await opened(storage, reference, async () => undefined)
      }
      for (let turn = 0; turn < 3; turn += 1) await storage.endTurn()
      await rejectionCode('evicted', 'opening what went unused', () => storage.open(reference))
    },
  },
]
