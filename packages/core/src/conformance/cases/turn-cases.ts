import type { EvictionReport, Storage } from '../../storage/storage.ts'
import type { ConformanceCase } from '../harness.ts'
import { attempt, check, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect, stream } from '../sample.ts'
import { checkContent, checkEvicted, storeWithReceipt } from './combined/methods.ts'

const TURNS = 3
/** Number of entries that are stored or read at the same time. */
const AT_ONCE = 20
const SETTINGS = { evictAfterTurns: TURNS }

async function endTurns(storage: Storage, turns: number): Promise<string[]> {
  const evicted: string[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const report: EvictionReport | undefined = await storage.endTurn?.()
    evicted.push(...(report?.evicted.map(({ reference }) => reference) ?? []))
  }
  return evicted
}

const kept = async (storage: Required<Storage>, reference: string): Promise<void> => {
  await attempt(`describing ${reference}, which must have stayed`, () => storage.stat(reference))
}

export const turnCases: readonly ConformanceCase[] = [
  {
    id: 'turns/evicts-after-exactly-n',
    title: 'An entry unused for N turns is kept until the end of the next turn, which reports its eviction',
    requires: ['endTurn', 'stat', 'list'],
    settings: SETTINGS,
    async run({ storage }) {
      const stores = [() => storage.store('call_1_0', bytes('content'))]
      if (typeof storage.storeStream === 'function')
        stores.push(() => storage.storeStream('call_1_0', stream(bytes('content'))))
      for (const store of stores) {
        const reference = await store()
        checkEqual(await endTurns(storage, TURNS), [], `evicted in ${TURNS} turns`)
        await kept(storage, reference)
        const report = await storage.endTurn()
        checkEqual(report, { evicted: [{ reference, size: 7, reason: 'turns' }] }, 'report of the turn after')
        await checkEvicted(storage, reference)
        checkEqual(await collect(storage.list()), [], 'entries listed')
        checkEqual(await endTurns(storage, 2 * TURNS), [], 'evicted afterwards')
      }
    },
  },
  {
    id: 'turns/never-stored-is-not-found',
    title: 'Entries that never existed or were deleted are not-found, and not evicted',
    requires: ['endTurn', 'delete', 'scope'],
    settings: SETTINGS,
    async run({ storage }) {
      const deleted = await storage.store('deleted', bytes('content'))
      const reference = await storage.store('call_1_0', bytes('content'))
      await storage.delete(deleted)
      checkEqual(await endTurns(storage, TURNS + 1), [reference], 'evicted')
      await rejectionCode('not-found', 'retrieving the deleted entry', () => storage.retrieve(deleted))
      const unknown = `${reference.slice(0, -1)}${reference.endsWith('a') ? 'b' : 'a'}`
      await rejectionCode('not-found', 'retrieving an unknown entry', () => storage.retrieve(unknown))
      await rejectionCode('not-found', 'retrieving it in another scope', () => storage.scope('a').retrieve(reference))
    },
  },
  {
    id: 'turns/revived-by-storing',
    title: 'Storing an evicted entry again restores it as created, under the same reference',
    requires: ['endTurn', 'stat'],
    settings: SETTINGS,
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      await endTurns(storage, TURNS + 1)
      const again = await storeWithReceipt(storage, 'call_1_0', bytes('content'))
      checkEqual([again.reference, again.created], [reference, true], 'reference, and whether it was created')
      checkEqual(await endTurns(storage, TURNS), [], `evicted in the next ${TURNS} turns`)
      await checkContent(storage, reference, bytes('content'), 'the restored entry')
    },
  },
  {
    id: 'turns/earlier-instance',
    title: 'Entries of an earlier instance are evicted too, after enough turns of the new instance',
    requires: ['endTurn', 'reopen', 'stat'],
    settings: SETTINGS,
    async run({ storage, powers }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      await storage.close?.()
      const reopened = (await powers.reopen()) as Required<Storage>
      await reopened.store('call_2_0', bytes('another'))
      checkEqual(await endTurns(reopened, TURNS), [], `evicted in ${TURNS} turns`)
      await kept(reopened, reference)
      check((await endTurns(reopened, 2)).includes(reference), `${reference} was not evicted in ${TURNS + 2} turns`)
    },
  },
  {
    id: 'turns/tombstones-bounded',
    title: 'Only the latest evicted entries are remembered, up to a maximum, and older evicted entries are not-found',
    requires: ['endTurn', 'maxTombstones'],
    settings: { evictAfterTurns: 1 },
    async run({ storage, powers: { maxTombstones } }) {
      const references: string[] = []
      for (let index = 0; index < maxTombstones + 20; index += AT_ONCE) {
        const batch = Array.from({ length: AT_ONCE }, (_, more) =>
          storage.store(`call_${index + more}`, bytes(`${index + more}`)),
        )
        references.push(...(await Promise.all(batch)))
      }
      checkEqual((await endTurns(storage, 2)).length, references.length, 'number of entries evicted')
      let remembered = 0
      for (let index = 0; index < references.length; index += AT_ONCE) {
        const reads = references.slice(index, index + AT_ONCE).map(async (reference) => {
          const read = (): Promise<unknown> => storage.retrieve(reference)
          const { code } = await rejectionCode(['evicted', 'not-found'], `retrieving ${reference}`, read)
          if (code === 'evicted') remembered += 1
        })
        await Promise.all(reads)
      }
      check(remembered > 0 && remembered <= maxTombstones, `${remembered} of ${references.length} are remembered`)
    },
  },
]
