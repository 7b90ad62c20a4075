import type { Storage } from '../storage/storage.ts'
import { ConformanceFailure } from './conformance-failure.ts'
import type { CaseContext, ConformanceHarness, ConformancePowers, HarnessInstance } from './harness.ts'
import { planConformance, type ConformanceOptions, type PlannedCase } from './plan.ts'
import type { CaseFailure, CaseResult, ConformanceReport } from './report.ts'
import { seededRandom } from './sample.ts'

/** How to run the suite. */
export interface RunConformanceOptions extends ConformanceOptions {
  /** Called after each case. */
  readonly onResult?: (result: CaseResult) => void
}

/**
 * Run the conformance suite on a backend, one case after the other, each on a fresh storage.
 *
 * Resolves also when cases fail: look at {@link ConformanceReport.ok}. Rejects where the harness itself is wrong.
 *
 * @throws TypeError as {@link planConformance} does.
 *
 * @example
 * ```ts
 * import { runConformance } from '@spillway/core/conformance'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const report = await runConformance(
 *   { name: 'memory', create: async () => ({ storage: new InMemoryStorage() }) },
 *   { filter: (id) => id.startsWith('content-type/') },
 * )
 * console.assert(report.ok && report.results.some(({ status }) => status === 'passed'))
 * ```
 */
export async function runConformance(
  harness: ConformanceHarness,
  options: RunConformanceOptions = {},
): Promise<ConformanceReport> {
  const results: CaseResult[] = []
  for (const planned of await planConformance(harness, options)) {
    const result = await runCase(harness, planned, options)
    results.push(result)
    options.onResult?.(result)
  }
  const ok = results.every(({ status }) => status !== 'failed' && status !== 'gap-closed')
  return { name: harness.name, level: harness.level ?? 'full', ok, results }
}

/** Characters of a message of a failure. */
const MAX_MESSAGE = 400

/** Milliseconds that a case may take where its harness says nothing. */
export const DEFAULT_TIMEOUT_MS = 30_000

/**
 * Run one planned case and say how it went. Never rejects for what the storage does.
 *
 * A bound test runner calls this for each test.
 */
export async function runCase(
  harness: ConformanceHarness,
  planned: PlannedCase,
  options: ConformanceOptions = {},
): Promise<CaseResult> {
  const { id, title } = planned.case
  if (planned.action !== 'run')
    return { id, title, status: planned.action, ...(planned.reason === undefined ? {} : { detail: planned.reason }) }
  const failure = await failureOf(harness, planned, options)
  if (planned.knownGap === undefined)
    return failure === undefined
      ? { id, title, status: 'passed' }
      : { id, title, status: 'failed', detail: failure.message, failure }
  if (failure === undefined) {
    const detail = `the known gap has closed (${planned.knownGap}): remove ${JSON.stringify(id)} from knownGaps`
    return { id, title, status: 'gap-closed', detail }
  }
  if (failure.kind === 'setup' || failure.kind === 'teardown')
    return { id, title, status: 'failed', detail: failure.message, failure }
  return { id, title, status: 'known-gap', detail: planned.knownGap, failure }
}

async function failureOf(
  harness: ConformanceHarness,
  planned: PlannedCase,
  options: ConformanceOptions,
): Promise<CaseFailure | undefined> {
  const opened = new OpenInstances(harness, planned)
  let failure: CaseFailure | undefined
  try {
    const instance = await opened.create()
    failure = await outcomeOf(planned, opened.context(instance, options), harness.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  } catch (error) {
    failure = failureFrom('setup', error)
  }
  try {
    await opened.close()
  } catch (error) {
    failure ??= failureFrom('teardown', error)
  }
  return failure
}

/** Everything that a case has opened, to be closed after it. */
class OpenInstances {
  readonly #harness: ConformanceHarness
  readonly #planned: PlannedCase
  readonly #instances: HarnessInstance[] = []
  readonly #reopened: Storage[] = []

  constructor(harness: ConformanceHarness, planned: PlannedCase) {
    this.#harness = harness
    this.#planned = planned
  }

  async create(): Promise<HarnessInstance> {
    const instance = await this.#harness.create(this.#planned.case.settings ?? {})
    this.#instances.push(instance)
    return instance
  }

  context(instance: HarnessInstance, options: ConformanceOptions): CaseContext {
    return {
      storage: instance.storage as Required<Storage>,
      powers: this.#tracked(instance.powers ?? {}),
      another: async () => (await this.create()).storage as Required<Storage>,
      random: seededRandom(options.seed ?? 1),
      thorough: options.thorough ?? false,
    }
  }

  #tracked(powers: ConformancePowers): Required<ConformancePowers> {
    const { reopen } = powers
    if (reopen === undefined) return powers as Required<ConformancePowers>
    const tracked = async (): Promise<Storage> => {
      const storage = await reopen()
      this.#reopened.push(storage)
      return storage
    }
    return { ...powers, reopen: tracked } as Required<ConformancePowers>
  }

  async close(): Promise<void> {
    for (const storage of this.#reopened) await storage.close?.()
    for (const instance of this.#instances) await instance.dispose?.()
  }
}

async function outcomeOf(
  planned: PlannedCase,
  context: CaseContext,
  timeoutMs: number,
): Promise<CaseFailure | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<CaseFailure>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'timeout', message: `has not ended after ${timeoutMs} ms` }), timeoutMs)
  })
  const run = async (): Promise<CaseFailure | undefined> => {
    try {
      await planned.case.run(context)
      return undefined
    } catch (error) {
      return failureFrom(error instanceof ConformanceFailure ? 'promise' : 'error', error)
    }
  }
  try {
    return await Promise.race([run(), timeout])
  } finally {
    clearTimeout(timer)
  }
}

const failureFrom = (kind: CaseFailure['kind'], error: unknown): CaseFailure => ({
  kind,
  message: withoutMiddle(error instanceof Error ? error.message : String(error)),
  error,
})

/** Leave out the middle of a long message: it may quote references and contents, and says what is wrong at its ends. */
const withoutMiddle = (message: string): string =>
  message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE / 2)} … ${message.slice(-MAX_MESSAGE / 2)}`
