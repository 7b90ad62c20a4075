import { setTimeout as delay } from 'node:timers/promises'
import type { Backend } from './backend.ts'
import { isSoak } from './kill-soak.ts'
import { ended } from './run-script.ts'
import { SoakRun, type SoakOptions, type SoakReport } from './soak-run.ts'

const MAX_UPTIME_MS = 1_000
const MAX_DOWNTIME_MS = 500
const RECOVERY_MS = 60_000

/** The server behind a backend. */
export interface KillableServer {
  /** Kill it by SIGKILL and wait until it is gone. */
  kill(): Promise<void>
  /** Start it again and wait until it is ready. */
  start(): Promise<void>
}

/** How often a server is killed. */
export interface KillServerSoakOptions extends SoakOptions {
  /** How often it is killed. Defaults to 200 where `SPILLWAY_SOAK` is set, else to 5. */
  readonly kills?: number | undefined
  /** How many processes write meanwhile. Defaults to 3. */
  readonly processes?: number | undefined
}

/**
 * Kill a server by SIGKILL at random moments and start it again, while writers go on with the instances that they have;
 * then check what {@link killSoak} checks. Operations may fail with `unavailable` and nothing else, none may hang, and
 * each writer must be able to store after the last start.
 */
export async function killServerSoak<Config>(
  backend: Backend<Config>,
  server: KillableServer,
  options: KillServerSoakOptions = {},
): Promise<SoakReport> {
  const { kills = isSoak ? 200 : 5, processes = 3 } = options
  const run = await SoakRun.start(backend, true, options)
  const stores = Array.from({ length: processes }, () => 0)
  const writers = stores.map((_, index) => run.startWriter(() => (stores[index] = (stores[index] ?? 0) + 1)))
  await allGrow(stores, run)
  for (let kill = 0; kill < kills && !run.isHopeless; kill += 1) {
    await delay(Math.random() * MAX_UPTIME_MS)
    await server.kill()
    await delay(Math.random() * MAX_DOWNTIME_MS)
    await server.start()
  }
  await allGrow(stores, run)
  for (const writer of writers) writer.stdin?.end()
  for (const writer of writers) {
    const outcome = await ended(writer)
    if (outcome !== 0) run.problems.push(`a writer ended with ${outcome}`)
  }
  if (run.outages === 0) run.problems.push('no writer has met an outage: the server was not what it wrote to')
  return await run.finish(kills)
}

/** Wait until each writer has stored once more. */
async function allGrow(stores: readonly number[], run: SoakRun): Promise<void> {
  const before = [...stores]
  const end = performance.now() + RECOVERY_MS
  while (stores.some((count, index) => count <= (before[index] ?? 0))) {
    if (run.isHopeless) return
    if (performance.now() > end) {
      run.problems.push(`a writer has not stored anything for ${RECOVERY_MS / 1_000} s while the server was up`)
      return
    }
    await delay(50)
  }
}
