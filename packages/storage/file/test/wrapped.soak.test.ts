import {
  killSoak,
  mixedLoad,
  testedWrappings,
  wrappedBackend,
  wrappedOptions,
} from '@spillway-internal/storage-testing'
import { wrappedHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { describe, expect, test } from 'vitest'
import { fileBackend } from './soak-backend.ts'
import { fileHarness } from './support/file-harness.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

for (const wrapping of testedWrappings) storageConformance(wrappedHarness(fileHarness, wrapping), wrappedOptions)

describe('compressed and encrypted', () => {
  test('processes killed at random lose and tear nothing', { timeout: 600_000 }, async () => {
    const report = await killSoak(wrappedBackend(fileBackend(await temporaryDirectory()), 'compressed and encrypted'))
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })

  test('two tenants never meet under load, and nothing fails', { timeout: 600_000 }, async () => {
    const report = await mixedLoad(wrappedBackend(fileBackend(await temporaryDirectory()), 'compressed and encrypted'))
    expect(report.problems).toEqual([])
  })
})
