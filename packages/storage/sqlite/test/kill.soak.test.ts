import { killOpenEntries, killSoak } from '@spillway-internal/storage-suite'
import { expect, it } from 'vitest'
import { BACKEND } from './support/backend-url.ts'
import { temporaryPath } from './support/temporary-path.ts'

it('entries stored by randomly killed processes are kept whole', { timeout: 1_200_000 }, async () => {
  const report = await killSoak({ module: BACKEND, config: { path: await temporaryPath() } })
  expect(report.problems).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(0)
})

it('the open entry of a killed process keeps all but its last megabyte', async () => {
  const { problems, killed } = await killOpenEntries({ module: BACKEND, config: { path: await temporaryPath() } })
  expect(problems).toEqual([])
  expect(killed).toBeGreaterThan(0)
})
