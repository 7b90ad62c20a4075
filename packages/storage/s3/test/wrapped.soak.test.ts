import { sharedS3 } from '@spillway-internal/services'
import { furtherWrappedOptions, testedWrappings } from '@spillway-internal/storage-suite'
import { wrappedHarness } from '@spillway/core/conformance'
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
  for (const wrapping of testedWrappings) storageConformance(wrappedHarness(harness, wrapping), furtherWrappedOptions)
})
