import { sharedPgBouncer, sharedPostgres } from '@spillway-internal/services'
import { mixedLoad } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'
import { dropSchema, newSchema, postgresBackend } from './soak-backend.ts'

const [postgres, pgbouncer] = await Promise.all([sharedPostgres(), sharedPgBouncer()])

for (const [name, service] of [
  ['a server', postgres],
  ['PgBouncer', pgbouncer],
] as const)
  it.skipIf(!service.available)(`two tenants stay isolated under load at ${name}`, async ({ skip }) => {
    // A run through PgBouncer also tests the server behind it.
    skip(!isFull && pgbouncer.available && service === postgres, 'full run')
    const url = service.available ? service.url : ''
    const schema = newSchema('load')
    const report = await mixedLoad(postgresBackend(url, schema))
    await dropSchema(url, schema)
    expect(report.problems).toEqual([])
  })
