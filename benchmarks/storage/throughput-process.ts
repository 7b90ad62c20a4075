/** Stores and retrieves with one implementation, in batches, on request. */
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { known } from '../report/known.ts'
import { makeContent } from './content.ts'
import type { Place } from './place.ts'
import { serve } from './remote.ts'
import { openSubject } from './subjects/open-subject.ts'
import type { Subject } from './subjects/subject.ts'

/** Size from which the process waits, because the garbage of such contents takes time to collect. */
const LARGE_BYTES = 1_048_576
const COLLECTION_MS = 100

/** Milliseconds of each operation. */
export interface Batch {
  readonly store: readonly number[]
  readonly retrieve: readonly number[]
  /** Milliseconds of SHA-256 for the same bytes. */
  readonly hash: readonly number[]
}

/** Tasks of this process. */
export interface ThroughputTasks {
  open(input: { readonly name: string; readonly place: Place }): Promise<void>
  /** Store this many new contents of a size, retrieve them, and remove them. */
  batch(input: {
    readonly size: number
    readonly count: number
    readonly seed: number
    readonly clients: number
  }): Promise<Batch>
  close(): Promise<void>
}

let subject: Subject

const tasks: ThroughputTasks = {
  open: async ({ name, place }) => {
    subject = await openSubject(name, place)
  },
  batch: async ({ size, count, seed, clients }) => {
    const contents = Array.from({ length: count }, (_, index) => makeContent(size, seed + index))
    const references: string[] = []
    // The garbage from creating contents causes up to 15 ms of collection, which must not be part of a measurement.
    // Calling the collector would also discard compiled code.
    if (size >= LARGE_BYTES) await delay(COLLECTION_MS)
    const store = await timed(contents, clients, async (content, index) => {
      references[index] = await subject.store(`call_${seed + index}_0`, content)
    })
    const hash = await timed(contents, 1, async (content) => createHash('sha256').update(content).digest())
    const retrieve = await timed(references, clients, async (reference, index) => {
      const got = await subject.retrieve(reference)
      if (index === 0 && Buffer.compare(got, known(contents[0])) !== 0) throw new Error('Wrong bytes returned.')
    })
    await subject.clear()
    return { store, retrieve, hash }
  },
  close: async () => {
    await subject.clear()
    await subject.close?.()
  },
}

/** Run one operation for each item. Returns the milliseconds of each; with several clients, the mean of all. */
async function timed<Item>(
  items: readonly Item[],
  clients: number,
  run: (item: Item, index: number) => Promise<unknown>,
): Promise<number[]> {
  const samples: number[] = []
  const entries = items.entries()
  const client = async (): Promise<void> => {
    for (const [index, item] of entries) {
      const start = performance.now()
      await run(item, index)
      samples.push(performance.now() - start)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: clients }, client))
  return clients === 1 ? samples : [(performance.now() - start) / items.length]
}

serve({ ...tasks })
