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
  /** Whether this machine has every program that a case runs. If not, the report in the README is not compared. */
  readonly isProvenHere?: boolean
  /** Cases that only full runs have, and the report counts as passed. Each needs a test that finds its faults elsewhere. */
  readonly inFullRuns?: RegExp
  /** Whether to run long series, and all scopes. Defaults to full runs. */
  readonly thorough?: boolean
}

/** Hundreds of megabytes; 20 MB cross every limit of the backends here. */
const HUGE = /-200-mb$/

/**
 * Register the suite, and a test that compares its report with the one in a package's README, between
 * `<!-- conformance -->` and `<!-- end of conformance -->`. `vitest run … --update` brings the README up to date.
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
    // Those that do not run, and all where this test is run alone.
    const filter = (id: string): boolean => !ran.has(id) && runsNow(id)
    const { name, level, results: others } = await runConformance(harness, { ...options, filter })
    const known = new Map([...ran.values(), ...others].map((result) => [result.id, result]))
    const plan = await planConformance(harness, options)
    const results = plan.flatMap(
      ({ case: { id, title } }) => known.get(id) ?? (runsNow(id) ? [] : { id, title, status: 'passed' as const }),
    )
    const failed = results.filter(({ status }) => status === 'failed' || status === 'gap-closed')
    // Which case it was, and why, before the numbers are compared.
    expect(failed).toEqual([])
    const readme = await readFile(path, 'utf8')
    const parts = /^([^]*<!-- conformance -->\n)[^]*(\n<!-- end of conformance -->[^]*)$/.exec(readme)
    expect(parts).not.toBeNull()
    const report = formatReport({ name, level, ok: true, results })
    await expect(`${parts?.[1]}\n${report}${parts?.[2]}`).toMatchFileSnapshot(path)
  })
}
