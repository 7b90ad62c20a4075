import { join } from 'node:path'
import { findPostgres, sharedPgBouncer, sharedPostgres, startPostgres } from '@spillway-internal/services'
import { testConformance } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { afterAll, describe } from 'vitest'
import { hasPsql, postgresHarness } from './postgres-harness.ts'

const options = { thorough: isFull, large: true }
const NOWHERE = 'postgres://localhost:1/postgres'
const [postgres, pgbouncer, newer] = await Promise.all([sharedPostgres(), sharedPgBouncer(), findPostgres('npm')])

describe.skipIf(!postgres.available)('a server', () => {
  testConformance(postgresHarness(postgres.available ? postgres.url : NOWHERE), join(import.meta.dirname, '..'), {
    isProvenHere: hasPsql,
  })
})

/** Cases that may depend on the state of a session, or on the version of the server. */
const isConnected = (id: string): boolean => isFull || /^(?:durability|concurrency)\//.test(id)

describe.skipIf(!pgbouncer.available)('through PgBouncer', () => {
  const harness = postgresHarness(pgbouncer.available ? pgbouncer.url : NOWHERE, '@spillway/postgres through PgBouncer')
  storageConformance(harness, { ...options, filter: isConnected })
})

describe.skipIf(!newer.available)('a newer server', async () => {
  const server = newer.available ? await startPostgres({ origin: 'npm' }) : undefined
  afterAll(async () => server?.dispose())
  const harness = postgresHarness(server?.url ?? NOWHERE, `@spillway/postgres with ${server?.version}`)
  storageConformance(harness, { ...options, filter: isConnected })
})
