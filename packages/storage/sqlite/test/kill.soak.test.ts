import { killSoak } from '@spillway-internal/storage-testing'
import { expect, test } from 'vitest'
import { BACKEND } from './support/backend-url.ts'
import { temporaryPath } from './support/temporary-path.ts'

test('processes killed at random lose and tear nothing that was acknowledged', { timeout: 1_200_000 }, async () => {
  const report = await killSoak({ module: BACKEND, config: { path: await temporaryPath() } })
  expect(report.problems).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(0)
})
