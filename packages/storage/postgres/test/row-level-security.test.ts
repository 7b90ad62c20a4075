import { sharedPostgres } from '@spillway-internal/services'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PostgresStorage } from '../src/index.ts'
import { ask, dropSchema, newSchema } from './soak-backend.ts'

const postgres = await sharedPostgres()
const url = postgres.available ? postgres.url : 'postgres://localhost:1/postgres'
const schema = newSchema('tenants')
const ROLES = ['a', 'b'].map((name) => `tenant_${name}_${crypto.randomUUID()}`) as [string, string]
const urlOf = (role: string): string => Object.assign(new URL(url), { username: role }).href
const text = new TextEncoder().encode('secret of tenant b\n'.repeat(20_000))

describe.skipIf(!postgres.available)('a role that may use one scope', () => {
  const owner = new PostgresStorage(url, { schema, rowLevelSecurity: true })
  const [mine, others] = [new pg.Client({ connectionString: urlOf(ROLES[0]) }), owner.scope('B@example.com', 'x')]
  const storage = new PostgresStorage(urlOf(ROLES[0]), { schema, createTables: false, rowLevelSecurity: true })

  beforeAll(async () => {
    for (const [index, role] of ROLES.entries()) {
      await ask(url, `CREATE ROLE "${role}" LOGIN`)
      await owner.grantScope(role, ['A@example.com', 'B@example.com'][index]!)
    }
    await mine.connect()
    await others.store('call_1_0', text)
    await owner.store('of nobody', text)
  })

  afterAll(async () => {
    await mine.end()
    await storage.close()
    await owner.close()
    await dropSchema(url, schema)
    for (const role of ROLES) await ask(url, `DROP ROLE "${role}"`)
  })

  const select = async (sql: string): Promise<unknown[]> => (await mine.query(sql)).rows

  test('stores, streams, lists, evicts and clears in this scope and below it', async () => {
    const scope = storage.scope('A@example.com', 'session')
    const reference = await scope.store('call_1_0', text)
    expect(await scope.store('call_1_0', text)).toBe(reference)
    expect((await scope.retrieve(reference)).content).toEqual(text)
    await scope.delete(reference, { unusedSince: Date.now() + 60_000 })
    await expect(scope.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    await scope.store('call_2_0', text)
    expect(await Array.fromAsync(storage.scope('A@example.com').list())).toHaveLength(1)
    expect(await storage.scope('A@example.com').clear()).toBe(1)
  })

  test('sees no row of another scope with any SQL', async () => {
    await storage.scope('A@example.com').store('call_1_0', text)
    for (const table of ['entry', 'chunk']) {
      const rows = await select(`SELECT id FROM "${schema}".${table}`)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.every((row) => (row as { id: string }).id.startsWith('_41_40example_2ecom/'))).toBe(true)
    }
    // Neither a setting, nor another role, nor a function changes the current user.
    await expect(select(`SET ROLE "${ROLES[1]}"`)).rejects.toMatchObject({ code: '42501' })
    await expect(select(`SET row_security = off; SELECT id FROM "${schema}".entry`)).rejects.toMatchObject({
      code: '42501',
    })
    await mine.query('RESET row_security')
    expect(await select(`SELECT scope FROM "${schema}".tenant`)).toEqual([{ scope: '_41_40example_2ecom' }])
  })

  test('changes neither rows of another scope nor its own rights', async () => {
    expect((await mine.query(`DELETE FROM "${schema}".entry WHERE id LIKE '_42%'`)).rowCount).toBe(0)
    expect((await mine.query(`UPDATE "${schema}".chunk SET bytes = '' WHERE id LIKE '_42%'`)).rowCount).toBe(0)
    for (const sql of [
      `UPDATE "${schema}".entry SET id = '_42_40example_2ecom/' || id`,
      `INSERT INTO "${schema}".pending VALUES (gen_random_uuid(), '_42_40example_2ecom/x', 0)`,
      `INSERT INTO "${schema}".tenant VALUES (current_user, '_42_40example_2ecom')`,
      `UPDATE "${schema}".tenant SET scope = '_42_40example_2ecom'`,
      `DELETE FROM "${schema}".tenant`,
      `ALTER TABLE "${schema}".entry DISABLE ROW LEVEL SECURITY`,
      `DROP POLICY tenant ON "${schema}".entry`,
    ])
      await expect(select(sql)).rejects.toMatchObject({ code: '42501' })
    expect((await others.list().next()).done).toBe(false)
  })

  test('gets an error that names the rights outside its scope', async () => {
    await expect(storage.scope('B@example.com').store('call_1_0', text.subarray(0, 9))).rejects.toMatchObject({
      code: 'unavailable',
      retryable: false,
      message: expect.stringContaining('With row-level security, it may use its own scopes only') as unknown,
    })
    expect(await Array.fromAsync(storage.list())).toHaveLength(1)
  })

  test('finds an entry, and a page of a large scope, by an index', async () => {
    const fill = `INSERT INTO "${schema}".entry SELECT '_41_40example_2ecom/e-' || n, gen_random_uuid(), 10, 131072, n, '{}', NULL, 'content' FROM generate_series(1, 20000) AS n; ANALYZE "${schema}".entry`
    await ask(url, fill)
    for (const where of [`id = '_41_40example_2ecom/e-7'`, `id >= '_41_40example_2ecom/e-5' ORDER BY id LIMIT 500`]) {
      const plan = JSON.stringify(await select(`EXPLAIN (FORMAT JSON) SELECT id FROM "${schema}".entry WHERE ${where}`))
      expect(plan).toContain('entry_pkey')
      expect(plan).toContain('Index Cond')
    }
  })
})
