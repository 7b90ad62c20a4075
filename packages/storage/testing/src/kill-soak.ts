import type { Backend } from './backend.ts'
import { ended } from './run-script.ts'
import { SoakRun, type SoakOptions, type SoakReport } from './soak-run.ts'

const MAX_LIFE_MS = 1_000

/** How many writers are killed, and how. */
export interface KillSoakOptions extends SoakOptions {
  /** How many writers are killed. Defaults to 200 where `SPILLWAY_SOAK` is set, else to 10. */
  readonly kills?: number | undefined
  /** How many write at the same time. Defaults to 4. */
  readonly processes?: number | undefined
}

/** Whether soaks run at full length. */
export const isSoak: boolean = process.env['SPILLWAY_SOAK'] !== undefined

/**
 * Keep writers storing, streaming, touching, evicting, clearing and collecting, and kill each by SIGKILL at a random
 * moment; then check that every acknowledged store is there and whole, that nothing half-written is visible, and that
 * `gc` removes what is left over. `problems` of the report must be empty.
 */
export async function killSoak<Config>(backend: Backend<Config>, options: KillSoakOptions = {}): Promise<SoakReport> {
  const { kills = isSoak ? 200 : 6, processes = 4 } = options
  const run = await SoakRun.start(backend, false, options)
  let killed = 0
  const keepWriting = async (): Promise<void> => {
    while (killed < kills && !run.isHopeless) {
      // A writer lives from its first acknowledgement for a random while.
      let isDoomed = false
      const writer = run.startWriter(() => {
        if (!isDoomed) setTimeout(() => writer.kill('SIGKILL'), Math.random() * MAX_LIFE_MS)
        isDoomed = true
      })
      const outcome = await ended(writer)
      if (outcome === 'SIGKILL') killed += 1
      else run.problems.push(`a writer ended by itself with ${outcome}`)
    }
  }
  await Promise.all(Array.from({ length: processes }, keepWriting))
  return await run.finish(killed)
}
