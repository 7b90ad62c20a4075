import { expect, test } from 'vitest'
import { killSoak } from './kill-soak.ts'

const KILLS = process.env['SPILLWAY_SOAK'] === undefined ? 10 : 200

test('processes killed at random lose and tear nothing that was acknowledged', { timeout: 600_000 }, async () => {
  const report = await killSoak({ kills: KILLS })
  expect(report.problems).toEqual([])
  expect(report.kills).toBeGreaterThanOrEqual(KILLS)
  expect(report.acknowledged).toBeGreaterThan(KILLS)
})
