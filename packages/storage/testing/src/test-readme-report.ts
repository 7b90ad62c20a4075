import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  formatReport,
  runConformance,
  type ConformanceHarness,
  type ConformanceOptions,
} from '@spillway/core/conformance'
import { expect, test } from 'vitest'

/**
 * Register a test that runs the suite on a harness and compares its report with the one in a package's README, between
 * `<!-- conformance -->` and `<!-- end of conformance -->`. `vitest run … --update` brings the README up to date.
 */
export function testReadmeReport(
  harness: ConformanceHarness,
  packageFolder: string,
  options: ConformanceOptions = {},
): void {
  const path = join(packageFolder, 'README.md')
  test('the README has the report of the suite', { timeout: 600_000 }, async () => {
    const report = await runConformance(harness, options)
    // Which case it was, and why, before the numbers are compared.
    expect(report.results.filter(({ status }) => status === 'failed')).toEqual([])
    const readme = await readFile(path, 'utf8')
    const parts = /^([^]*<!-- conformance -->\n)[^]*(\n<!-- end of conformance -->[^]*)$/.exec(readme)
    expect(parts).not.toBeNull()
    await expect(`${parts?.[1]}\n${formatReport(report)}${parts?.[2]}`).toMatchFileSnapshot(path)
  })
}
