import {
  furtherWrappedOptions,
  killSoak,
  mixedLoad,
  testedWrappings,
  wrappedBackend,
} from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { wrappedHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { describe, expect, it } from 'vitest'
import { fileBackend } from './soak-backend.ts'
import { fileHarness } from './support/file-harness.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

for (const wrapping of testedWrappings) storageConformance(wrappedHarness(fileHarness, wrapping), furtherWrappedOptions)

// Other soak tests of this package cover processes that share unwrapped files.
describe.runIf(isFull)('a compressed and encrypted storage [full run]', () => {
  it('keeps the entries of randomly killed processes whole', async () => {
    const report = await killSoak(wrappedBackend(fileBackend(await temporaryDirectory()), 'compressed and encrypted'))
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })

  it('isolates two tenants under load, and nothing fails', async () => {
    const report = await mixedLoad(wrappedBackend(fileBackend(await temporaryDirectory()), 'compressed and encrypted'))
    expect(report.problems).toEqual([])
  })
})
