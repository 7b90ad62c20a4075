import type { Storage } from '../../../storage/storage.ts'
import {
  attempt,
  check,
  checkBytes,
  checkEqual,
  fail,
  rejection,
  rejectionCode,
  unlessRejected,
} from '../../conformance-failure.ts'
import type { Capability, CaseContext, ConformanceCase, StorageSettings } from '../../harness.ts'
import { bytes, collect, pattern, pause, randomBelow, keysIn } from '../../sample.ts'
import { checkContent, opened, readable, readsOf } from './methods.ts'

const CHUNK = 100_000
const LONG = 6_000_000
const TTL_MS = 600_000
const DAY_MS = 86_400_000
const COUNT = 60
const FEW = 12

/** A stream that calls a function in the middle. */
async function* halfway(content: Uint8Array, then: () => Promise<void> | void): AsyncGenerator<Uint8Array> {
  const half = Math.floor(content.length / CHUNK / 2)
  for (let chunk = 0; chunk * CHUNK < content.length; chunk += 1) {
    if (chunk === half) await then()
    yield content.slice(chunk * CHUNK, (chunk + 1) * CHUNK)
  }
}

interface StreamEnd {
  readonly name: string
  readonly promise: string
  readonly requires?: ConformanceCase['requires']
  readonly settings?: StorageSettings
  readonly sizes?: readonly number[]
  /** Store a stream that ends with an error. */
  run(context: CaseContext, content: Uint8Array): Promise<unknown>
}

const STREAM_ENDS: readonly StreamEnd[] = [
  {
    name: 'failing',
    promise: 'whose source fails',
    run({ storage }, content) {
      const source = halfway(content, () => Promise.reject(new Error('the source failed')))
      return rejection('storing a failing stream', () => storage.storeStream('key', source))
    },
  },
  {
    name: 'aborted',
    promise: 'that is aborted',
    run({ storage }, content) {
      const controller = new AbortController()
      const { signal } = controller
      const source = halfway(content, () => controller.abort())
      return rejectionCode('aborted', 'an aborted stream', () =>
        storage.storeStream('key', source, 'text/plain', { signal }),
      )
    },
  },
  ...[250_000, 5_900_000].map((maxBytes): StreamEnd => ({
    name: `too-large-at-${maxBytes}`,
    promise: `over the limit of ${maxBytes} bytes`,
    settings: { maxBytes },
    sizes: [maxBytes + CHUNK],
    run: ({ storage }, content) =>
      rejectionCode('too-large', 'a stream over the limit', () =>
        storage.storeStream(
          'key',
          halfway(content, () => undefined),
        ),
      ),
  })),
  {
    name: 'cut-by-an-outage',
    promise: 'cut by an outage',
    requires: ['outage', 'gc', 'clock'],
    async run({ storage, powers }, content) {
      let restore = async (): Promise<void> => undefined
      const source = halfway(content, async () => void (restore = await powers.outage()))
      await rejectionCode('unavailable', 'a stream cut by an outage', () => storage.storeStream('key', source))
      await restore()
      powers.clock.advance(2 * DAY_MS)
      await storage.gc()
    },
  },
]

async function storeSome(storage: Storage, count = COUNT): Promise<Map<string, Uint8Array>> {
  const stored = new Map<string, Uint8Array>()
  for (let index = 0; index < count; index += 1) {
    const content = bytes(`content ${index}`)
    stored.set(await storage.store(`key ${index}`, content), content)
  }
  return stored
}

interface Interrupted {
  readonly name: Capability
  readonly run: (storage: Required<Storage>, signal?: AbortSignal) => Promise<unknown>
}

const LONG_OPERATIONS: readonly Interrupted[] = [
  { name: 'list', run: (storage, signal) => collect(storage.list({ signal })) },
  { name: 'clear', run: (storage, signal) => storage.clear({ signal }) },
  { name: 'gc', run: (storage, signal) => storage.gc({ signal }) },
]

const interrupted = (
  { name, run }: Interrupted,
  by: 'outage' | 'abort',
  interrupt: (context: CaseContext, controller: AbortController) => Promise<() => Promise<void>>,
): ConformanceCase => ({
  id: `${by}/in-the-middle-of-${name}`,
  title: `${name} interrupted by ${by === 'outage' ? 'an outage' : 'a signal'} rejects or completes, and all remaining entries are complete`,
  requires: [name, 'list', 'clear', 'clock', ...(by === 'outage' ? (['outage'] as const) : [])],
  settings: name === 'gc' ? { ttlMs: TTL_MS } : {},
  async run(context) {
    const { storage, powers, random, thorough } = context
    let stored = new Map<string, Uint8Array>()
    for (let round = 0; round < (thorough ? 6 : 2); round += 1) {
      // The other operations have removed everything.
      if (round === 0 || name !== 'list') stored = await storeSome(storage)
      if (name === 'gc') powers.clock.advance(TTL_MS + 1)
      const controller = new AbortController()
      const running = Promise.allSettled([run(storage, controller.signal)])
      await pause(1 + randomBelow(random, 60 * (round + 1)))
      const restore = await interrupt(context, controller)
      const [outcome] = await running
      await restore()
      const left = await collect(storage.list())
      if (outcome.status === 'rejected')
        await rejectionCode(by === 'outage' ? 'unavailable' : 'aborted', `an interrupted ${name}`, () =>
          running.then(() => Promise.reject(outcome.reason)),
        )
      else if (name === 'list') checkEqual((outcome.value as unknown[]).length, COUNT, 'entries of a complete list')
      else if (name === 'clear')
        checkEqual([outcome.value, left.length], [COUNT, 0], 'entries cleared and left by a complete clear')
      if (name === 'list') checkEqual(left.length, COUNT, 'entries after a list')
      // A list must change nothing, so reading a few entries is enough.
      for (const { reference } of name === 'list' ? left.slice(0, 5) : left)
        await readable(storage, reference, stored.get(reference) ?? bytes(''), `after an interrupted ${name}`)
      if (name === 'clear') checkEqual(await storage.clear(), left.length, 'entries cleared afterwards')
      if (name === 'gc') await storage.gc()
    }
  },
})

export const failureCases: readonly ConformanceCase[] = [
  ...STREAM_ENDS.map(
    ({ name, promise, requires = [], settings = {}, sizes = [300_000, LONG], run }): ConformanceCase => ({
      id: `stream/${name}-leaves-no-record`,
      title: `A stream ${promise} leaves no entry and no physical record, for any length of the stream`,
      requires: ['storeStream', 'list', 'residue', ...requires],
      settings,
      async run(context) {
        const { storage, powers } = context
        await storage.store('kept', bytes('content'))
        const before = await powers.residue()
        for (const size of sizes) {
          await run(context, pattern(size, 97))
          checkEqual(await keysIn(storage), ['kept'], `entries after ${size} bytes`)
          checkEqual(await powers.residue(), before, `number of records after ${size} bytes`)
        }
      },
    }),
  ),
  {
    id: 'stream/invisible-while-long',
    title: 'No instance sees any part of an entry before its stream of 6 MB has ended',
    requires: ['storeStream', 'list'],
    async run({ storage, powers }) {
      const { reopen = async () => storage } = powers as Partial<typeof powers>
      const instances = [storage, (await reopen()) as Required<Storage>]
      const content = pattern(LONG, 101)
      async function* source(): AsyncGenerator<Uint8Array> {
        for (let start = 0; start < LONG; start += CHUNK) {
          yield content.slice(start, start + CHUNK)
          if (start % (10 * CHUNK) === 0)
            for (const instance of instances)
              checkEqual(await collect(instance.list()), [], `entries after ${start} bytes`)
        }
      }
      const reference = await storage.storeStream('key', source())
      for (const instance of instances) await checkContent(instance, reference, content)
    },
  },
  ...(['clear', 'gc'] as const).map((name): ConformanceCase => ({
    id: `stream/${name}-meanwhile`,
    title: `If ${name} runs during a stream, the stream is stored whole or rejects`,
    requires: ['storeStream', 'list', name],
    async run({ storage }) {
      for (const size of [300_000, LONG]) {
        const content = pattern(size, 103)
        const reference = await storage.storeStream(
          'key',
          halfway(content, async () => void (await storage[name]())),
        )
        await readable(storage, reference, content, `after ${name}() ran during its stream`)
      }
    },
  })),
  {
    id: 'store/invisible-until-whole',
    title: 'While content is being stored, every method finds no entry or the whole entry',
    requires: ['list'],
    async run({ storage, another }) {
      const other = await another()
      for (const size of [10, 300_000, 3_000_000]) {
        const content = pattern(size, 107)
        const reference = await other.store('key', content, 'Text/CSV')
        let isStored = false
        const storing = storage.store('key', content, 'Text/CSV').finally(() => (isStored = true))
        const seeing = async (): Promise<void> => {
          for (let round = 0; round < 200 && !isStored; round += 1) {
            for (const { run } of readsOf(storage)) {
              const what = 'reading an entry that is being stored'
              const found = await unlessRejected('not-found', what, () => run(storage, reference))
              const { content: part, size: told } = Object(found) as { content?: Uint8Array; size?: number }
              if (part !== undefined && part.length !== 3) checkBytes(part, content, 'content seen meanwhile')
              if (told !== undefined) checkEqual(told, size, 'size seen meanwhile')
            }
            for (const info of await collect(storage.list()))
              if (info.reference === reference)
                checkEqual([info.size, info.contentType], [size, 'Text/CSV'], 'listed meanwhile')
            await pause()
          }
        }
        await Promise.all([storing, seeing()])
        await readable(storage, reference, content, 'after it is stored')
      }
    },
  },
  {
    id: 'store/again-in-place',
    title: 'An entry can be read while it is stored again',
    async run({ storage }) {
      const content = pattern(300_000, 109)
      const reference = await storage.store('key', content)
      for (let round = 0; round < 10; round += 1) {
        const storing = storage.store('key', content)
        const reading = Promise.all(
          Array.from({ length: 8 }, async (_, turn) => {
            await pause(turn * round)
            await checkContent(storage, reference, content, 'an entry during its store')
          }),
        )
        await Promise.all([storing, reading])
      }
    },
  },
  ...LONG_OPERATIONS.flatMap((operation) => [
    interrupted(operation, 'outage', ({ powers }) => powers.outage()),
    interrupted(operation, 'abort', async (_context, controller) => {
      controller.abort()
      return async () => undefined
    }),
  ]),
  {
    id: 'list/signal-and-outage-between-entries',
    title: 'An aborted list rejects between two entries, and never ends early as if it were complete',
    requires: ['list'],
    async run({ storage }) {
      await storeSome(storage)
      const controller = new AbortController()
      let seen = 0
      await rejectionCode('aborted', 'a list that is aborted after 3 entries', async () => {
        for await (const { reference } of storage.list({ signal: controller.signal })) {
          check(reference !== '', 'an entry has no reference')
          if ((seen += 1) === 3) controller.abort()
        }
      })
      check(seen < COUNT, 'the list continued to its end despite the signal')
    },
  },
  {
    id: 'list/left-open',
    title: 'Lists that are neither read to their end nor closed do not block other operations',
    requires: ['list', 'clear', 'delete'],
    async run({ storage }) {
      const stored = await storeSome(storage, FEW)
      const [first = ''] = stored.keys()
      for (let index = 0; index < 30; index += 1) {
        const iterator = storage.list()[Symbol.asyncIterator]()
        await iterator.next()
        if (index % 2 === 0) await iterator.return?.()
      }
      await storage.delete(first)
      await attempt('storing', () => storage.store('after', bytes('after')))
      checkEqual((await collect(storage.list())).length, FEW, 'entries')
      checkEqual(await storage.clear(), FEW, 'entries cleared')
    },
  },
  {
    id: 'outage/while-open',
    title: 'Content that is open during an outage returns its own bytes or is unavailable, and can be read afterwards',
    requires: ['outage', 'open'],
    async run({ storage, powers }) {
      const content = pattern(17_000_000, 113)
      const reference = await storage.store('key', content)
      await opened(storage, reference, async (open) => {
        checkBytes(await open.read(0, 10), content.subarray(0, 10), 'bytes before')
        const restore = await powers.outage()
        for (const offset of [0, 9_000_000, 16_999_990]) {
          const what = 'reading during an outage'
          const found = await unlessRejected('unavailable', what, () => open.read(offset, 1_000))
          if (found !== undefined)
            checkBytes(found, content.subarray(offset, offset + 1_000), 'bytes during the outage')
        }
        await restore()
        checkBytes(await open.read(9_000_000, 10), content.subarray(9_000_000, 9_000_010), 'bytes afterwards')
      })
    },
  },
  {
    id: 'abort/while-open',
    title: 'The signal of open ends only reads of the content that it opened',
    requires: ['open'],
    async run({ storage }) {
      const reference = await storage.store('key', bytes('content'))
      const controller = new AbortController()
      const own = await storage.open(reference, { signal: controller.signal })
      await opened(storage, reference, async (other) => {
        controller.abort()
        await rejectionCode('aborted', 'reading after the signal', () => own.read(0, 7))
        checkBytes(await other.read(0, 7), bytes('content'), 'what another reads')
        await own.close()
        await attempt('closing again', () => own.close())
        const closed = await own.read(0, 7).catch((error: unknown) => error)
        if (ArrayBuffer.isView(closed)) fail('content can be read after it was closed')
      })
    },
  },
]
