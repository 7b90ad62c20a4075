import { randomUUID } from 'node:crypto'
import { sharedS3 } from '@spillway-internal/services'
import { mixedLoad } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { s3Backend } from './support/s3-backend.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))

describe.skipIf(!found.available)('a bucket', () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove(), 600_000)

  it('isolates two tenants under load, and nothing fails', async () => {
    const backend = s3Backend({ ...bucket.options(), prefix: randomUUID() }, 5 * 1024 * 1024)
    const report = await mixedLoad(backend, { steps: isFull ? 100 : 10 })
    expect(report.problems).toEqual([])
  })
})
