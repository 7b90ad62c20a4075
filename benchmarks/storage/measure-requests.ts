import type { ManagedStorage } from '@spillway/core'
import { table } from '../report/table.ts'
import type { Section } from '../report/section.ts'
import { makeContent } from './content.ts'
import { openCounted, type CountedStorage } from './counted-storage.ts'
import { makePlace, removePlace } from './place.ts'
import type { RunOptions } from './run-options.ts'

const BACKENDS = ['file', 'SQLite', 'Redis', 'PostgreSQL', 'S3'] as const
const HEADS = {
  file: 'file: calls of the file system',
  SQLite: 'SQLite: statements',
  Redis: 'Redis: commands',
  PostgreSQL: 'PostgreSQL: statements',
  S3: 'S3: requests',
}
const SMALL_BYTES = 102_400
const LARGE_BYTES = 10_485_760
const LISTED = 10

/** Requests of each operation by name, in the order of the operations. */
type Asked = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Count the requests of each operation to the backend, after everything is connected and prepared. */
export async function measureRequests({ kinds, servers }: RunOptions): Promise<Section> {
  const backends = BACKENDS.filter((kind) => kinds.includes(kind))
  const asked: Asked[] = []
  for (const kind of backends) {
    const place = makePlace(kind, servers)
    const counted = await openCounted[kind](place)
    try {
      asked.push(await askAll(counted))
    } finally {
      await counted.close()
      removePlace(place)
    }
  }
  const operations = [...(asked[0]?.keys() ?? [])]
  const rows = operations.map((operation) => [operation, ...asked.map((of) => written(of.get(operation)))])
  return {
    text: table(['', ...backends.map((kind) => HEADS[kind])], rows, backends.length + 1),
    bounds: [],
    figures: Object.fromEntries(
      backends.map((kind, index) => [
        kind,
        Object.fromEntries([...(asked[index] ?? [])].map(([name, counts]) => [name, Object.fromEntries(counts)])),
      ]),
    ),
  }
}

async function askAll({ storage, counts }: CountedStorage): Promise<Asked> {
  const asked = new Map<string, ReadonlyMap<string, number>>()
  const ask = async <Result>(operation: string, run: () => Promise<Result>): Promise<Result> => {
    const before = counts()
    const result = await run()
    const after = [...counts()].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
    asked.set(operation, new Map(after.filter(([, count]) => count > 0).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    return result
  }
  const scope = storage.scope('tenant', 'session')
  await prepare(scope)
  const small = makeContent(SMALL_BYTES, 1)
  const large = makeContent(LARGE_BYTES, 2)
  const reference = await ask('store 100 KB', () => scope.store('call_1_0', small))
  await ask('store it again', () => scope.store('call_1_0', small))
  const long = await ask('store 10 MB', () => scope.store('call_2_0', large))
  await ask('retrieve 100 KB', () => scope.retrieve(reference))
  await ask('retrieve 10 MB', () => scope.retrieve(long))
  await ask('64 KB out of 10 MB', () => scope.retrieveRange(long, { offset: 5_000_000, length: 65_536 }))
  await ask('stat', () => scope.stat(reference))
  await ask('retrieve what is not there', () => Promise.allSettled([scope.retrieve('nothing')]))
  await ask(`list ${LISTED}`, () => listAll(scope))
  await ask('end a turn', () => scope.endTurn())
  await ask('delete 100 KB', () => scope.delete(reference))
  await ask('gc', () => scope.gc())
  await ask('clear', () => scope.clear())
  return asked
}

/** Connect, and store entries: together with the two that are stored later, the scope then has ten entries. */
async function prepare(scope: ReturnType<ManagedStorage['scope']>): Promise<void> {
  const references: string[] = []
  for (let index = 0; index < LISTED - 2; index += 1)
    references.push(await scope.store(`call_0_${index}`, makeContent(1_000, index)))
  for (const reference of references) await scope.retrieve(reference)
  await scope.endTurn()
}

async function listAll(scope: Pick<ManagedStorage, 'list'>): Promise<void> {
  let count = 0
  for await (const { size } of scope.list()) count += Number(size > 0)
  if (count !== LISTED) throw new Error(`${count} entries were listed.`)
}

function written(counts: ReadonlyMap<string, number> | undefined): string {
  const texts = [...(counts ?? [])].map(([name, count]) => `${count}${name === '' ? '' : ` ${name}`}`)
  return texts.length === 0 ? 'none' : texts.join(', ').replaceAll('|', String.raw`\|`)
}
