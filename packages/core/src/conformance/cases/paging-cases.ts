import type { Storage } from '../../storage/storage.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, checkBytes, checkEqual } from '../conformance-failure.ts'
import { bytes, collect } from '../sample.ts'

/** More than one page of whatever lists, or removes, in pages of 1,000. */
const MANY = 1_100
const BATCH = 50
const TTL_MS = 600_000

/** More entries than one page of a backend holds. */
export const pagingCases: readonly ConformanceCase[] = [
  {
    id: 'list/beyond-one-page',
    title: 'All of 1,100 entries are listed, each once',
    requires: ['list'],
    async run({ storage }) {
      const stored = await storeMany(storage, MANY)
      const listed = await references(storage)
      checkEqual(listed.length, MANY, 'number of entries listed')
      checkEqual(listed, stored.toSorted(), 'entries listed')
    },
  },
  {
    id: 'clear/beyond-one-page',
    title: 'Clearing 1,500 entries of a scope and those below it removes and counts each, and nothing beside them',
    requires: ['clear', 'list', 'scope'],
    async run({ storage }) {
      const beside = [[], ['fo'], ['foobar'], ['Foo'], ['g']].map((segments) => {
        const scope = segments.length === 0 ? storage : (storage.scope(...segments) as Required<Storage>)
        return { scope, name: `[${segments.join(', ')}]`, content: bytes(`beside, in ${segments.join()}`) }
      })
      const staying = await Promise.all(
        beside.map(async ({ scope, name, content }) => ({
          scope,
          name,
          content,
          reference: await scope.store('call_1_0', content),
        })),
      )
      for (const segments of [['foo'], ['foo', 'a'], ['foo', 'b', 'c']])
        await storeMany(storage.scope(...segments), 500)
      const foo = storage.scope('foo') as Required<Storage>
      checkEqual((await references(foo)).length, 1_500, 'number of entries listed before')
      checkEqual(await foo.clear(), 1_500, 'number of entries cleared')
      checkEqual(await references(foo), [], 'entries left')
      for (const { scope, name, content, reference } of staying) {
        const found = await attempt(`retrieving from the scope ${name}, which was not cleared`, () =>
          scope.retrieve(reference),
        )
        checkBytes(found.content, content, `content in the scope ${name}`)
      }
    },
  },
  {
    id: 'gc/beyond-one-page',
    title: 'gc removes all of 1,100 expired entries at once, and none of the fresh ones between them',
    requires: ['clock', 'gc', 'list'],
    settings: { ttlMs: TTL_MS },
    async run({ storage, powers: { clock } }) {
      await storeMany(storage, MANY)
      clock.advance(TTL_MS - 10_000)
      const fresh = await storeMany(storage, BATCH, 'call_5')
      clock.advance(10_001)
      checkEqual((await storage.gc()).expired, MANY, 'number of entries collected')
      checkEqual(await references(storage), fresh.toSorted(), 'entries left')
      checkEqual((await storage.gc()).expired, 0, 'number of entries collected again')
    },
  },
]

async function storeMany(storage: Storage, count: number, name = 'call'): Promise<string[]> {
  const stored: string[] = []
  for (let start = 0; start < count; start += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) =>
      storage.store(`${name}_${start + index}_0`, bytes(`content ${start + index}`)),
    )
    stored.push(...(await Promise.all(batch)))
  }
  return stored
}

const references = async (storage: Required<Storage>): Promise<string[]> =>
  (await collect(storage.list())).map(({ reference }) => reference).toSorted()
