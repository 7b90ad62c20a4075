import type { ChildProcess } from 'node:child_process'
import { isFull, seed as seedOfRun } from '@spillway-internal/test-run'
import { importBackend, scriptArgument, type Backend } from './backend.ts'
import type { LoadResult, LoadTask } from './load-task.ts'
import { runLoad } from './run-load.ts'
import { ended, ownScript, startScript } from './run-script.ts'

/** Size of the load. */
export interface MixedLoadOptions {
  /** Number of operations of each client. Defaults to 1,000 in full runs, otherwise to 25. */
  readonly steps?: number | undefined
  /** Number of all clients. Each runs one operation after another. Defaults to 64. */
  readonly clients?: number | undefined
  /** Number of processes for the clients, including this process. Defaults to 2. */
  readonly processes?: number | undefined
  /** Number of instances that each process opens. Defaults to 2. */
  readonly instances?: number | undefined
  /** Seed of the clients' random choices. Defaults to the seed of the test run. */
  readonly seed?: number | undefined
  /** Milliseconds after which an operation counts as hanging. Defaults to two minutes. */
  readonly limitMs?: number | undefined
}

/** The result of the load. */
export interface MixedLoadReport {
  readonly seed: number
  /** Number of calls by operation. */
  readonly operations: Readonly<Record<string, number>>
  /** Found problems; must be empty. */
  readonly problems: readonly string[]
}

/**
 * Let the clients of two tenants store, retrieve, list, delete, and collect at the same time. Problems are errors,
 * references that resolve to wrong bytes or for another tenant, and lists that lack entries of the tenant or contain
 * entries of another tenant.
 */
export async function mixedLoad<Config>(
  backend: Backend<Config>,
  options: MixedLoadOptions = {},
): Promise<MixedLoadReport> {
  const { steps = isFull ? 1_000 : 25, clients = 64, processes = 2, instances = 2, limitMs = 120_000 } = options
  const { seed = seedOfRun } = options
  const problems: string[] = []
  const operations: Record<string, number> = {}
  const add = (result: LoadResult): void => {
    problems.push(...result.problems)
    for (const [name, count] of Object.entries(result.operations)) operations[name] = (operations[name] ?? 0) + count
  }
  const module = await importBackend(backend)
  const tasks = Array.from({ length: processes }, (_, index): LoadTask => {
    const share = Math.floor(((index + 1) * clients) / processes) - Math.floor((index * clients) / processes)
    return { process: index, seed, steps, clients: share, instances, limitMs }
  })
  const [own, ...others] = tasks
  const children = await Promise.all(others.map((task) => startLoad(backend, task, add)))
  // All processes begin at the same time.
  for (const child of children) child.stdin?.end('go\n')
  if (own !== undefined) add(await runLoad((limits) => module.open(backend.config, limits), own))
  for (const child of children) {
    const outcome = await ended(child)
    if (outcome !== 0) problems.push(`a process ended with ${outcome}`)
  }
  return { seed, operations, problems: problems.map((problem) => `${problem} (SPILLWAY_SEED=${seed})`) }
}

/** Start a process of the load. Resolves when it is ready or has ended. */
async function startLoad(backend: Backend, task: LoadTask, add: (result: LoadResult) => void): Promise<ChildProcess> {
  return new Promise((resolve) => {
    const child = startScript(ownScript('load-process.ts'), [scriptArgument(backend, task)], (line) => {
      if (line === 'ready') resolve(child)
      else add(JSON.parse(line) as LoadResult)
    })
    child.once('close', () => resolve(child))
  })
}
