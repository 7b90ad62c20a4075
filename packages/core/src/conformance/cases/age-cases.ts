import type { Storage } from '../../storage/storage.ts'
import { attempt, check, checkEqual, rejectionCode } from '../conformance-failure.ts'
import type { ConformanceCase } from '../harness.ts'
import { bytes, collect, pattern, pause, stream } from '../sample.ts'
import { checkContent, checkEvicted, checkKept } from './combined/methods.ts'

const TTL_MS = 600_000
const SETTINGS = { ttlMs: TTL_MS }
const YEAR_MS = 365 * 24 * 3_600_000

export const ageCases: readonly ConformanceCase[] = [
  {
    id: 'age/expires',
    title:
      'An entry exists until it expires, even if the clock is set back. Then every caller gets evicted with the reason',
    requires: ['clock', 'stat', 'list'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const metadata = { tool: 'read_log' }
      const reference = await storage.store('call_1_0', bytes('content'), 'text/plain', { metadata })
      const { expiresAt, lastUsedAt } = await storage.stat(reference)
      checkEqual(expiresAt, lastUsedAt + TTL_MS, 'expiresAt')
      clock.advance(-YEAR_MS)
      await attempt('describing the entry with the clock set back', () => storage.stat(reference))
      clock.advance(YEAR_MS + TTL_MS - 1_000)
      await attempt('describing the entry before it expires', () => storage.stat(reference))
      clock.advance(1_001)
      checkEqual(await collect(storage.list()), [], 'entries listed')
      await rejectionCode('evicted', 'describing the expired entry', () => storage.stat(reference))
      const again = Array.from({ length: 10 }, () => checkEvicted(storage, reference))
      const [{ eviction }] = await Promise.all([checkEvicted(storage, reference), ...again])
      checkEqual([eviction?.reason, eviction?.metadata], ['age', metadata], 'reason and metadata')
      check((eviction?.evictedAt ?? Infinity) <= clock.now(), 'evictedAt is in the future')
    },
  },
  {
    id: 'age/revived-by-storing',
    title: 'Storing an expired entry again restores it, whether or not it was collected',
    requires: ['clock', 'gc'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      for (const collected of [false, true]) {
        const reference = await storage.store('call_1_0', bytes('content'))
        clock.advance(2 * TTL_MS)
        if (collected) await storage.gc()
        checkEqual(await storage.store('call_1_0', bytes('content')), reference, 'reference')
        await checkKept(storage, reference)
        await storage.gc()
        await checkKept(storage, reference)
      }
    },
  },
  {
    id: 'gc/removes-the-expired',
    title: 'gc removes expired entries and returns their number and size; other entries are kept',
    requires: ['clock', 'gc', 'list'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const old = [await storage.store('old_1', pattern(100)), await storage.store('old_2', pattern(50))]
      clock.advance(TTL_MS - 10_000)
      const fresh = await storage.store('fresh', pattern(10))
      clock.advance(10_001)
      const report = await storage.gc()
      checkEqual([report.expired, report.bytes], [2, 150], 'entries and bytes collected')
      for (const reference of old) await checkEvicted(storage, reference)
      await checkKept(storage, fresh)
      checkEqual((await storage.gc()).expired, 0, 'entries collected again')
    },
  },
  {
    id: 'gc/nothing-to-do',
    title: 'gc removes no entry without ttlMs',
    requires: ['gc', 'clock'],
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      clock.advance(1_000 * TTL_MS)
      checkEqual(await storage.gc(), { expired: 0, leftovers: 0, bytes: 0 }, 'report')
      await checkKept(storage, reference)
    },
  },
  ...(['a-store', 'another-instance'] as const).map((who): ConformanceCase => ({
    id: `gc/never-takes-what-${who}-found`,
    title: `An entry that is stored again is kept, even if ${who === 'a-store' ? 'gc' : 'gc of another instance'} runs`,
    requires: ['clock', 'gc', ...(who === 'a-store' ? [] : (['reopen'] as const))],
    settings: SETTINGS,
    async run({ storage, powers, thorough }) {
      const other = who === 'a-store' ? storage : ((await powers.reopen()) as Required<Storage>)
      for (let round = 0; round < (thorough ? 500 : 60); round += 1) {
        await storage.store('expiring', bytes('content'))
        powers.clock.advance(TTL_MS + 1_000)
        const collecting = (async () => {
          await pause(1 + (round % 3))
          await other.gc()
        })()
        await pause((round * 7) % 40)
        const reference = await storage.store('expiring', bytes('content'))
        await collecting
        await checkContent(storage, reference, bytes('content'), `the entry stored during gc ${round}`)
      }
    },
  })),
]

const QUOTA_SETTINGS = { maxBytes: 100_000 }
const PART = 40_000
const MINUTES = 120_000

export const quotaCases: readonly ConformanceCase[] = [
  {
    id: 'quota/evicts-least-recently-used',
    title: 'A scope over maxBytes loses only its least recently used entries, even if the clock is set back',
    requires: ['clock', 'delete'],
    settings: QUOTA_SETTINGS,
    async run({ storage, powers: { clock } }) {
      const first = await storage.store('first', pattern(PART, 1))
      clock.advance(MINUTES)
      const metadata = { tool: 'read_log' }
      const second = await storage.store('second', pattern(PART, 2), 'text/plain', { metadata })
      clock.advance(MINUTES)
      await storage.retrieve(first)
      clock.advance(MINUTES)
      const third = await storage.store('third', pattern(PART, 3), 'text/plain')
      const { eviction } = await checkEvicted(storage, second, 'second')
      checkEqual([eviction?.reason, eviction?.metadata], ['quota', metadata], 'reason and metadata')
      await checkKept(storage, first, 'first, recently used')
      await checkKept(storage, third, 'new')
      clock.advance(-YEAR_MS)
      const fourth = await storage.store('fourth', pattern(PART, 4))
      // After a deletion, the storage counts the bytes of the scope again.
      await storage.delete(await storage.store('small', bytes('content')))
      clock.advance(MINUTES)
      const fifth = await storage.store('fifth', pattern(PART, 5))
      await checkEvicted(storage, third, 'third, from before the clock was set back,')
      await checkKept(storage, fourth, 'fourth')
      await checkKept(storage, fifth, 'new')
    },
  },
  {
    id: 'quota/holds',
    title: 'After many stores and streams, a scope is within maxBytes and has its newest entry',
    requires: ['list', 'storeStream', 'clock'],
    settings: QUOTA_SETTINGS,
    async run({ storage, powers: { clock } }) {
      for (let index = 0; index < 40; index += 1) {
        const content = pattern(5_000 + index * 700, index)
        const newest = await (index % 2 === 0
          ? storage.store(`call_${index}`, content)
          : storage.storeStream(`call_${index}`, stream(content)))
        const listed = await collect(storage.list())
        const total = listed.reduce((sum, { size }) => sum + size, 0)
        check(total <= QUOTA_SETTINGS.maxBytes, `${total} bytes are stored after ${index + 1} stores`)
        check(
          listed.some(({ reference }) => reference === newest),
          'the newest entry is missing',
        )
        clock.advance(1_000)
      }
    },
  },
  {
    id: 'quota/for-each-scope',
    title: 'Storing in one scope evicts nothing in other scopes',
    requires: ['scope'],
    settings: QUOTA_SETTINGS,
    async run({ storage }) {
      const names = ['a', 'ab', 'A', 'b']
      const references: string[] = []
      for (const name of names) references.push(await storage.scope(name).store('call_1_0', pattern(90_000)))
      const unscoped = await storage.store('call_1_0', pattern(90_000))
      const below = await storage.scope('a', 'b').store('call_1_0', pattern(90_000))
      for (const [index, name] of names.entries())
        await checkKept(storage.scope(name), references[index] as string, name)
      await checkKept(storage, unscoped, 'unscoped')
      await checkKept(storage.scope('a', 'b'), below, 'a/b')
    },
  },
  {
    id: 'quota/too-large',
    title: 'Content larger than the whole quota is rejected with too-large, and no other entry is evicted',
    requires: ['storeStream', 'list'],
    settings: QUOTA_SETTINGS,
    async run({ storage }) {
      const reference = await storage.store('fitting', pattern(QUOTA_SETTINGS.maxBytes))
      const large = pattern(QUOTA_SETTINGS.maxBytes + 1)
      const chunks = stream(large.subarray(0, PART), large.subarray(PART))
      for (const store of [() => storage.store('large', large), () => storage.storeStream('large', chunks)]) {
        const error = await rejectionCode('too-large', 'storing too much', store)
        checkEqual([error.key, error.retryable], ['large', false], 'key and retryable')
      }
      await checkKept(storage, reference, 'fitting')
      checkEqual((await collect(storage.list())).length, 1, 'number of entries')
    },
  },
  {
    id: 'quota/deleting-makes-room',
    title: 'After deletes and clears free enough space, storing evicts nothing',
    requires: ['delete', 'clear', 'scope'],
    settings: QUOTA_SETTINGS,
    async run({ storage }) {
      const first = await storage.store('first', pattern(PART, 1))
      const second = await storage.store('second', pattern(PART, 2))
      await storage.delete(second)
      const third = await storage.store('third', pattern(PART, 3))
      for (let time = 0; time < 5; time += 1) await storage.store('third', pattern(PART, 3))
      await checkKept(storage, first, 'first')
      await checkKept(storage, third, 'third')
      const scope = storage.scope('a') as Required<Storage>
      await scope.store('first', pattern(PART, 1))
      await scope.store('second', pattern(PART, 2))
      await scope.clear()
      const again = await scope.store('third', pattern(PART, 3))
      const last = await scope.store('fourth', pattern(PART, 4))
      await checkKept(scope, again, 'first after clearing')
      await checkKept(scope, last, 'second after clearing')
    },
  },
  {
    id: 'quota/parallel-stores-that-fit',
    title: 'Entries stored in parallel that fit together are all kept',
    requires: ['scope'],
    settings: QUOTA_SETTINGS,
    async run({ storage }) {
      for (let round = 0; round < 5; round += 1) {
        const scope = storage.scope(`round ${round}`)
        const stores = Array.from({ length: 10 }, (_, index) => scope.store(`call_${index}`, pattern(9_000, index)))
        for (const reference of await Promise.all(stores)) await checkKept(scope, reference, 'parallel')
      }
    },
  },
  {
    id: 'quota/earlier-instance',
    title: 'Entries of an earlier instance count towards the quota',
    requires: ['reopen', 'clock'],
    settings: QUOTA_SETTINGS,
    async run({ storage, powers }) {
      const first = await storage.store('first', pattern(PART, 1))
      powers.clock.advance(MINUTES)
      const second = await storage.store('second', pattern(PART, 2))
      await storage.close?.()
      const reopened = await powers.reopen()
      powers.clock.advance(MINUTES)
      const third = await reopened.store('third', pattern(PART, 3))
      await rejectionCode(['evicted', 'not-found'], 'retrieving the oldest entry', () => reopened.retrieve(first))
      await checkKept(reopened, second, 'second')
      await checkKept(reopened, third, 'third')
      await reopened.store('small', bytes('small'))
      await checkKept(reopened, second, 'second')
    },
  },
]
