import { randomUUID } from 'node:crypto'
import { sharedS3, startS3Gateway } from '@spillway-internal/services'
import { killOpenEntries, killServerSoak, killSoak } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { s3Backend } from './support/s3-backend.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

/** The smallest part with which S3 completes an upload. Large streams have several parts: in a usual run two. */
const PART_BYTES = 5 * 1024 * 1024
const LARGE_BYTES = isFull ? 12_000_000 : 6_000_000

const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))

describe.skipIf(!found.available)('a bucket', { timeout: 1_800_000 }, () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove(), 600_000)

  it('keeps the entries of randomly killed processes whole', async () => {
    const backend = s3Backend({ ...bucket.options(), prefix: randomUUID() }, PART_BYTES)
    const report = await killSoak(backend, { largeBytes: LARGE_BYTES, ...(isFull ? {} : { kills: 2, stores: 40 }) })
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })

  it("keeps all but the last megabyte of a killed writer's open entry [full run]", async ({ skip }) => {
    skip(!isFull, 'full run')
    const backend = s3Backend({ ...bucket.options(), prefix: randomUUID() }, PART_BYTES)
    expect((await killOpenEntries(backend, 40)).problems).toEqual([])
  })

  // `faults.test.ts` kills a gateway once, in the middle of an upload.
  it('loses no acknowledged entries if a gateway is killed at random [full run]', async ({ skip }) => {
    skip(!isFull, 'full run')
    const gateway = await startS3Gateway()
    if (!gateway.available) return skip(gateway.why)
    try {
      const backend = s3Backend({ ...bucket.options(gateway.endpoint), prefix: randomUUID() }, PART_BYTES)
      const report = await killServerSoak(backend, gateway, { largeBytes: LARGE_BYTES, stores: 100 })
      expect(report.problems).toEqual([])
    } finally {
      await gateway.dispose()
    }
  })
})
