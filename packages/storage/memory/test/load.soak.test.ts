import { mixedLoad } from '@spillway-internal/storage-suite'
import { expect, it } from 'vitest'
import { memoryBackend } from './soak-backend.ts'

it('two tenants stay isolated under load, and nothing fails', async () => {
  const report = await mixedLoad(memoryBackend, { processes: 1, instances: 1 })
  expect(report.problems).toEqual([])
})
