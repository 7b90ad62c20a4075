import { mixedLoad } from '@spillway-internal/storage-testing'
import { expect, test } from 'vitest'
import { BACKEND } from './support/backend-url.ts'
import { temporaryPath } from './support/temporary-path.ts'

test('mixed load of two tenants meets no error and nothing of the other', { timeout: 300_000 }, async () => {
  const report = await mixedLoad({ module: BACKEND, config: { path: await temporaryPath() } })
  expect(report.problems).toEqual([])
  expect(report.operations).not.toEqual({})
})
