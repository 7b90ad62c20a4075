import type { Storage } from '../storage/storage.ts'
import { ConformanceFailure } from './conformance-failure.ts'
import type { CaseContext, ConformanceHarness, ConformancePowers, HarnessInstance } from './harness.ts'
import { collectStrayErrors } from './limits/stray-errors.ts'
import { GivenUp, withinTime } from './limits/within-time.ts'
import { DEFAULT_TIMEOUT_MS, planConformance, wantedCases, type ConformanceOptions, type PlannedCase } from './plan.ts'
import type { CaseFailure, CaseResult, ConformanceReport } from './report.ts'
import { seededRandom } from './sample.ts'

/** Options of a run of the suite. */
export interface RunConformanceOptions extends ConformanceOptions {
  /** Called after each case. */
  readonly onResult?: (result: CaseResult) => void
  /** Ends the run early: the running case fails, and so do all cases after it. */
  readonly signal?: AbortSignal
  /** Milliseconds for the whole run. After this time, the run is aborted. Defaults to 30 minutes. */
  readonly timeLimitMs?: number
}

/**
 * Run the conformance suite on a backend, one case after the other, each on a fresh storage.
 *
 * Resolves even if cases fail: check {@link ConformanceReport.ok}. A case fails if it takes too long, blocks the
 * thread, or leaves an unhandled rejection. Rejects if the harness itself is invalid.
 *
 * @throws TypeError like {@link planConformance}.
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
  const stop = new AbortController()
  const { signal, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = options
  const onAbort = (): void => stop.abort('the run was ended by its signal')
  const timer = setTimeout(() => stop.abort(`the run has a limit of ${timeLimitMs} ms`), timeLimitMs)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  const limited = { ...options, signal: stop.signal }
  try {
    for (const planned of await planOrFailures(harness, limited)) {
      const result = 'status' in planned ? planned : await runCase(harness, planned, limited)
      results.push(result)
      options.onResult?.(result)
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
  const ok = results.every(({ status }) => status !== 'failed' && status !== 'gap-closed')
  return { name: harness.name, level: harness.level ?? 'full', seed: options.seed ?? 1, ok, results }
}

/** Plan the run. Each case fails if no storage can be created. Creating the first storage may hang, or throw later. */
async function planOrFailures(
  harness: ConformanceHarness,
  options: RunConformanceOptions,
): Promise<readonly (PlannedCase | CaseResult)[]> {
  const stray = collectStrayErrors()
  let plan: readonly PlannedCase[] = []
  let problem: { readonly error: unknown } | undefined
  try {
    plan = await planConformance(harness, options)
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error
    problem = { error }
  } finally {
    const strayed = await stray.end()
    problem ??= strayed
  }
  if (problem === undefined) return plan
  const failure = failureFrom('setup', problem.error)
  return wantedCases(options).map(({ id, title }) => failed(id, title, failure))
}

const MAX_MESSAGE = 400

const DEFAULT_TIME_LIMIT_MS = 30 * 60_000

/** Run one planned case for a test runner, and return its result. Resolves even if the storage fails. */
export async function runCase(
  harness: ConformanceHarness,
  planned: PlannedCase,
  options: RunConformanceOptions = {},
): Promise<CaseResult> {
  const { id, title } = planned.case
  if (planned.action !== 'run')
    return { id, title, status: planned.action, ...(planned.reason === undefined ? {} : { detail: planned.reason }) }
  if (options.signal?.aborted === true)
    return failed(id, title, { kind: 'stopped', message: `has not run: ${String(options.signal.reason)}` })
  const stray = collectStrayErrors()
  let failure = await failureOf(harness, planned, options)
  const strayed = await stray.end()
  if (strayed !== undefined)
    failure ??= failureFrom('error', strayed.error, 'has thrown an error that no code handles: ')
  if (planned.knownGap === undefined)
    return failure === undefined ? { id, title, status: 'passed' } : failed(id, title, failure)
  if (failure === undefined) {
    const detail = `the known gap has closed (${planned.knownGap}): remove ${JSON.stringify(id)} from knownGaps`
    return { id, title, status: 'gap-closed', detail }
  }
  if (['setup', 'teardown', 'stopped'].includes(failure.kind)) return failed(id, title, failure)
  return { id, title, status: 'known-gap', detail: planned.knownGap, failure }
}

const failed = (id: string, title: string, failure: CaseFailure): CaseResult => ({
  id,
  title,
  status: 'failed',
  detail: failure.message,
  failure,
})

async function failureOf(
  harness: ConformanceHarness,
  planned: PlannedCase,
  options: RunConformanceOptions,
): Promise<CaseFailure | undefined> {
  const opened = openInstances(harness, planned)
  const within = <Result>(what: string, work: () => Promise<Result>, signal = options.signal): Promise<Result> =>
    withinTime(what, harness.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal, work)
  let failure: CaseFailure | undefined
  let kind: CaseFailure['kind'] = 'setup'
  try {
    const instance = await within('create()', () => opened.create())
    kind = 'error'
    await within('the case', () => planned.case.run(opened.context(instance, options)))
  } catch (error) {
    if (error instanceof GivenUp && (kind === 'error' || error.kind === 'stopped')) kind = error.kind
    failure = failureFrom(error instanceof ConformanceFailure ? 'promise' : kind, error)
  }
  for (const [what, close] of opened.closings())
    try {
      await within(what, close, undefined)
    } catch (error) {
      failure ??= failureFrom('teardown', error)
    }
  return failure
}

function openInstances(harness: ConformanceHarness, planned: PlannedCase) {
  const instances: HarnessInstance[] = []
  const reopened: Storage[] = []

  async function create(): Promise<HarnessInstance> {
    const instance = await harness.create(planned.case.settings ?? {})
    instances.push(instance)
    return instance
  }

  function context(instance: HarnessInstance, options: ConformanceOptions): CaseContext {
    return {
      storage: instance.storage as Required<Storage>,
      powers: tracked(instance.powers ?? {}),
      another: async () => (await create()).storage as Required<Storage>,
      random: seededRandom(options.seed ?? 1),
      thorough: options.thorough ?? false,
      pageSize: harness.pageSize ?? 1_000,
    }
  }

  function tracked(powers: ConformancePowers): Required<ConformancePowers> {
    const { reopen } = powers
    if (reopen === undefined) return powers as Required<ConformancePowers>
    const tracked = async (): Promise<Storage> => {
      const storage = await reopen()
      reopened.push(storage)
      return storage
    }
    return { ...powers, reopen: tracked } as Required<ConformancePowers>
  }

  /** Functions to call at the end, each with a name. */
  function closings(): (readonly [string, () => Promise<void>])[] {
    return [
      ...reopened.map((storage) => ['close()', async () => storage.close?.()] as const),
      ...instances.map((instance) => ['dispose()', async () => instance.dispose?.()] as const),
    ]
  }

  return { create, context, closings }
}

/** Matches a JavaScript engine's error for a missing method: `storage.scope(...).list is not a function`. */
const MISSING_METHOD = /(\w+) is not a function/

function failureFrom(kind: CaseFailure['kind'], error: unknown, before = ''): CaseFailure {
  const message = error instanceof Error ? error.message : String(error)
  const [, missing] = (error instanceof TypeError && MISSING_METHOD.exec(message)) || []
  const named = missing === undefined ? message : `the method ${missing}() is missing (${message})`
  return { kind, message: withoutMiddle(`${before}${named}`), error }
}

/** Remove the middle of a long message, which may quote contents. Start and end describe the failure. */
const withoutMiddle = (message: string): string =>
  message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE / 2)} … ${message.slice(-MAX_MESSAGE / 2)}`
