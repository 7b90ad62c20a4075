import type { Storage } from '../../../storage/storage.ts'
import { attempt, check, checkEqual, rejectionCode } from '../../conformance-failure.ts'
import type { CaseContext, ConformanceCase, StorageSettings } from '../../harness.ts'
import { bytes, collect, pattern, stream, keysIn } from '../../sample.ts'
import { checkEvicted, checkKept, opened, readable, readsOf, storeWithReceipt, unreadable, usesOf } from './methods.ts'

const TTL_MS = 600_000
const PART = 40_000
const MINUTES = 120_000
const CONTENT = bytes('content')

interface Use {
  readonly name: string
  readonly run: (storage: Required<Storage>, reference: string) => Promise<unknown>
}

/** All operations that count as use of the entry `key`. */
const allUses = (storage: Required<Storage>, content: Uint8Array): readonly Use[] => [
  ...usesOf(storage),
  { name: 'store', run: (one) => one.store('key', content) },
  {
    name: 'store with other metadata',
    run: (one) => one.store('key', content, 'text/plain', { metadata: { other: 'a' } }),
  },
]

/** Operations that read entries and must not count as use. */
const LOOKS: readonly Use[] = [
  { name: 'stat', run: async (storage, reference) => storage.stat?.(reference) },
  { name: 'list', run: (storage) => collect(storage.list()) },
  { name: 'locate', run: async (storage, reference) => storage.locate?.(reference) },
  { name: 'gc', run: async (storage) => storage.gc?.() },
  {
    name: 'reading in another scope',
    run: async (storage, reference) =>
      storage.scope &&
      (await unreadable(storage.scope('other') as Required<Storage>, reference, 'not-found', 'elsewhere')),
  },
  {
    name: 'aborted reads',
    run: async (storage, reference) => {
      const signal = AbortSignal.abort()
      for (const { run } of readsOf(storage))
        await rejectionCode('aborted', 'an aborted read', () => run(storage, reference, { signal }))
    },
  },
]

/** Ways in which entries are removed. With a quota, storing the newest entry evicts other entries. */
const REMOVALS: readonly {
  readonly name: string
  readonly requires?: ConformanceCase['requires']
  readonly settings?: StorageSettings
  readonly remove: (context: CaseContext, references: readonly string[]) => Promise<unknown>
}[] = [
  { name: 'quota', settings: { maxBytes: 3_000_000 }, remove: () => Promise.resolve() },
  { name: 'clear', requires: ['clear'], remove: ({ storage }) => storage.clear() },
  {
    name: 'delete',
    requires: ['delete'],
    remove: ({ storage }, references) => Promise.all(references.map((reference) => storage.delete(reference))),
  },
  {
    name: 'turns',
    requires: ['endTurn'],
    settings: { evictAfterTurns: 1 },
    remove: ({ storage }) => storage.endTurn().then(() => storage.endTurn()),
  },
  {
    name: 'gc',
    requires: ['clock', 'gc'],
    settings: { ttlMs: TTL_MS },
    remove({ storage, powers: { clock } }) {
      clock.advance(TTL_MS + 1)
      return storage.gc()
    },
  },
]

/** Check that operations that count as use keep an entry, and that others do not. */
const byUse = (
  id: string,
  what: string,
  settings: StorageSettings,
  requires: ConformanceCase['requires'],
  pass: (context: CaseContext) => Promise<unknown>,
): ConformanceCase => ({
  id,
  title: `${what} after every kind of read and after storing again, and after nothing else`,
  requires: ['list', ...(requires ?? [])],
  settings,
  async run(context) {
    const { storage } = context
    const rounds = [
      ...allUses(storage, CONTENT).map((use) => [use, true] as const),
      ...LOOKS.map((use) => [use, false] as const),
    ]
    for (const [use, isUse] of rounds) {
      const reference = await storage.store('key', CONTENT)
      for (let time = 0; time < 3; time += 1) {
        await pass(context)
        if (!isUse && time === 2) break
        await attempt(`${use.name}, time ${time + 1}`, () => use.run(storage, reference))
      }
      if (isUse) await checkKept(storage, reference, `an entry after ${use.name}`)
      else await checkEvicted(storage, reference, `an entry after ${use.name}`)
    }
  },
})

export const useCases: readonly ConformanceCase[] = [
  byUse('age/every-use', 'The age starts again', { ttlMs: TTL_MS }, ['clock'], async ({ powers }) =>
    powers.clock.advance(TTL_MS * 0.4),
  ),
  byUse('turns/every-use', 'The turn count starts again', { evictAfterTurns: 2 }, ['endTurn'], async ({ storage }) =>
    storage.endTurn(),
  ),
  {
    id: 'quota/every-use',
    title: 'A quota evicts the least recently used entries, for every kind of use',
    requires: ['clock', 'clear'],
    settings: { maxBytes: 100_000 },
    async run({ storage, powers: { clock } }) {
      const content = pattern(PART, 1)
      for (const use of allUses(storage, content)) {
        const first = await storage.store('key', content)
        clock.advance(MINUTES)
        const second = await storage.store('second', pattern(PART, 2))
        clock.advance(MINUTES)
        await use.run(storage, first)
        clock.advance(MINUTES)
        await storage.store('third', pattern(PART, 3))
        await checkEvicted(storage, second)
        await checkKept(storage, first, `an entry after ${use.name}`)
        await storage.clear()
      }
    },
  },
  {
    id: 'undo/every-use',
    title: 'An undo of a store keeps entries that were used after it, for every kind of use',
    requires: ['delete', 'clock'],
    async run({ storage, powers: { clock } }) {
      for (const use of allUses(storage, CONTENT)) {
        const { reference, usedAt } = await storeWithReceipt(storage, 'key', CONTENT)
        clock.advance(MINUTES)
        await use.run(storage, reference)
        await storage.delete(reference, { unusedSince: usedAt })
        await checkKept(storage, reference, `an entry after ${use.name} and an undo`)
        await storage.delete(reference)
      }
    },
  },
  ...(['use-changes-nothing-else', 'last-use'] as const).map((name): ConformanceCase => ({
    id: `stat/${name}`,
    title:
      name === 'last-use'
        ? 'Every way of reading, and storing again, sets the time of last use'
        : 'Use changes only the time of last use in stat and list, and not the key, metadata, type or lines',
    requires: ['stat', 'list', 'clock'],
    async run({ storage: whole, powers: { clock }, random }) {
      const content = bytes('line\n'.repeat(250_000))
      const scoped = whole.scope?.(`scope ${random()}`) as Required<Storage> | undefined
      for (const storage of scoped === undefined ? [whole] : [whole, scoped]) {
        const reference = await storage.store('key', content, 'text/plain', { metadata: { tool: 'read_log' } })
        let before = await storage.stat(reference)
        for (const use of allUses(storage, content)) {
          clock.advance(MINUTES)
          await use.run(storage, reference)
          const after = await storage.stat(reference)
          checkEqual({ ...after, lastUsedAt: 0 }, { ...before, lastUsedAt: 0 }, `description after ${use.name}`)
          if (name === 'last-use')
            check(after.lastUsedAt >= before.lastUsedAt + MINUTES, `${use.name} has not set the time of last use`)
          checkEqual(await collect(storage.list()), [after], `list after ${use.name}`)
          before = after
        }
        if (typeof storage.open !== 'function') continue
        const index = await opened(storage, reference, async (open) => open.lineIndex?.())
        checkEqual(index?.lines ?? 250_000, 250_000, 'lines after use')
        await storage.delete?.(reference)
      }
    },
  })),
  {
    id: 'age/of-streams-and-across-instances',
    title: 'Streamed entries expire like others, even in another instance, and a use delays their expiry',
    requires: ['clock', 'reopen', 'storeStream', 'list'],
    settings: { ttlMs: TTL_MS },
    async run({ storage, powers }) {
      const [used, unused] = [
        await storage.storeStream('used', stream(CONTENT)),
        await storage.storeStream('unused', stream(CONTENT)),
      ]
      powers.clock.advance(TTL_MS * 0.6)
      const reopened = (await powers.reopen()) as Required<Storage>
      await attempt('retrieving in a new instance before its age', () => reopened.retrieve(used))
      powers.clock.advance(TTL_MS * 0.6)
      for (const instance of [reopened, storage]) {
        await attempt('retrieving what another instance has used', () => instance.retrieve(used))
        await unreadable(instance, unused, ['evicted', 'not-found'], 'past its age')
        checkEqual(await keysIn(instance), ['used'], 'entries listed')
      }
    },
  },
  ...(
    [
      { maxBytes: 100_000, ttlMs: TTL_MS },
      { maxBytes: 100_000, evictAfterTurns: 1 },
    ] as const
  ).map((settings): ConformanceCase => ({
    id: `quota/${'ttlMs' in settings ? 'expired' : 'evicted'}-bytes-do-not-count`,
    title: `Bytes of ${'ttlMs' in settings ? 'expired' : 'evicted'} entries do not count against the quota`,
    requires: 'ttlMs' in settings ? ['clock'] : ['endTurn'],
    settings,
    async run({ storage, powers: { clock } }) {
      for (let round = 0; round < 3; round += 1) {
        const references: string[] = []
        for (const index of [1, 2]) references.push(await storage.store(`key ${round}`, pattern(PART, index)))
        for (const reference of references) await checkKept(storage, reference)
        if ('ttlMs' in settings) clock.advance(TTL_MS + 1)
        else for (let turn = 0; turn < 2; turn += 1) await storage.endTurn()
        for (const reference of references) {
          const { eviction } = await checkEvicted(storage, reference)
          checkEqual(eviction?.reason, 'ttlMs' in settings ? 'age' : 'turns', 'reason')
        }
      }
    },
  })),
  {
    id: 'quota/parallel-beyond',
    title: 'If parallel stores exceed the quota, as many entries are kept as fit, and the others are evicted',
    requires: ['list', 'storeStream'],
    settings: { maxBytes: 100_000 },
    async run({ storage }) {
      for (let round = 0; round < 3; round += 1) {
        const stores = Array.from({ length: 20 }, (_, index) => {
          const content = pattern(20_000, round * 20 + index)
          return index % 2 === 0
            ? storage.store(`key ${index}`, content)
            : storage.storeStream(`key ${index}`, stream(content))
        })
        const references = await Promise.all(stores)
        const listed = await collect(storage.list())
        const total = listed.reduce((sum, { size }) => sum + size, 0)
        check(total <= 100_000 && total >= 60_000, `${total} bytes stayed of 400,000 with a quota of 100,000`)
        const kept = new Set(listed.map(({ reference }) => reference))
        for (const reference of references)
          if (kept.has(reference)) await storage.retrieve(reference)
          else await checkEvicted(storage, reference)
      }
    },
  },
  ...REMOVALS.map(({ name, requires = [], settings = {}, remove }): ConformanceCase => ({
    id: `${name}/leaves-no-record`,
    title: `Removal by ${name} leaves no physical record, even of text with a line index`,
    requires: ['residue', ...requires],
    settings,
    async run(context) {
      const { storage, powers } = context
      const large = bytes('line\n'.repeat(500_000))
      const counts: number[] = []
      for (let round = 0; round < 3; round += 1) {
        const references = [await storage.store('empty', bytes('')), await storage.store(`key ${round}`, large)]
        await remove(context, references)
        for (let time = 0; time < 2; time += 1) await storage.store('last', bytes('last'))
        counts.push(await powers.residue())
      }
      checkEqual(counts[2], counts[0], 'number of records after the third round')
    },
  })),
  {
    id: 'store/after-a-miss',
    title:
      'An entry is found as soon as it is stored, even after a retrieval found nothing, and after many stores and removals',
    requires: ['delete', 'clear', 'list'],
    async run({ storage, another }) {
      const reference = await (await another()).store('key', CONTENT)
      for (const remove of [() => storage.delete(reference), () => storage.clear(), () => storage.delete(reference)]) {
        for (let time = 0; time < 2; time += 1) await unreadable(storage, reference, 'not-found', 'before it is stored')
        checkEqual((await storeWithReceipt(storage, 'key', CONTENT)).created, true, 'created')
        await readable(storage, reference, CONTENT, 'after it is stored')
        checkEqual((await collect(storage.list())).length, 1, 'number of entries')
        await remove()
        await unreadable(storage, reference, 'not-found', 'after it was removed')
      }
    },
  },
  {
    id: 'instances/remember-nothing-of-each-other',
    title:
      'An instance finds missing entries once another instance stores them, and can restore entries that others deleted',
    requires: ['reopen', 'delete', 'list'],
    async run({ storage, another, powers }) {
      const other = (await powers.reopen()) as Required<Storage>
      const reference = await (await another()).store('key', CONTENT)
      for (const [one, two] of [
        [storage, other],
        [other, storage],
      ] as const) {
        await unreadable(one, reference, 'not-found', 'before it is stored')
        await two.store('key', CONTENT)
        await readable(one, reference, CONTENT, 'after another instance has stored it')
        for (const instance of [one, two]) checkEqual((await collect(instance.list())).length, 1, 'number of entries')
        await one.store('key', CONTENT)
        await two.delete(reference)
        await rejectionCode('not-found', 'retrieving a deleted entry', () => one.retrieve(reference))
        checkEqual(await collect(one.list()), [], 'entries')
        const { created } = await storeWithReceipt(one, 'key', CONTENT)
        checkEqual(created, true, 'created, after another instance has deleted it')
        await readable(two, reference, CONTENT, 'stored anew')
        await two.delete(reference)
      }
    },
  },
]
