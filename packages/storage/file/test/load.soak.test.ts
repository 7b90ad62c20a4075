import { mixedLoad } from '@spillway-internal/storage-testing'
import { expect, test } from 'vitest'
import { fileBackend } from './soak-backend.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

test('two tenants never meet under load, and nothing fails', { timeout: 600_000 }, async () => {
  const report = await mixedLoad(fileBackend(await temporaryDirectory()))
  console.log(report)
  expect(report.problems).toEqual([])
})
