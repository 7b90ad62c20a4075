import { killSoak } from '@spillway-internal/storage-suite'
import { expect, it } from 'vitest'
import { BACKEND } from './support/backend-url.ts'
import { temporaryPath } from './support/temporary-path.ts'

it('keeps what processes that are killed at random have stored, whole', { timeout: 1_200_000 }, async () => {
  const report = await killSoak({ module: BACKEND, config: { path: await temporaryPath() } })
  expect(report.problems).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(0)
})
