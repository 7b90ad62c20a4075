import { isFull } from '@spillway-internal/test-run'
import type { Backend } from './backend.ts'
import { ended } from './run-script.ts'
import { SoakRun, type SoakOptions, type SoakReport } from './soak-run.ts'

/** The server of a backend. */
export interface KillableServer {
  /** Kill the server with SIGKILL, and wait until it has ended. */
  kill(): Promise<void>
  /** Start the server again, and wait until it is ready. */
  start(): Promise<void>
}

/** Number of kills and writers. */
export interface KillServerSoakOptions extends SoakOptions {
  /** Number of kills. Defaults to 200 in full runs, otherwise to 2. */
  readonly kills?: number | undefined
  /** Number of processes that write during the kills. Defaults to 3 in full runs, otherwise to 2. */
  readonly processes?: number | undefined
  /** The server is killed after at most this many acknowledged stores. Defaults to 500 in full runs, otherwise to 100. */
  readonly stores?: number | undefined
}

/**
 * Kill a server with SIGKILL after a random number of stores, and start it again, while writers continue with their
 * instances. Then make the checks of {@link killSoak}. Operations may only fail with `unavailable`. No operation may
 * hang, and each writer must be able to store after the last start.
 *
 * After every second kill, the server stays down until a writer's operation has failed. Otherwise, it starts at once.
 */
export async function killServerSoak<Config>(
  backend: Backend<Config>,
  server: KillableServer,
  options: KillServerSoakOptions = {},
): Promise<SoakReport> {
  const { kills = isFull ? 200 : 2, processes = isFull ? 3 : 2, stores = isFull ? 500 : 100 } = options
  const run = await SoakRun.start(backend, true, options)
  const counts = Array.from({ length: processes }, () => 0)
  const writers = counts.map((_, index) => run.startWriter(() => (counts[index] = (counts[index] ?? 0) + 1)))
  const total = (): number => counts.reduce((sum, count) => sum + count, 0)
  await allGrow(counts, run)
  for (let kill = 0; kill < kills && !run.isHopeless; kill += 1) {
    const enough = total() + 1 + Math.floor(Math.random() * stores)
    await run.until(() => total() >= enough, 'no writer has stored anything')
    const { outages } = run
    await server.kill()
    if (kill % 2 === 0) await run.until(() => run.outages > outages, 'no writer has met the outage')
    await server.start()
  }
  await allGrow(counts, run)
  for (const writer of writers) writer.stdin?.end()
  for (const writer of writers) {
    const outcome = await ended(writer)
    if (outcome !== 0) run.problems.push(`a writer ended with ${outcome}`)
  }
  return await run.finish(kills)
}

/** Wait until each writer has stored another entry. */
async function allGrow(counts: readonly number[], run: SoakRun): Promise<void> {
  const before = [...counts]
  const haveGrown = (): boolean => counts.every((count, index) => count > (before[index] ?? 0))
  await run.until(haveGrown, 'a writer has not stored anything while the server was up')
}
