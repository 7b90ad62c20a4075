import type { AdapterCase } from './adapter-case.ts'
import { HOOK_CASES } from './cases/case-dependencies.ts'
import type { AdapterHarness } from './harness.ts'

/** Properties of a run of the suite. */
export interface SuiteRun {
  /** Whether every case runs with every harness and version. */
  readonly isFull: boolean
  /** Whether the version of the framework is older than the newest one. */
  readonly isOlderVersion: boolean
  /** The cases that another harness of the same adapter runs. */
  readonly runsElsewhere: 'nothing' | 'every case' | 'cases of entry points'
}

/** Select the cases that run with a harness. */
export function selectCases(
  cases: readonly AdapterCase[],
  harness: Pick<AdapterHarness, 'compactsHistory'>,
  { isFull, isOlderVersion, runsElsewhere }: SuiteRun,
): AdapterCase[] {
  const possible = cases.filter(({ needs }) => needs === undefined || harness[needs] === true)
  if (isFull) return possible
  if (isOlderVersion && runsElsewhere !== 'nothing') return possible.filter(({ id }) => HOOK_CASES.includes(id))
  if (isOlderVersion || runsElsewhere === 'cases of entry points')
    return possible.filter(({ dependsOn }) => dependsOn === 'framework')
  return runsElsewhere === 'every case' ? possible.filter(({ dependsOn }) => dependsOn !== undefined) : possible
}
