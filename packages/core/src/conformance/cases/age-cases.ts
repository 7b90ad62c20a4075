import type { Storage } from '../../storage/storage.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkBytes, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect, pattern, pause } from '../sample.ts'

const TTL_MS = 600_000
const SETTINGS = { ttlMs: TTL_MS }

const evicted = (storage: Storage, reference: string): ReturnType<typeof rejectionCode> =>
  rejectionCode('evicted', `retrieving the expired ${reference}`, () => storage.retrieve(reference))

const kept = (storage: Storage, reference: string): Promise<unknown> =>
  attempt(`retrieving ${reference}, which must have stayed`, () => storage.retrieve(reference))

/** Eviction by age, and the collection of what has expired. */
export const ageCases: readonly ConformanceCase[] = [
  {
    id: 'age/expires',
    title: 'An entry is there until its age, and evicted from then on',
    requires: ['clock', 'stat'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      clock.advance(TTL_MS - 1_000)
      await attempt('describing it before its age', () => storage.stat(reference))
      clock.advance(1_001)
      await rejectionCode('evicted', 'describing it at its age', () => storage.stat(reference))
      await evicted(storage, reference)
    },
  },
  {
    id: 'age/error',
    title: 'The error tells that, when and why it was evicted, and has the metadata',
    requires: ['clock'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'), 'text/plain', {
        metadata: { tool: 'read_log' },
      })
      clock.advance(TTL_MS + 1_000)
      const { eviction } = await evicted(storage, reference)
      checkEqual([eviction?.reason, eviction?.metadata], ['age', { tool: 'read_log' }], 'reason and metadata')
      check((eviction?.evictedAt ?? Infinity) <= clock.now(), 'it was evicted in the future')
      await evicted(storage, reference)
    },
  },
  {
    id: 'age/retrieving-refreshes',
    title: 'Retrieving starts the age again',
    requires: ['clock'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      for (let use = 0; use < 3; use += 1) {
        clock.advance(TTL_MS - 1_000)
        await kept(storage, reference)
      }
      clock.advance(TTL_MS + 1_000)
      await evicted(storage, reference)
    },
  },
  {
    id: 'age/storing-refreshes',
    title: 'Storing again starts the age again',
    requires: ['clock'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      for (let use = 0; use < 3; use += 1) {
        clock.advance(TTL_MS - 1_000)
        await storage.store('call_1_0', bytes('content'))
      }
      clock.advance(TTL_MS - 1_000)
      await kept(storage, reference)
    },
  },
  {
    id: 'age/revived-by-storing',
    title: 'Storing an expired entry again brings it back, whether or not it was collected',
    requires: ['clock', 'gc'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      for (const collected of [false, true]) {
        const reference = await storage.store('call_1_0', bytes('content'))
        clock.advance(2 * TTL_MS)
        if (collected) await storage.gc()
        checkEqual(await storage.store('call_1_0', bytes('content')), reference, 'reference')
        await kept(storage, reference)
        await storage.gc()
        await kept(storage, reference)
      }
    },
  },
  {
    id: 'age/expires-at',
    title: 'The description says when an entry will expire, and the list leaves out what has',
    requires: ['clock', 'stat', 'list'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const info = await storage.stat(reference)
      checkEqual(info.expiresAt, info.lastUsedAt + TTL_MS, 'expiresAt')
      clock.advance(TTL_MS + 1_000)
      const fresh = await storage.store('call_2_0', bytes('content'))
      checkEqual(
        (await collect(storage.list())).map((listed) => listed.reference),
        [fresh],
        'entries listed',
      )
    },
  },
  {
    id: 'age/expired-for-everyone',
    title: 'Of parallel retrieves none gets expired content',
    requires: ['clock'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      clock.advance(TTL_MS + 1_000)
      await Promise.all(Array.from({ length: 10 }, () => evicted(storage, reference)))
    },
  },
  {
    id: 'gc/removes-the-expired',
    title: 'gc removes what has expired and says how much that was; what is fresh stays',
    requires: ['clock', 'gc', 'list'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      const old = [await storage.store('old_1', pattern(100)), await storage.store('old_2', pattern(50))]
      clock.advance(TTL_MS - 10_000)
      const fresh = await storage.store('fresh', pattern(10))
      clock.advance(10_001)
      const report = await storage.gc()
      checkEqual([report.expired, report.bytes], [2, 150], 'entries and bytes collected')
      for (const reference of old) await evicted(storage, reference)
      await kept(storage, fresh)
      checkEqual((await storage.gc()).expired, 0, 'entries collected again')
    },
  },
  {
    id: 'gc/leaves-no-record',
    title: 'gc leaves no physical record of what has expired',
    requires: ['clock', 'gc', 'residue'],
    settings: SETTINGS,
    async run({ storage, powers }) {
      await storage.store('warm-up', bytes('content'))
      const before = await powers.residue()
      powers.clock.advance(TTL_MS / 2)
      await storage.store('warm-up', bytes('content'))
      for (const size of [0, 10, 1_500_000]) await storage.store(`call_${size}`, pattern(size))
      for (let use = 0; use < 3; use += 1) {
        powers.clock.advance(TTL_MS / 2)
        await storage.store('warm-up', bytes('content'))
      }
      checkEqual((await storage.gc()).expired, 3, 'entries collected')
      checkEqual(await powers.residue(), before, 'number of records')
    },
  },
  {
    id: 'gc/this-scope-and-below',
    title: 'gc covers a scope and those below it, and nothing beside it',
    requires: ['clock', 'gc', 'scope'],
    settings: SETTINGS,
    async run({ storage, powers: { clock } }) {
      for (const segments of [['a'], ['a', 'b'], ['ab'], ['A']])
        await storage.scope(...segments).store('call_1_0', bytes('content'))
      clock.advance(TTL_MS + 1_000)
      const a = storage.scope('a') as Required<Storage>
      checkEqual((await a.gc()).expired, 2, 'entries collected from a and below')
      checkEqual((await storage.gc()).expired, 2, 'entries collected from the rest')
    },
  },
  {
    id: 'gc/nothing-to-do',
    title: 'Without an age gc removes no entry',
    requires: ['gc', 'clock'],
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      clock.advance(1_000 * TTL_MS)
      checkEqual(await storage.gc(), { expired: 0, leftovers: 0, bytes: 0 }, 'report')
      await kept(storage, reference)
    },
  },
  {
    id: 'gc/never-takes-what-a-store-found',
    title: 'What a store has found existing is there afterwards, whenever gc runs',
    requires: ['clock', 'gc'],
    settings: SETTINGS,
    async run({ storage, powers: { clock }, thorough }) {
      for (let round = 0; round < (thorough ? 500 : 60); round += 1) {
        await storage.store('expiring', bytes('content'))
        clock.advance(TTL_MS + 1_000)
        const collecting = (async () => {
          await pause(1 + (round % 3))
          await storage.gc()
        })()
        await pause((round * 7) % 40)
        const reference = await storage.store('expiring', bytes('content'))
        await collecting
        const found = await attempt(`retrieving what was stored during gc ${round}`, () => storage.retrieve(reference))
        checkBytes(found.content, bytes('content'), 'content')
      }
    },
  },
  {
    id: 'gc/never-takes-what-another-instance-found',
    title: 'What a store has found existing is there afterwards, whenever another instance runs gc',
    requires: ['clock', 'gc', 'reopen'],
    settings: SETTINGS,
    async run({ storage, powers, thorough }) {
      const other = (await powers.reopen()) as Required<Storage>
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
        const found = await attempt(`retrieving what was stored during gc ${round}`, () => storage.retrieve(reference))
        checkBytes(found.content, bytes('content'), 'content')
      }
    },
  },
]
