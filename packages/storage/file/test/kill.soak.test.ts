import { killOpenEntries, killSoak } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'
import { fileBackend } from './soak-backend.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

it('entries stored by randomly killed processes are kept whole', { timeout: 1_800_000 }, async () => {
  const report = await killSoak(fileBackend(await temporaryDirectory()), isFull ? { processes: 8 } : {})
  expect(report.problems).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(report.kills)
})

it('the open entry of a killed process keeps all but its last megabyte', async () => {
  const { problems, killed } = await killOpenEntries(fileBackend(await temporaryDirectory()))
  expect(problems).toEqual([])
  expect(killed).toBeGreaterThan(0)
})
