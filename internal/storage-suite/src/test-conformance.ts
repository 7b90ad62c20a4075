import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  formatReport,
  planConformance,
  runConformance,
  type CaseResult,
  type ConformanceHarness,
} from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { isFull } from '@spillway-internal/test-run'
import { describe, expect, test } from 'vitest'

/** Options of {@link testConformance}. */
export interface TestConformanceOptions {
  /** Whether this machine has all programs that the cases need. If not, the report in the README is not compared. */
  readonly isProvenHere?: boolean
  /** Cases that run only in full runs. Otherwise, they count as passed. Other tests must find their faults. */
  readonly inFullRuns?: RegExp
  /** Whether to run long series, and all scopes. Defaults to `true` in full runs. */
  readonly thorough?: boolean
}

/** Cases with hundreds of megabytes. They are left out, because 20 MB exceed every limit of the backends. */
const HUGE = /-200-mb$/

/**
 * Register the suite, and a test that compares its report with the one in a package's README, between the marks `<!--
 * conformance -->` and `<!-- end of conformance -->`. `vitest run … --update` updates the README.
 */
export function testConformance(
  harness: ConformanceHarness,
  packageFolder: string,
  { isProvenHere = true, inFullRuns, thorough = isFull }: TestConformanceOptions = {},
): void {
  const runsNow = (id: string): boolean => isFull || !(HUGE.test(id) || inFullRuns?.test(id) === true)
  const options = { thorough, large: true }
  const path = join(packageFolder, 'README.md')
  const ran = new Map<string, CaseResult>()
  // The tests of the suite run first.
  describe('the suite', () => {
    storageConformance(harness, { ...options, filter: runsNow, onResult: (result) => void ran.set(result.id, result) })
  })

  test('the README has the report of the suite', { timeout: 600_000 }, async ({ skip }) => {
    skip(!isProvenHere, Object.values(harness.missingPowers ?? {}).join('; '))
    // Only cases that have not run yet are run, which are all cases if this test runs alone.
    const filter = (id: string): boolean => !ran.has(id) && runsNow(id)
    const { name, level, results: others } = await runConformance(harness, { ...options, filter })
    const known = new Map([...ran.values(), ...others].map((result) => [result.id, result]))
    const plan = await planConformance(harness, options)
    const results = plan.flatMap(
      ({ case: { id, title } }) => known.get(id) ?? (runsNow(id) ? [] : { id, title, status: 'passed' as const }),
    )
    const failed = results.filter(({ status }) => status === 'failed' || status === 'gap-closed')
    // This shows the failed cases and the reasons, before the numbers are compared.
    expect(failed).toEqual([])
    const readme = await readFile(path, 'utf8')
    const parts = /^([^]*<!-- conformance -->\n)[^]*(\n<!-- end of conformance -->[^]*)$/.exec(readme)
    expect(parts).not.toBeNull()
    const report = formatReport({ name, level, ok: true, results })
    await expect(`${parts?.[1]}\n${report}${parts?.[2]}`).toMatchFileSnapshot(path)
  })
}
