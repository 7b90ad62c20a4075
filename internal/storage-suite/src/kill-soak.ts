import { isFull } from '@spillway-internal/test-run'
import type { Backend } from './backend.ts'
import { ended } from './run-script.ts'
import { SoakRun, type SoakOptions, type SoakReport } from './soak-run.ts'

/** Number of killed writers, and of concurrent writers. */
export interface KillSoakOptions extends SoakOptions {
  /** Number of writers that are started and killed. Defaults to 200 in full runs, otherwise to 3. */
  readonly kills?: number | undefined
  /** Number of concurrent writers. Defaults to 4 in full runs, otherwise to 2. */
  readonly processes?: number | undefined
  /** A writer is killed after at most this many acknowledged stores. Defaults to 500 in full runs, otherwise to 100. */
  readonly stores?: number | undefined
}

/**
 * Let writers use every method, and kill each writer with SIGKILL after a random number of stores. Then check that
 * every acknowledged entry is complete, that no partial entry is visible, and that `gc` removes the leftovers. The
 * `problems` of the report must be empty.
 */
export async function killSoak<Config>(backend: Backend<Config>, options: KillSoakOptions = {}): Promise<SoakReport> {
  const { kills = isFull ? 200 : 3, processes = isFull ? 4 : 2, stores = isFull ? 500 : 100 } = options
  const run = await SoakRun.start(backend, false, options)
  let started = 0
  let killed = 0
  const keepWriting = async (): Promise<void> => {
    while (started < kills && !run.isHopeless) {
      started += 1
      // Each writer acknowledges at least two entries, so that entries outnumber kills.
      let remaining = 2 + Math.floor(Math.random() * stores)
      const writer = run.startWriter(() => {
        // A writer runs several operations at once, so that others are in progress when one is acknowledged.
        if ((remaining -= 1) === 0) writer.kill('SIGKILL')
      })
      const outcome = await ended(writer)
      if (outcome === 'SIGKILL') killed += 1
      else run.problems.push(`a writer ended by itself with ${outcome}`)
    }
  }
  await Promise.all(Array.from({ length: processes }, keepWriting))
  return await run.finish(killed)
}
