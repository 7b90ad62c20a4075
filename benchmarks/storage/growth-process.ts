/** Fills two storages, a small one and a large one, and measures the same operations in both by turns. */
import type { ManagedStorage } from '@spillway/core'
import { known } from '../report/known.ts'
import { makeContent } from './content.ts'
import { openStorage } from './open-storage.ts'
import type { Operation } from './operations.ts'
import type { Place } from './place.ts'
import { serve } from './remote.ts'

/** Milliseconds of each operation. */
type Times = Readonly<Record<Operation, number>>

/** The same in the small and in the large storage, round by round. */
export type GrowthFigures = readonly { readonly small: Times; readonly large: Times }[]

/** What such a process does. */
export interface GrowthTasks {
  /** Store so many entries; returns the seconds that it took. */
  fill(input: { readonly place: Place; readonly entries: number }): Promise<number>
  /** List everything in the second one that was filled; returns milliseconds. */
  listAll(): Promise<number>
  /** Measure in the first two that were filled. */
  measure(input: { readonly rounds: number; readonly batch: number }): Promise<GrowthFigures>
}

interface Filled {
  readonly storage: ManagedStorage
  /** References of the scope that has half of all entries. */
  readonly references: readonly string[]
}

const PARALLEL = 64
const SMALL_SCOPE = 50
const BLOCK_BYTES = 1_024
const LARGE_SCOPE = ['tenant', 'large'] as const
const HOUR_MS = 3_600_000

const filled: Filled[] = []
let seed = 0

const tasks: GrowthTasks = {
  fill: async ({ place, entries }) => {
    const storage = await openStorage(place, { evictAfterTurns: 1_000_000, ttlMs: HOUR_MS })
    const start = performance.now()
    const references: string[] = []
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < entries) {
        const index = next
        next += 1
        const isLarge = index % 2 === 0
        const scope = isLarge
          ? storage.scope(...LARGE_SCOPE)
          : storage.scope('tenant', `session-${Math.floor(index / 2 / SMALL_SCOPE)}`)
        const reference = await scope.store(`call_${index}_0`, makeContent(BLOCK_BYTES, index))
        if (isLarge && references.length < 1_000) references.push(reference)
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    filled.push({ storage, references })
    return (performance.now() - start) / 1_000
  },
  listAll: async () => {
    const start = performance.now()
    for await (const { size } of known(filled[1]).storage.list()) if (size === 0) throw new Error('An entry is empty.')
    return performance.now() - start
  },
  measure: async ({ rounds, batch }) => {
    const [small, large] = [known(filled[0]), known(filled[1])]
    const figures: { readonly small: Times; readonly large: Times }[] = []
    for (let round = 0; round <= rounds; round += 1) {
      // They take turns in who is first. The first round is for the compiler.
      const first = await measureAll(round % 2 === 0 ? small : large, batch)
      const second = await measureAll(round % 2 === 0 ? large : small, batch)
      if (round > 0) figures.push(round % 2 === 0 ? { small: first, large: second } : { small: second, large: first })
    }
    for (const { storage } of filled) await storage.close()
    return figures
  },
}

/** Measure each operation; returns the milliseconds of one. */
async function measureAll({ storage, references }: Filled, batch: number): Promise<Times> {
  const scope = storage.scope(...LARGE_SCOPE)
  const session = storage.scope('tenant', 'session-0')
  seed += batch
  const contents = Array.from({ length: batch }, (_, index) => makeContent(BLOCK_BYTES, -seed - index))
  const stored: string[] = []
  const some = (index: number): string => known(references[(seed + index * 37) % references.length])
  const store = await each(batch, async (index) => {
    stored.push(await scope.store(`new_${seed}_${index}`, known(contents[index])))
  })
  return {
    store,
    retrieve: await each(batch, (index) => scope.retrieve(some(index))),
    stat: await each(batch, (index) => scope.stat(some(index))),
    'list 50': await each(Math.ceil(batch / 10), async () => {
      let count = 0
      for await (const { size } of session.list()) count += Number(size > 0)
      if (count !== SMALL_SCOPE) throw new Error(`${count} entries were listed.`)
    }),
    // Where nothing is due it takes a microsecond, of which a few tell nothing.
    endTurn: await each(batch * 10, () => session.endTurn()),
    evict: await each(batch, (index) => scope.delete(known(stored[index]), { unusedSince: Date.now() + HOUR_MS })),
    'gc of 50': await each(Math.ceil(batch / 10), () => session.gc()),
  }
}

async function each(count: number, run: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const start = performance.now()
    await run(index)
    times.push(performance.now() - start)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0
}

serve({ ...tasks })
