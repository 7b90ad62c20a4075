import { join } from 'node:path'
import { sharedS3 } from '@spillway-internal/services'
import { isSoak, testReadmeReport } from '@spillway-internal/storage-testing'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { afterAll, beforeAll, describe } from 'vitest'
import { s3Harness } from './support/s3-harness.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const found = await sharedS3()
const service = serviceOrNowhere(found)
const bucket = testBucket(service)
const harness = await s3Harness(service, bucket)

describe.skipIf(!found.available)('in a bucket', () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove(), 60_000)
  storageConformance(harness, { thorough: isSoak, large: true })
  // Once more takes more than a minute here.
  if (isSoak) testReadmeReport(harness, join(import.meta.dirname, '..'), { large: true })
})
