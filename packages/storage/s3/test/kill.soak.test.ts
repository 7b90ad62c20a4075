import { randomUUID } from 'node:crypto'
import { sharedS3, startS3Gateway } from '@spillway-internal/services'
import { killServerSoak, killSoak } from '@spillway-internal/storage-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3Backend } from './support/s3-backend.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

/** The least that S3 makes an object of; large streams have several. */
const PART_BYTES = 5 * 1024 * 1024
const LARGE_BYTES = 12_000_000

const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))

describe.skipIf(!found.available)('kills', () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove(), 600_000)

  test('processes killed at random lose and tear nothing that was acknowledged', { timeout: 1_800_000 }, async () => {
    const backend = s3Backend({ ...bucket.options(), prefix: randomUUID() }, PART_BYTES)
    const report = await killSoak(backend, { largeBytes: LARGE_BYTES })
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })

  test('a gateway killed at random loses nothing that was acknowledged', { timeout: 1_800_000 }, async ({ skip }) => {
    const gateway = await startS3Gateway()
    if (!gateway.available) return skip(gateway.why)
    try {
      const backend = s3Backend({ ...bucket.options(gateway.endpoint), prefix: randomUUID() }, PART_BYTES)
      const report = await killServerSoak(backend, gateway, { largeBytes: LARGE_BYTES })
      expect(report.problems).toEqual([])
    } finally {
      await gateway.dispose()
    }
  })
})
