import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  formatReport,
  planConformance,
  runConformance,
  type CaseResult,
  type ConformanceHarness,
  type ConformanceOptions,
} from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { describe, expect, test } from 'vitest'

/** Options of {@link testConformance}. */
export interface TestConformanceOptions extends ConformanceOptions {
  /** Whether this machine has every program that a case runs. If not, the report in the README is not compared. */
  readonly isProvenHere?: boolean
}

/**
 * Register the suite, and a test that compares its report with the one in a package's README, between
 * `<!-- conformance -->` and `<!-- end of conformance -->`. `vitest run … --update` brings the README up to date.
 */
export function testConformance(
  harness: ConformanceHarness,
  packageFolder: string,
  { isProvenHere = true, ...options }: TestConformanceOptions = {},
): void {
  const path = join(packageFolder, 'README.md')
  const ran = new Map<string, CaseResult>()
  // Its tests come first.
  describe('the suite', () => {
    storageConformance(harness, { ...options, onResult: (result) => void ran.set(result.id, result) })
  })

  test('the README has the report of the suite', { timeout: 600_000 }, async ({ skip }) => {
    skip(!isProvenHere, Object.values(harness.missingPowers ?? {}).join('; '))
    // Those that do not run, and all where this test is run alone.
    const filter = (id: string): boolean => !ran.has(id)
    const { name, level, results: others } = await runConformance(harness, { ...options, filter })
    const known = new Map([...ran.values(), ...others].map((result) => [result.id, result]))
    const plan = await planConformance(harness, options)
    const results = plan.flatMap((planned) => known.get(planned.case.id) ?? [])
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
