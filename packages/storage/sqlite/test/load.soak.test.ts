import { mixedLoad } from '@spillway-internal/storage-suite'
import { expect, it } from 'vitest'
import { BACKEND } from './support/backend-url.ts'
import { temporaryPath } from './support/temporary-path.ts'

it('two tenants stay isolated under load, and nothing fails', async () => {
  const report = await mixedLoad({ module: BACKEND, config: { path: await temporaryPath() } })
  expect(report.problems).toEqual([])
  expect(report.operations).not.toEqual({})
})
