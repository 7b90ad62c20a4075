/** Stores and retrieves with one implementation, in batches, when it is told to. */
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { known } from '../report/known.ts'
import { makeContent } from './content.ts'
import type { Place } from './place.ts'
import { serve } from './remote.ts'
import { openSubject } from './subjects/open-subject.ts'
import type { Subject } from './subjects/subject.ts'

/** The garbage of such contents is worth collecting, which takes so long. */
const LARGE_BYTES = 1_048_576
const COLLECTION_MS = 100

/** Milliseconds of each operation. */
export interface Batch {
  readonly store: readonly number[]
  readonly retrieve: readonly number[]
  /** Of one SHA-256 of the same bytes. */
  readonly hash: readonly number[]
}

/** What such a process does. */
export interface ThroughputTasks {
  open(input: { readonly name: string; readonly place: Place }): Promise<void>
  /** Store so many contents of a size, which nobody has stored before, retrieve them, and remove them. */
  batch(input: { readonly size: number; readonly count: number; readonly seed: number }): Promise<Batch>
  close(): Promise<void>
}

let subject: Subject

const tasks: ThroughputTasks = {
  open: async ({ name, place }) => {
    subject = await openSubject(name, place)
  },
  batch: async ({ size, count, seed }) => {
    const contents = Array.from({ length: count }, (_, index) => makeContent(size, seed + index))
    const references: string[] = []
    const batch = { store: [] as number[], retrieve: [] as number[], hash: [] as number[] }
    // What making them has left, up to 15 ms of work for the collector, goes to nobody's account. Calling the collector
    // would also throw away compiled code.
    if (size >= LARGE_BYTES) await delay(COLLECTION_MS)
    for (const content of contents) {
      const key = `call_${seed + references.length}_0`
      references.push(await timed(batch.store, () => subject.store(key, content)))
    }
    for (const content of contents) await timed(batch.hash, async () => createHash('sha256').update(content).digest())
    for (const [index, reference] of references.entries()) {
      const got = await timed(batch.retrieve, () => subject.retrieve(reference))
      if (index === 0 && Buffer.compare(got, known(contents[0])) !== 0) throw new Error('Other bytes came back.')
    }
    await subject.clear()
    return batch
  },
  close: async () => {
    await subject.clear()
    await subject.close?.()
  },
}

async function timed<Result>(samples: number[], run: () => Promise<Result>): Promise<Result> {
  const start = performance.now()
  const result = await run()
  samples.push(performance.now() - start)
  return result
}

serve({ ...tasks })
