import { stateOf } from '../storage/managed-storage.ts'
import { conformanceCases } from './cases/index.ts'
import type {
  Capability,
  ConformanceCase,
  ConformanceHarness,
  ConformanceLevel,
  HarnessInstance,
  PowerName,
  StorageSettings,
} from './harness.ts'
import { withinTime } from './limits/within-time.ts'
import { explainFailure, type CaseResult } from './report.ts'

/** Selection of the cases to run, and how thorough they are. */
export interface ConformanceOptions {
  /** Run only the cases for whose id the function returns `true`. */
  readonly filter?: (id: string) => boolean
  /** Run more random inputs, such as 10,000 forged references instead of 300. Defaults to `false`. */
  readonly thorough?: boolean
  /** Also run the cases that need hundreds of megabytes. Defaults to `false`. */
  readonly large?: boolean
  /** Seed of all random values. Defaults to 1. */
  readonly seed?: number
  /** The cases to run. Defaults to {@link conformanceCases}. */
  readonly cases?: readonly ConformanceCase[]
}

/** A case to run, or the reason why it does not run. */
export interface PlannedCase {
  readonly case: ConformanceCase
  /**
   * `run`: the case runs. `not-proven`: the harness lacks a power or a setting. `not-applicable`: the storage lacks the
   * method, or does not make the promise. `skipped`: an option excludes the case.
   */
  readonly action: 'run' | 'not-proven' | 'not-applicable' | 'skipped'
  /** The reason why the case does not run. */
  readonly reason?: string
  /** The reason why a failure is expected. */
  readonly knownGap?: string
}

/**
 * Decide which cases run on a backend. Creates one storage to detect its methods and the harness's powers, and removes
 * it.
 *
 * @throws TypeError if the harness is incomplete, or names an unknown level, setting, power or case. Also thrown if a
 *   storage without `list` and `scope` does not set `level`.
 */
export async function planConformance(
  harness: ConformanceHarness,
  options: ConformanceOptions & { readonly signal?: AbortSignal } = {},
): Promise<readonly PlannedCase[]> {
  assertHarness(harness, options.cases ?? conformanceCases)
  const timeoutMs = harness.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const instance = await withinTime('create()', timeoutMs, options.signal, () => harness.create({}))
  try {
    assertInstance(harness, instance)
    return wantedCases(options).map((one) => {
      const knownGap = harness.knownGaps?.[one.id]
      return { case: one, ...decide(one, harness, instance, options), ...(knownGap === undefined ? {} : { knownGap }) }
    })
  } finally {
    await withinTime('dispose()', timeoutMs, options.signal, () => instance.dispose?.())
  }
}

export const DEFAULT_TIMEOUT_MS = 30_000

export const wantedCases = ({ cases = conformanceCases, filter }: ConformanceOptions): readonly ConformanceCase[] =>
  cases.filter(({ id }) => filter?.(id) ?? true)

const POWERS: Readonly<Record<PowerName, true>> = {
  reopen: true,
  outage: true,
  residue: true,
  plant: true,
  clock: true,
  kill: true,
  damage: true,
  shell: true,
  maxTombstones: true,
}

const LEVELS: readonly unknown[] = ['two-method', 'full'] satisfies ConformanceLevel[]
const SETTINGS: readonly string[] = ['evictAfterTurns', 'ttlMs', 'maxBytes'] satisfies (keyof StorageSettings)[]

function decide(
  one: ConformanceCase,
  harness: ConformanceHarness,
  instance: HarnessInstance,
  options: ConformanceOptions,
): Pick<PlannedCase, 'action' | 'reason'> {
  const level: ConformanceLevel = harness.level ?? 'full'
  if (level === 'two-method' && one.level !== 'two-method')
    return { action: 'not-applicable', reason: 'a two-method storage does not promise it' }
  const requires = one.requires ?? []
  for (const name of requires)
    if (!isPower(name) && typeof instance.storage[name] !== 'function')
      return { action: 'not-applicable', reason: `the storage has no ${name}()` }
  if (one.needsDriver === true && stateOf(instance.storage) === undefined)
    return { action: 'not-applicable', reason: 'createStorage() did not make the storage' }
  const settings = Object.keys(one.settings ?? {}) as (keyof StorageSettings)[]
  for (const name of settings) {
    const reason = harness.missingSettings?.[name]
    if (reason !== undefined) return { action: 'not-applicable', reason }
  }
  for (const name of requires)
    if (isPower(name) && instance.powers?.[name] === undefined)
      return {
        action: 'not-proven',
        reason: harness.missingPowers?.[name] ?? `the harness has no power ${JSON.stringify(name)}`,
      }
  for (const name of settings)
    if (harness.settings?.includes(name) !== true)
      return { action: 'not-proven', reason: `the harness cannot set ${name}` }
  if (one.large === true && options.large !== true)
    return { action: 'skipped', reason: 'needs hundreds of megabytes; pass { large: true }' }
  return { action: 'run' }
}

const isPower = (name: Capability | PowerName): name is PowerName => Object.hasOwn(POWERS, name)

function assertHarness(harness: ConformanceHarness, cases: readonly ConformanceCase[]): void {
  if (typeof harness?.create !== 'function')
    throw new TypeError('A conformance harness needs a function create() that returns a fresh { storage }.')
  if (typeof harness.name !== 'string' || harness.name === '')
    throw new TypeError('A conformance harness needs a name for its report.')
  if (harness.level !== undefined && !LEVELS.includes(harness.level))
    throw new TypeError(`level must be "two-method" or "full", got ${JSON.stringify(harness.level)}.`)
  for (const name of ['timeoutMs', 'pageSize'] as const)
    if (harness[name] !== undefined && !(Number.isSafeInteger(harness[name]) && harness[name] > 0))
      throw new TypeError(`${name} must be a whole number above 0, got ${JSON.stringify(harness[name])}.`)
  for (const name of harness.settings ?? [])
    if (!SETTINGS.includes(name))
      throw new TypeError(
        `settings names ${JSON.stringify(name)}, which is not a setting. Known: ${SETTINGS.join(', ')}.`,
      )
  for (const id of Object.keys(harness.knownGaps ?? {}))
    if (!cases.some((one) => one.id === id))
      throw new TypeError(
        `knownGaps names ${JSON.stringify(id)}, which is not a conformance case. Correct or remove it.`,
      )
  for (const name of Object.keys(harness.missingSettings ?? {}))
    if (!SETTINGS.includes(name) || harness.settings?.some((setting) => setting === name) === true)
      throw new TypeError(
        `missingSettings names ${JSON.stringify(name)}, which is no known setting or is also in settings. Correct or remove it.`,
      )
  for (const name of Object.keys(harness.missingPowers ?? {}))
    if (!Object.hasOwn(POWERS, name))
      throw new TypeError(`missingPowers names ${JSON.stringify(name)}, which is not a power. Correct or remove it.`)
}

function assertInstance(harness: ConformanceHarness, { storage, powers }: HarnessInstance): void {
  for (const method of ['store', 'retrieve'] as const)
    if (typeof (storage as Partial<typeof storage> | undefined)?.[method] !== 'function')
      throw new TypeError(`The storage of ${harness.name} has no ${method}(). create() must return { storage }.`)
  if (harness.level === undefined && storage.list === undefined && storage.scope === undefined)
    throw new TypeError(
      `The storage that ${harness.name} creates has no list() and no scope(). ` +
        "Give the harness level: 'two-method' if it promises store() and retrieve() alone, and level: 'full' otherwise.",
    )
  for (const name of Object.keys(powers ?? {}))
    if (!Object.hasOwn(POWERS, name))
      throw new TypeError(`${harness.name} has an unknown power ${JSON.stringify(name)}. Correct or remove it.`)
}

const LABELS: Readonly<Record<Exclude<PlannedCase['action'], 'run'>, string>> = {
  'not-proven': 'not proven',
  'not-applicable': 'not applicable',
  skipped: 'skipped',
}

export function testName({ case: { id }, action, reason, knownGap }: PlannedCase): string {
  if (action !== 'run') return `${id} [${LABELS[action]}: ${reason ?? 'no reason given'}]`
  return knownGap === undefined ? id : `${id} [known gap: ${knownGap}]`
}

/** Throw if a result fails a run: a broken promise, or a known gap that has closed. */
export function throwUnlessExpected(result: CaseResult): void {
  const { id, status, detail, failure } = result
  if (status !== 'failed' && status !== 'gap-closed') return
  const message = status === 'failed' ? explainFailure(result) : detail
  throw new Error(`${id}: ${message}`, { cause: failure?.error })
}
