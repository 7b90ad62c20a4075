/** Fills a small and a large storage, and measures the same operations in both alternately. */
import type { ManagedStorage } from '@spillway/core'
import { known } from '../report/known.ts'
import { makeContent } from './content.ts'
import { openStorage } from './open-storage.ts'
import type { Operation } from './operations.ts'
import type { Place } from './place.ts'
import { serve } from './remote.ts'

/** Milliseconds of each operation. */
type Times = Readonly<Record<Operation, number>>

/** Times in the small and in the large storage, by round. */
export type GrowthFigures = readonly { readonly small: Times; readonly large: Times }[]

/** Time to fill a storage, and its size afterwards. */
export interface Filling {
  readonly seconds: number
  readonly scopes: number
  /** Heap in bytes that stays in use. */
  readonly heapBytes: number
}

/** Time and memory to list all entries and to collect them. */
export interface Whole {
  readonly listMs: number
  readonly gcMs: number
  /** Peak of the heap in bytes while everything is listed, above the heap in use before. */
  readonly heapBytes: number
}

/** Tasks of this process. */
export interface GrowthTasks {
  /** Store this many entries. */
  fill(input: { readonly place: Place; readonly entries: number }): Promise<Filling>
  /** List and collect everything in the storage that was filled second. */
  whole(): Promise<Whole>
  /** Measure the first two storages that were filled. */
  measure(input: { readonly rounds: number; readonly batch: number }): Promise<GrowthFigures>
}

interface Filled {
  readonly storage: ManagedStorage
  /** The same entries, in a storage that counts turns and so remembers each used entry. */
  readonly counting: ManagedStorage
  /** References in the scope with half of all entries. */
  readonly references: readonly string[]
}

const PARALLEL = 64
/** Number of entries in the measured session. The other sessions share the rest. */
const SMALL_SCOPE = 50
const SCOPES = 100_000
const BLOCK_BYTES = 1_024
const CLEARED = 5
const LARGE_SCOPE = ['tenant', 'large'] as const
const HOUR_MS = 3_600_000
const SAMPLES = 8

const filled: Filled[] = []
let seed = 0

const tasks: GrowthTasks = {
  fill: async ({ place, entries }) => {
    const turns = { evictAfterTurns: 1_000_000, ttlMs: HOUR_MS }
    const counting = await openStorage(place, turns)
    const storage = place.kind === 'memory' ? counting : await openStorage(place, { ttlMs: HOUR_MS })
    const start = performance.now()
    const references: string[] = []
    const others = entries / 2 - SMALL_SCOPE
    const each = Math.max(1, Math.floor(others / SCOPES))
    const sessionOf = (index: number): number => Math.max(0, Math.ceil((index + 1 - SMALL_SCOPE) / each))
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < entries) {
        const index = next
        next += 1
        const isLarge = index % 2 === 0
        const scope = isLarge
          ? storage.scope(...LARGE_SCOPE)
          : storage.scope('tenant', `session-${sessionOf(Math.floor(index / 2))}`)
        const reference = await scope.store(`call_${index}_0`, makeContent(BLOCK_BYTES, index))
        if (isLarge && references.length < 1_000) references.push(reference)
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    const seconds = (performance.now() - start) / 1_000
    filled.push({ storage, counting, references })
    return { seconds, scopes: sessionOf(entries / 2 - 1) + 2, heapBytes: heapInUse() }
  },
  whole: async () => {
    const { storage } = known(filled[1])
    const start = performance.now()
    let entries = 0
    for await (const { size } of storage.list()) entries += Number(size > 0)
    const listMs = performance.now() - start
    const before = heapInUse()
    let heapBytes = 0
    let listed = 0
    for await (const _ of storage.list()) {
      listed += 1
      if (listed % Math.ceil(entries / SAMPLES) === 0) heapBytes = Math.max(heapBytes, heapInUse() - before)
    }
    const middle = performance.now()
    await storage.gc()
    return { listMs, gcMs: performance.now() - middle, heapBytes }
  },
  measure: async ({ rounds, batch }) => {
    const [small, large] = [known(filled[0]), known(filled[1])]
    const figures: { readonly small: Times; readonly large: Times }[] = []
    for (let round = 0; round <= rounds; round += 1) {
      // The order of the storages alternates. The first round is for warming up.
      const first = await measureAll(round % 2 === 0 ? small : large, batch)
      const second = await measureAll(round % 2 === 0 ? large : small, batch)
      if (round > 0) figures.push(round % 2 === 0 ? { small: first, large: second } : { small: second, large: first })
    }
    for (const { storage, counting } of filled) await Promise.all([storage.close(), counting.close()])
    return figures
  },
}

/** Measure all operations. Returns the milliseconds of one operation. */
async function measureAll({ storage, counting, references }: Filled, batch: number): Promise<Times> {
  const scope = storage.scope(...LARGE_SCOPE)
  const session = storage.scope('tenant', 'session-0')
  const turns = counting.scope('tenant', 'session-0')
  seed += batch
  const contents = Array.from({ length: batch }, (_, index) => makeContent(BLOCK_BYTES, -seed - index))
  const stored: string[] = []
  const some = (index: number): string => known(references[(seed + index * 37) % references.length])
  const few = Math.ceil(batch / 10)
  const due = { unusedSince: Date.now() + HOUR_MS }
  for (let index = 0; index < few; index += 1)
    for (const content of contents.slice(0, CLEARED))
      await storage.scope('cleared', `${index}`).store(`${seed}`, content)
  await turns.endTurn()
  const store = await each(batch, async (index) => {
    stored.push(await scope.store(`new_${seed}_${index}`, known(contents[index])))
  })
  return {
    store,
    retrieve: await each(batch, (index) => scope.retrieve(some(index))),
    range: await each(batch, (index) => scope.retrieveRange(some(index), { offset: 100, length: 200 })),
    stat: await each(batch, (index) => scope.stat(some(index))),
    delete: await each(batch / 2, (index) => scope.delete(known(stored[2 * index]))),
    evict: await each(batch / 2, (index) => scope.delete(known(stored[2 * index + 1]), due)),
    // If no entry is due, the end of a turn takes a microsecond, so more calls are measured.
    endTurn: await each(batch * 10, () => turns.endTurn()),
    'list 50': await each(few, async () => {
      let count = 0
      for await (const { size } of session.list()) count += Number(size > 0)
      if (count !== SMALL_SCOPE) throw new Error(`${count} entries were listed.`)
    }),
    'gc of 50': await each(few, () => session.gc()),
    'clear 5': await each(few, async (index) => {
      const cleared = await storage.scope('cleared', `${index}`).clear()
      if (cleared !== CLEARED) throw new Error(`${cleared} entries were cleared.`)
    }),
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

function heapInUse(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

serve({ ...tasks })
