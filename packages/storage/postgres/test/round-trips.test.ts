import { sharedPostgres } from '@spillway-internal/services'
import { countOperations } from '@spillway-internal/storage-suite'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PostgresStorage } from '../src/index.ts'
import { dropSchema, newSchema } from './soak-backend.ts'

/** Statements of each operation, by their first word. Each statement is a separate transaction. */
const STATEMENTS: Readonly<Record<string, string>> = {
  store: '1 INSERT',
  'store again': '1 INSERT',
  retrieve: '1 SELECT',
  range: '1 SELECT',
  stat: '1 SELECT',
  // The second statement finds out whether the entry was evicted.
  missing: '2 SELECT',
  'end of a turn': '',
  delete: '1 WITH',
}

const postgres = await sharedPostgres()

describe.skipIf(!postgres.available)('PostgresStorage', () => {
  it('sends no more statements than each guarantee requires', async () => {
    const url = postgres.available ? postgres.url : ''
    const schema = newSchema('trips')
    const pool = new pg.Pool({ connectionString: url })
    const statements: string[] = []
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...input: unknown[]) => never
      client.query = (...input: unknown[]): never => {
        const [{ text = '' }] = input as [{ readonly text?: string }]
        statements.push(/^\w+/.exec(text)?.[0] ?? '')
        return query(...input)
      }
    })
    onTestFinished(async () => {
      await pool.end()
      await dropSchema(url, schema)
    })
    const scope = new PostgresStorage(pool, { schema }).scope('tenant', 'session')
    await scope.store('prepared', new Uint8Array(10))
    expect(await countOperations(scope, statements)).toEqual(STATEMENTS)
  })
})
