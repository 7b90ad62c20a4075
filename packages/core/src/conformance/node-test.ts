import { describe, test } from 'node:test'
import type { ConformanceHarness } from './harness.ts'
import { planConformance, testName, throwUnlessExpected } from './plan.ts'
import { runCase, type RunConformanceOptions } from './run.ts'

/**
 * Register the conformance suite as tests of `node:test`, one for each case. Cases that are not proven or not
 * applicable are skipped tests, with the reason in their names. A known gap is a test that passes as long as the case
 * fails. `onResult` gets the result of each case after it ran.
 *
 * @example
 * ```ts
 * import { storageConformance } from '@spillway/core/conformance/node-test'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * storageConformance({ name: 'memory', create: async () => ({ storage: new InMemoryStorage() }) })
 * ```
 */
export function storageConformance(harness: ConformanceHarness, options: RunConformanceOptions = {}): void {
  void describe(`conformance of ${harness.name}`, async () => {
    for (const planned of await planConformance(harness, options))
      void test(testName(planned), { skip: planned.action === 'run' ? false : (planned.reason ?? true) }, async () => {
        const result = await runCase(harness, planned, options)
        options.onResult?.(result)
        throwUnlessExpected(result)
      })
  })
}
