import { setImmediate as nextTurn } from 'node:timers/promises'
import { seededRandom } from '@spillway-internal/test-run/seeded-random'
import type { ManagedStorage, ManagedStorageOptions } from '@spillway/core'
import { LoadClient } from './load-client.ts'
import type { LoadResult, LoadTask } from './load-task.ts'
import { LoadedEntries } from './loaded-entries.ts'
import { AN_HOUR_MS } from './soak-scopes.ts'

const TENANTS = ['tenant-a', 'tenant-b']
const SESSIONS = 4
const MAX_PROBLEMS = 20

/** Run the clients of one process in a mixed load. */
export async function runLoad(
  open: (options: ManagedStorageOptions) => ManagedStorage | Promise<ManagedStorage>,
  task: LoadTask,
): Promise<LoadResult> {
  const instances: ManagedStorage[] = []
  // The limits are never exceeded, but let the storage count everything.
  for (let index = 0; index < task.instances; index += 1)
    instances.push(await open({ ttlMs: 24 * AN_HOUR_MS, evictAfterTurns: 1_000_000 }))
  const entries = new LoadedEntries()
  const operations: Record<string, number> = {}
  const problems: string[] = []

  async function runClient(index: number): Promise<void> {
    const client = new LoadClient({
      name: `client-${task.process}-${index}`,
      tenant: TENANTS[index % TENANTS.length]!,
      session: `session-${Math.floor(index / TENANTS.length) % SESSIONS}`,
      instances,
      entries,
      random: seededRandom(task.seed + task.process * 1_000 + index),
      limitMs: task.limitMs,
      count: (operation) => (operations[operation] = (operations[operation] ?? 0) + 1),
    })
    try {
      for (let step = 0; step < task.steps && problems.length < MAX_PROBLEMS; step += 1) {
        await nextTurn()
        await client.step()
      }
      await client.finish()
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  }

  await Promise.all(Array.from({ length: task.clients }, (_, index) => runClient(index)))
  for (const storage of instances) await storage.close()
  return { operations, problems }
}
