import { sharedPostgres } from '@spillway-internal/services'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as reader from '../src/entry-reader.ts'
import { PostgresStorage } from '../src/index.ts'
import * as leftovers from '../src/leftovers.ts'
import * as journal from '../src/postgres-journal.ts'
import * as driver from '../src/postgres-storage.ts'
import { withSchema } from '../src/schema.ts'
import { dropSchema, newSchema } from './soak-backend.ts'

const postgres = await sharedPostgres()
const url = postgres.available ? postgres.url : ''
const schema = newSchema('plans')
const client = new pg.Client({ connectionString: url })
const ENTRIES = 100_000
/** The ids of a full batch. */
const IDS = Array.from({ length: 500 }, (_, index) => `s-7/e-${index * 100 + 7}`)
const CONTENT = '00000000-0000-4000-8000-000000000007'

/** Values of the parameters, for the scope `s-7`, which has 1,000 entries. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  SELECT_ENTRY: ['s-7/e-7'],
  SELECT_CONTENT: ['s-7/e-7', 0, 100],
  SELECT_CHUNKS: [CONTENT, 0, 4, 0, 400_000, 131_072],
  INSERT_ENTRY: ['s-7/e-7', CONTENT, 1, 1, 1, '{}', null, Buffer.from('x')],
  COMMIT_CHUNKS: ['s-7/e-7', CONTENT, 1, 1, 1, '{}', null],
  CLAIM: ['s-7/', 's-70', 5],
  DELETE_CHUNKS: [[CONTENT]],
  DELETE_PENDING: [[CONTENT]],
  DELETE_OLD_TOMBSTONES: ['s-7/', 's-70', 5],
  SELECT_PAGE: ['s-7/', 's-70'],
  SELECT_PAGE_OF_SCOPE: ['s-7/', 's-70', 5],
  SELECT_UNUSED: ['', '~', 500, -Infinity, ''],
  TOUCH_ENTRY: ['s-7/e-7', 5],
  DELETE_ENTRY: ['s-7/e-7'],
  DELETE_UNUSED: ['s-7/e-7', 5],
  EVICT_ENTRIES: [IDS, IDS.map(() => Infinity), IDS.map(() => 's-7'), IDS.map(() => null), 'age', 5],
  DELETE_PAGE: ['s-7/', 's-70'],
  DELETE_TOMBSTONES: ['s-7/', 's-70'],
  SELECT_TOMBSTONE: ['s-7/e-7'],
  APPEND_EVENTS: [['s-7/', 's-7/'], ['{}', '{}'], ENTRIES],
  SELECT_EVENTS: [500],
}

const statements = Object.entries({ ...reader, ...leftovers, ...driver, ...journal }).filter(
  (entry): entry is [string, string] => typeof entry[1] === 'string',
)

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

async function planOf(sql: string, values: readonly unknown[]): Promise<PlanNode> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) ${withSchema(sql, schema)}`,
    [...values],
  )
  return rows[0]!['QUERY PLAN'][0].Plan
}

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

describe.skipIf(!postgres.available)('a statement with 100,000 entries', () => {
  beforeAll(async () => {
    const storage = new PostgresStorage(url, { schema })
    await storage.gc()
    await storage.close()
    await client.connect()
    const fill = `INSERT INTO @entry SELECT 's-' || n % 100 || '/e-' || n, gen_random_uuid(), 10, 131072, n, '{}', NULL, 'content' FROM generate_series(1, ${ENTRIES}) AS n;
      INSERT INTO @chunk SELECT content, 0, id, 'content' FROM @entry;
      INSERT INTO @tombstone SELECT id, split_part(id, '/', 1), last_used_at, 'age', '{}', last_used_at FROM @entry;
      INSERT INTO @event (id, event) SELECT id, '{}' FROM @entry;`
    await client.query(withSchema(fill, schema))
    for (const table of ['entry', 'chunk', 'pending', 'tombstone', 'event'])
      await client.query(withSchema(`ANALYZE @${table}`, schema))
  })

  afterAll(async () => {
    await client.end()
    await dropSchema(url, schema)
  })

  test('has its values in this test, and no statement is missing', () => {
    expect(statements.map(([name]) => name).toSorted()).toEqual(Object.keys(VALUES).toSorted())
  })

  test.each(statements)('%s scans no table', async (name, sql) => {
    const nodes = nodesOf(await planOf(sql, VALUES[name] ?? []))
    const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])
    // The table `pending` has only few rows, one for each content that is being written or removed.
    expect(scanned.filter((table) => table !== 'pending')).toEqual([])
  })

  test('is detected if it scans a table', async () => {
    const plan = await planOf('SELECT id FROM @entry WHERE size = $1', [5])
    expect(nodesOf(plan).map((node) => node['Relation Name'])).toContain('entry')
    expect(nodesOf(plan).map((node) => node['Node Type'])).toContain('Seq Scan')
  })

  test('scans no table if it inserts chunks', async () => {
    for (const isFirst of [true, false]) {
      const values = [CONTENT, 's-7/e-7', 5, 0, Buffer.from('a'), Buffer.from('b')]
      const nodes = nodesOf(await planOf(driver.insertChunks(2, isFirst), values))
      expect(nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? [node['Relation Name']] : []))).not.toContain(
        'chunk',
      )
    }
  })

  test('reads only the first entries in order for one page', async () => {
    for (const sql of [driver.SELECT_PAGE, driver.SELECT_UNUSED]) {
      const values = sql === driver.SELECT_PAGE ? ['', '~'] : ['', '~', ENTRIES, -Infinity, '']
      const nodes = nodesOf(await planOf(sql, values))
      expect(nodes.map((node) => node['Node Type'])).toEqual(['Limit', 'Index Scan'])
    }
  })
})
