import { isFull } from '@spillway-internal/test-run'
import type { Backend } from './backend.ts'
import { ended } from './run-script.ts'
import { SoakRun, type SoakOptions, type SoakReport } from './soak-run.ts'

/** How many writers are killed, and when. */
export interface KillSoakOptions extends SoakOptions {
  /** How many writers are started and killed. Defaults to 200 in full runs, otherwise to 3. */
  readonly kills?: number | undefined
  /** How many writers write at the same time. Defaults to 4 in full runs, otherwise to 2. */
  readonly processes?: number | undefined
  /** A writer is killed after at most this many acknowledged stores. Defaults to 500 in full runs, otherwise to 100. */
  readonly stores?: number | undefined
}

/**
 * Keep writers storing, streaming, touching, evicting, clearing and collecting, and kill each by SIGKILL after a random
 * number of stores; then check that every acknowledged store is there and whole, that nothing half-written is visible, and
 * that `gc` removes what is left over. `problems` of the report must be empty.
 */
export async function killSoak<Config>(backend: Backend<Config>, options: KillSoakOptions = {}): Promise<SoakReport> {
  const { kills = isFull ? 200 : 3, processes = isFull ? 4 : 2, stores = isFull ? 500 : 100 } = options
  const run = await SoakRun.start(backend, false, options)
  let started = 0
  let killed = 0
  const keepWriting = async (): Promise<void> => {
    while (started < kills && !run.isHopeless) {
      started += 1
      // At least two, so that what was acknowledged is more than the kills.
      let remaining = 2 + Math.floor(Math.random() * stores)
      const writer = run.startWriter(() => {
        // A writer does several things at once, so that others are under way when one is acknowledged.
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
