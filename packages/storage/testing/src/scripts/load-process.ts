/** Run clients of two tenants for a while; print what they did and found as one line of JSON. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ManagedStorage } from '@spillway/core'
import { readScriptArgument } from '../backend.ts'
import { LoadClient } from '../load-client.ts'
import type { LoadResult, LoadTask } from '../load-task.ts'
import { LoadedEntries } from '../loaded-entries.ts'
import { seededRandom } from '../seeded-random.ts'
import { AN_HOUR_MS } from '../soak-scopes.ts'

const TENANTS = ['tenant-a', 'tenant-b']
const SESSIONS = 4
const MAX_PROBLEMS = 20

const argument = await readScriptArgument()
const task = argument.task as LoadTask
const instances: ManagedStorage[] = []
// Limits that count everything and that nothing exceeds.
for (let index = 0; index < task.instances; index += 1)
  instances.push(await argument.open({ ttlMs: 24 * AN_HOUR_MS, evictAfterTurns: 1_000_000 }))
const entries = new LoadedEntries()
const operations: Record<string, number> = {}
const problems: string[] = []
const end = performance.now() + task.seconds * 1_000

await Promise.all(Array.from({ length: task.clients }, (_, index) => runClient(index)))
for (const storage of instances) await storage.close()
console.log(JSON.stringify({ operations, problems } satisfies LoadResult))

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
    while (performance.now() < end && problems.length < MAX_PROBLEMS) {
      await nextTurn()
      await client.step()
    }
    await client.finish()
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
}
