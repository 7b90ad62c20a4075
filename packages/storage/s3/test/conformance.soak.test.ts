import { join } from 'node:path'
import { sharedS3 } from '@spillway-internal/services'
import { testConformance } from '@spillway-internal/storage-suite'
import { afterAll, beforeAll, describe } from 'vitest'
import { s3Harness } from './support/s3-harness.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const found = await sharedS3()
const service = serviceOrNowhere(found)
const bucket = testBucket(service)
const harness = await s3Harness(service, bucket)
// In full runs only: the engine handles tombstones for S3 as for the memory storage, which runs this case.
const inFullRuns = /^turns\/tombstones-bounded$/

describe.skipIf(!found.available)('in a bucket', () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove(), 60_000)
  const isProvenHere = harness.missingPowers?.shell === undefined
  testConformance(harness, join(import.meta.dirname, '..'), { isProvenHere, inFullRuns })
})
