import { mixedLoad } from '@spillway-internal/storage-suite'
import { expect, it } from 'vitest'
import { fileBackend } from './soak-backend.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

it('two tenants stay isolated under load, and nothing fails', async () => {
  const report = await mixedLoad(fileBackend(await temporaryDirectory()))
  expect(report.problems).toEqual([])
})
