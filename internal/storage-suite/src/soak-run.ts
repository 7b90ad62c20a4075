import type { ChildProcess } from 'node:child_process'
import type { ManagedStorage, StoredInfo } from '@spillway/core'
import { importBackend, scriptArgument, type Backend, type BackendModule } from './backend.ts'
import { describeError } from './describe-error.ts'
import { ownScript, startScript } from './run-script.ts'
import { isSoakContent, soakContent } from './soak-content.ts'
import { SoakReader } from './soak-reader.ts'
import { AN_HOUR_MS, clearedScope, PARALLEL, SCOPES, SEEDED, type SoakScope, type WriterTask } from './soak-scopes.ts'

/** Limit of reported problems: more problems give no new information. */
const MAX_PROBLEMS = 20
/** Time limit that only ends hanging tests. */
const PATIENCE_MS = 120_000

/** Options of a soak. */
export interface SoakOptions {
  /** Size of the largest streams, so that streams exceed the backend's own parts and chunks. Defaults to 1 MB. */
  readonly largeBytes?: number | undefined
  /** Milliseconds after which an operation counts as hanging. Defaults to two minutes. */
  readonly limitMs?: number | undefined
}

/** The result of a soak. */
export interface SoakReport {
  readonly kills: number
  /** Number of stores that resolved. */
  readonly acknowledged: number
  /** Number of entries that were read during the soak. */
  readonly reads: number
  /** Number of leftovers of killed writers that `gc` removed. */
  readonly leftovers: number
  /** Number of operations that rejected with `unavailable`. */
  readonly outages: number
  /** Found problems; must be empty. */
  readonly problems: readonly string[]
}

interface Acknowledged {
  readonly scope: 'kept' | 'revived'
  readonly reference: string
  readonly key: string
}

/** A backend with writers and a reader. Records acknowledged entries, and makes the final checks. */
export class SoakRun {
  readonly problems: string[] = []
  /** Number of operations that rejected with `unavailable`. */
  outages = 0
  readonly #backend: Backend
  readonly #module: BackendModule<unknown>
  readonly #survives: boolean
  readonly #limitMs: number
  readonly #largeBytes: number
  readonly #startedAt = Date.now()
  readonly #acknowledged = new Map<string, Acknowledged>()
  readonly #reader: SoakReader
  #writers = 0
  #onLine = (): void => {}

  private constructor(
    backend: Backend,
    module: BackendModule<unknown>,
    reading: ManagedStorage,
    survives: boolean,
    options: SoakOptions,
  ) {
    this.#backend = backend
    this.#module = module
    this.#survives = survives
    this.#limitMs = options.limitMs ?? 120_000
    this.#largeBytes = options.largeBytes ?? 1_000_000
    const onProblem = (problem: string): void => void this.problems.push(`a reader saw: ${problem}`)
    this.#reader = new SoakReader(reading, { survives, limitMs: this.#limitMs, onProblem })
  }

  /**
   * Store entries whose last use was long ago, and start a reader.
   *
   * @param survives - Whether an outage of the backend is expected, and not a problem.
   */
  static async start(backend: Backend, survives: boolean, options: SoakOptions): Promise<SoakRun> {
    const module = await importBackend(backend)
    const before = Date.now() - AN_HOUR_MS
    const storage = await module.open(backend.config, { now: () => before })
    const revived = storage.scope(...SCOPES.revived)
    for (let index = 0; index < SEEDED; index += 1) {
      const { content, contentType } = soakContent(`revived ${index}`)
      await revived.store(`revived ${index}`, content, contentType)
    }
    await storage.close()
    return new SoakRun(backend, module, await module.open(backend.config, {}), survives, options)
  }

  /** Whether more problems give no new information. */
  get isHopeless(): boolean {
    return this.problems.length > MAX_PROBLEMS
  }

  /** Start another writer. Calls `onAcknowledged` for each acknowledged store. */
  startWriter(onAcknowledged: () => void): ChildProcess {
    const task: WriterTask = {
      name: `writer-${(this.#writers += 1)}`,
      startedAt: this.#startedAt,
      survives: this.#survives,
      largeBytes: this.#largeBytes,
      limitMs: this.#limitMs,
    }
    return startScript(ownScript('soak-writer.ts'), [scriptArgument(this.#backend, task)], (line) => {
      const [, scope, reference, key] = /^(kept|revived) (\S+) (.*)$/.exec(line) ?? []
      if (scope !== undefined && reference !== undefined && key !== undefined) {
        this.#acknowledged.set(`${scope} ${reference}`, { scope: scope as Acknowledged['scope'], reference, key })
        onAcknowledged()
      } else if (line === 'unavailable') this.outages += 1
      else this.problems.push(`${task.name}: ${line}`)
      this.#onLine()
      this.#reader.wake()
    })
  }

  /** Wait until output of writers makes a condition true. A timeout is recorded as a problem. */
  async until(condition: () => boolean, problem: string): Promise<void> {
    const line = (): Promise<'line'> => new Promise((resolve) => (this.#onLine = () => resolve('line')))
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<'too long'>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS, 'too long')))
    while (!condition() && !this.isHopeless)
      if ((await Promise.race([line(), tooLong])) === 'too long') {
        this.problems.push(`${problem} for ${PATIENCE_MS / 1_000} s`)
        break
      }
    clearTimeout(timer)
  }

  /** End the reader, check all entries, collect leftovers, and check again. */
  async finish(kills: number): Promise<SoakReport> {
    const reads = await this.#reader.end()
    await this.#checkAcknowledged('before gc')
    await this.#checkListed()
    const leftovers = await this.#collect()
    const again = await this.#collect()
    if (again !== 0) this.problems.push(`gc found ${again} leftovers that it had left before`)
    await this.#checkAcknowledged('after gc')
    const entries = await this.#checkListed()
    const residue = await this.#module.residue?.(this.#backend.config, entries)
    this.problems.push(...(residue ?? []).map((line) => `residue: ${line}`))
    return {
      kills,
      acknowledged: this.#acknowledged.size,
      reads,
      leftovers,
      outages: this.outages,
      problems: this.problems,
    }
  }

  async #checkAcknowledged(when: string): Promise<void> {
    const storage = await this.#module.open(this.#backend.config, {})
    for (const { scope, reference, key } of this.#acknowledged.values()) {
      const found = await storage
        .scope(...SCOPES[scope])
        .retrieve(reference)
        .catch(describeError)
      if (typeof found === 'string') this.problems.push(`acknowledged, but ${when}: ${found}`)
      else if (!isSoakContent(key, found)) this.problems.push(`acknowledged, but ${when} torn: ${reference} ${key}`)
    }
    await storage.close()
  }

  /** Check that every listed entry is complete, and that no entry is outside of the scopes of the run. */
  async #checkListed(): Promise<readonly StoredInfo[]> {
    const storage = await this.#module.open(this.#backend.config, {})
    const scopes: SoakScope[] = Object.values(SCOPES).map((segments) => storage.scope(...segments))
    for (let writer = 1; writer <= this.#writers; writer += 1)
      for (let index = 0; index < PARALLEL; index += 1)
        scopes.push(storage.scope(...clearedScope(`writer-${writer}`, index)))
    let listed = 0
    for (const scope of scopes)
      for await (const { reference, key, size } of scope.list()) {
        listed += 1
        const found = await scope.retrieve(reference).catch(describeError)
        if (typeof found === 'string') this.problems.push(`listed, but: ${found}`)
        else if (!isSoakContent(key, found)) this.problems.push(`listed, but torn: ${reference} ${key}`)
        else if (found.content.length !== size) this.problems.push(`listed with a wrong size: ${reference} ${key}`)
      }
    const entries: StoredInfo[] = []
    for await (const entry of storage.list()) entries.push(entry)
    if (entries.length !== listed) this.problems.push(`${entries.length} entries in all, ${listed} in their scopes`)
    await storage.close()
    return entries
  }

  async #collect(): Promise<number> {
    const storage = await this.#module.open(this.#backend.config, { now: () => Date.now() + AN_HOUR_MS })
    const { leftovers } = await storage.gc()
    await storage.close()
    return leftovers
  }
}
