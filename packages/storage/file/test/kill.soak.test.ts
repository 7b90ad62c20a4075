import { killSoak } from '@spillway-internal/storage-testing'
import { expect, test } from 'vitest'
import { fileBackend } from './soak-backend.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

test('processes killed at random lose and tear nothing that was acknowledged', { timeout: 1_800_000 }, async () => {
  const report = await killSoak(fileBackend(await temporaryDirectory()), { processes: 8 })
  expect(report.problems).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(report.kills)
})
