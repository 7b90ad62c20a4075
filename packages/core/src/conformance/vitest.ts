import { describe, test } from 'vitest'
import type { ConformanceHarness } from './harness.ts'
import { planConformance, testName, throwUnlessExpected } from './plan.ts'
import { runCase, type RunConformanceOptions } from './run.ts'

/**
 * Register the conformance suite as vitest tests, one for each case. Cases that are not proven or not applicable are
 * skipped tests, with the reason in their names. A known gap is a test that passes as long as the case fails.
 * `onResult` gets the result of each case after it ran.
 *
 * @example
 * ```ts
 * import { storageConformance } from '@spillway/core/conformance/vitest'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * storageConformance({ name: 'memory', create: async () => ({ storage: new InMemoryStorage() }) })
 * ```
 */
export function storageConformance(harness: ConformanceHarness, options: RunConformanceOptions = {}): void {
  describe(`conformance of ${harness.name}`, async () => {
    for (const planned of await planConformance(harness, options)) {
      if (planned.action === 'run')
        test(testName(planned), { timeout: RUNNER_TIMEOUT_MS }, async () => {
          const result = await runCase(harness, planned, options)
          options.onResult?.(result)
          throwUnlessExpected(result)
        })
      else test.skip(testName(planned))
    }
  })
}

/** Timeout for vitest, which is never reached, because the suite's own timeout has a better message. */
const RUNNER_TIMEOUT_MS = 2 ** 31 - 1
