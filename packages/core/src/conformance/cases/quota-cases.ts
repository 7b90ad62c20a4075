import type { Storage } from '../../storage/storage.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect, pattern, stream } from '../sample.ts'

const SETTINGS = { maxBytes: 100_000 }
const PART = 40_000
const MINUTES = 120_000

const kept = (storage: Storage, reference: string, which: string): Promise<unknown> =>
  attempt(`retrieving the ${which} entry, which must have stayed`, () => storage.retrieve(reference))

const evicted = (storage: Storage, reference: string, which: string): ReturnType<typeof rejectionCode> =>
  rejectionCode('evicted', `retrieving the evicted ${which} entry`, () => storage.retrieve(reference))

/** A limit of bytes for each scope. */
export const quotaCases: readonly ConformanceCase[] = [
  {
    id: 'quota/evicts-least-recently-used',
    title: 'Beyond its bytes a scope loses what was used least recently, and no more than it must',
    requires: ['clock'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const first = await storage.store('first', pattern(PART, 1))
      clock.advance(MINUTES)
      const second = await storage.store('second', pattern(PART, 2))
      clock.advance(MINUTES)
      await storage.retrieve(first)
      clock.advance(MINUTES)
      const third = await storage.store('third', pattern(PART, 3), 'text/plain')
      await evicted(storage, second, 'second')
      await kept(storage, first, 'first, recently used')
      await kept(storage, third, 'new')
    },
  },
  {
    id: 'quota/error',
    title: 'The error tells that, when and why it was evicted, and has the metadata',
    requires: ['clock'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const metadata = { tool: 'read_log' }
      const reference = await storage.store('first', pattern(60_000, 1), 'text/plain', { metadata })
      clock.advance(MINUTES)
      await storage.store('second', pattern(60_000, 2))
      const { eviction } = await evicted(storage, reference, 'first')
      checkEqual([eviction?.reason, eviction?.metadata], ['quota', metadata], 'reason and metadata')
    },
  },
  {
    id: 'quota/holds',
    title: 'After many stores, streams among them, a scope has no more than its bytes, and the newest entry',
    requires: ['list', 'storeStream', 'clock'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      for (let index = 0; index < 40; index += 1) {
        const content = pattern(5_000 + index * 700, index)
        const newest = await (index % 2 === 0
          ? storage.store(`call_${index}`, content)
          : storage.storeStream(`call_${index}`, stream(content)))
        const listed = await collect(storage.list())
        const total = listed.reduce((sum, { size }) => sum + size, 0)
        check(total <= SETTINGS.maxBytes, `${total} bytes are stored after ${index + 1} stores`)
        check(
          listed.some(({ reference }) => reference === newest),
          'the newest entry is not there',
        )
        clock.advance(1_000)
      }
    },
  },
  {
    id: 'quota/for-each-scope',
    title: 'What one scope stores evicts nothing in others',
    requires: ['scope'],
    settings: SETTINGS,
    async run({ storage }) {
      const names = ['a', 'ab', 'A', 'b']
      const references: string[] = []
      for (const name of names) references.push(await storage.scope(name).store('call_1_0', pattern(90_000)))
      const unscoped = await storage.store('call_1_0', pattern(90_000))
      const below = await storage.scope('a', 'b').store('call_1_0', pattern(90_000))
      for (const [index, name] of names.entries()) await kept(storage.scope(name), references[index] as string, name)
      await kept(storage, unscoped, 'unscoped')
      await kept(storage.scope('a', 'b'), below, 'a/b')
    },
  },
  {
    id: 'quota/too-large',
    title: 'What would not fit even alone is refused with too-large, and nothing is evicted for it',
    requires: ['storeStream', 'list'],
    settings: SETTINGS,
    async run({ storage }) {
      const reference = await storage.store('fitting', pattern(SETTINGS.maxBytes))
      const large = pattern(SETTINGS.maxBytes + 1)
      await rejectionCode('too-large', 'storing too much', () => storage.store('large', large))
      await rejectionCode('too-large', 'streaming too much', () =>
        storage.storeStream('large', stream(large.subarray(0, PART), large.subarray(PART))),
      )
      await kept(storage, reference, 'fitting')
      checkEqual((await collect(storage.list())).length, 1, 'number of entries')
    },
  },
  {
    id: 'quota/deleting-makes-room',
    title: 'Deleting and clearing make room: nothing is evicted while the rest fits',
    requires: ['delete', 'clear', 'scope'],
    settings: SETTINGS,
    async run({ storage }) {
      const first = await storage.store('first', pattern(PART, 1))
      const second = await storage.store('second', pattern(PART, 2))
      await storage.delete(second)
      const third = await storage.store('third', pattern(PART, 3))
      await kept(storage, first, 'first')
      await kept(storage, third, 'third')
      const scope = storage.scope('a') as Required<Storage>
      await scope.store('first', pattern(PART, 1))
      await scope.store('second', pattern(PART, 2))
      await scope.clear()
      const again = await scope.store('third', pattern(PART, 3))
      const last = await scope.store('fourth', pattern(PART, 4))
      await kept(scope, again, 'first after clearing')
      await kept(scope, last, 'second after clearing')
    },
  },
  {
    id: 'quota/parallel-stores-that-fit',
    title: 'Entries stored in parallel that fit together all stay',
    requires: ['scope'],
    settings: SETTINGS,
    async run({ storage }) {
      for (let round = 0; round < 5; round += 1) {
        const scope = storage.scope(`round ${round}`)
        const stores = Array.from({ length: 10 }, (_, index) => scope.store(`call_${index}`, pattern(9_000, index)))
        for (const reference of await Promise.all(stores)) await kept(scope, reference, 'parallel')
      }
    },
  },
  {
    id: 'quota/storing-again-needs-no-room',
    title: 'Storing what exists evicts nothing',
    settings: SETTINGS,
    async run({ storage }) {
      const first = await storage.store('first', pattern(PART, 1))
      const second = await storage.store('second', pattern(PART, 2))
      for (let time = 0; time < 5; time += 1) await storage.store('second', pattern(PART, 2))
      await kept(storage, first, 'first')
      await kept(storage, second, 'second')
    },
  },
  {
    id: 'quota/earlier-instance',
    title: 'Entries of an earlier instance count',
    requires: ['reopen', 'clock'],
    settings: SETTINGS,
    async run({ storage, powers }) {
      const first = await storage.store('first', pattern(PART, 1))
      powers.clock.advance(MINUTES)
      const second = await storage.store('second', pattern(PART, 2))
      await storage.close?.()
      const reopened = await powers.reopen()
      powers.clock.advance(MINUTES)
      const third = await reopened.store('third', pattern(PART, 3))
      await rejectionCode(['evicted', 'not-found'], 'retrieving the oldest entry', () => reopened.retrieve(first))
      await kept(reopened, second, 'second')
      await kept(reopened, third, 'third')
      await reopened.store('small', bytes('small'))
      await kept(reopened, second, 'second')
    },
  },
]
