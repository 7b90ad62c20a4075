import { findPostgres, sharedPostgres, startPostgres } from '@spillway-internal/services'
import { killOpenEntries, killServerSoak, killSoak } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { describe, expect, it } from 'vitest'
import { dropSchema, newSchema, postgresBackend } from './soak-backend.ts'

const [postgres, found] = await Promise.all([sharedPostgres(), findPostgres()])
const url = postgres.available ? postgres.url : ''
const SLOW = { timeout: 1_200_000 }

describe.skipIf(!postgres.available)('killed writers', () => {
  it('neither lose nor corrupt acknowledged entries', SLOW, async () => {
    const schema = newSchema('kill')
    const report = await killSoak(postgresBackend(url, schema), { largeBytes: 3_000_000 })
    await dropSchema(url, schema)
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })

  it('lose at most the last megabyte of an open entry [full run]', SLOW, async ({ skip }) => {
    skip(!isFull, 'full run')
    const schema = newSchema('kill')
    const { problems } = await killOpenEntries(postgresBackend(url, schema))
    await dropSchema(url, schema)
    expect(problems).toEqual([])
  })
})

describe.skipIf(!found.available)('a killed server', () => {
  it('loses no acknowledged entries', SLOW, async () => {
    const server = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on' } })
    try {
      const report = await killServerSoak(postgresBackend(server.url, 'soak'), server, { largeBytes: 3_000_000 })
      expect(report.problems).toEqual([])
      expect(report.outages).toBeGreaterThan(0)
    } finally {
      await server.dispose()
    }
  })
})
