import { randomUUID } from 'node:crypto'
import { sharedS3 } from '@spillway-internal/services'
import { mixedLoad } from '@spillway-internal/storage-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3Backend } from './support/s3-backend.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))

describe.skipIf(!found.available)('load', () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove(), 600_000)

  test('two tenants never meet under load, and nothing fails', { timeout: 600_000 }, async () => {
    const report = await mixedLoad(s3Backend({ ...bucket.options(), prefix: randomUUID() }, 5 * 1024 * 1024))
    console.log(report)
    expect(report.problems).toEqual([])
  })
})
