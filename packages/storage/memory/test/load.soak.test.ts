import { mixedLoad } from '@spillway-internal/storage-testing'
import { expect, test } from 'vitest'
import { memoryBackend } from './soak-backend.ts'

test('two tenants never meet under load, and nothing fails', { timeout: 600_000 }, async () => {
  const report = await mixedLoad(memoryBackend, { processes: 1, instances: 1 })
  console.log(report)
  expect(report.problems).toEqual([])
})
