import type { ConformanceHarness } from './harness.ts'
import { planConformance, type ConformanceOptions } from './plan.ts'
import type { CaseResult, ConformanceReport } from './report.ts'
import { runCase } from './run-case.ts'

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
