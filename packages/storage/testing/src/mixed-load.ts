import { scriptArgument, type Backend } from './backend.ts'
import { isSoak } from './kill-soak.ts'
import type { LoadResult, LoadTask } from './load-task.ts'
import { ended, ownScript, startScript } from './run-script.ts'

/** How much load there is. */
export interface MixedLoadOptions {
  /** Defaults to 60 where `SPILLWAY_SOAK` is set, else to 3. */
  readonly seconds?: number | undefined
  /** Clients in all, each of which does one thing after the other. Defaults to 64. */
  readonly clients?: number | undefined
  /** Over how many processes they are spread. Defaults to 2. */
  readonly processes?: number | undefined
  /** How many instances each process opens. Defaults to 2. */
  readonly instances?: number | undefined
  /** What the clients choose by. Defaults to `SPILLWAY_SEED`, else to the time. */
  readonly seed?: number | undefined
  /** Milliseconds after which an operation counts as hanging. Defaults to a minute. */
  readonly limitMs?: number | undefined
}

/** What came of the load. */
export interface MixedLoadReport {
  readonly seed: number
  /** How often each operation was done. */
  readonly operations: Readonly<Record<string, number>>
  /** What must be empty. */
  readonly problems: readonly string[]
}

/**
 * Have the clients of two tenants store, retrieve, list, delete and collect at the same time. Any error is a problem, and
 * so is a reference that does not resolve to its own bytes, one that resolves for anybody else, and a list that shows
 * what is not the tenant's or leaves out what is.
 */
export async function mixedLoad<Config>(
  backend: Backend<Config>,
  options: MixedLoadOptions = {},
): Promise<MixedLoadReport> {
  const { seconds = isSoak ? 60 : 3, clients = 64, processes = 2, instances = 2, limitMs = 60_000 } = options
  const seed = options.seed ?? Number(process.env['SPILLWAY_SEED'] ?? Date.now() % 2 ** 31)
  const problems: string[] = []
  const operations: Record<string, number> = {}
  const running = Array.from({ length: processes }, async (_, index) => {
    const share = Math.floor(((index + 1) * clients) / processes) - Math.floor((index * clients) / processes)
    const task: LoadTask = { process: index, seed, seconds, clients: share, instances, limitMs }
    const child = startScript(ownScript('load-process.ts'), [scriptArgument(backend, task)], (line) => {
      const result = JSON.parse(line) as LoadResult
      problems.push(...result.problems)
      for (const [name, count] of Object.entries(result.operations)) operations[name] = (operations[name] ?? 0) + count
    })
    const outcome = await ended(child)
    if (outcome !== 0) problems.push(`process ${index} ended with ${outcome}`)
  })
  await Promise.all(running)
  return { seed, operations, problems: problems.map((problem) => `${problem} (SPILLWAY_SEED=${seed})`) }
}
