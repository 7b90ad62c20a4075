import Database from 'better-sqlite3'
import { beforeAll, describe, expect, test } from 'vitest'
import { SELECT_LEFTOVER } from '../src/sqlite-storage.ts'
import { SELECT_CHUNK, SELECT_CHUNKS } from '../src/contents.ts'
import * as entries from '../src/entries.ts'
import { migrate } from '../src/open-file.ts'

const database = new Database(':memory:')
beforeAll(() => migrate(database))

/** The query plan of a statement, with one line for each step. */
const planOf = (sql: string): string[] =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
    .map((row) => (row as { detail: string }).detail)

const statements = Object.entries({ ...entries, SELECT_CHUNK, SELECT_CHUNKS, SELECT_LEFTOVER }).filter(
  (entry): entry is [string, string] => typeof entry[1] === 'string' && /^(?:SELECT|UPDATE|DELETE)\b/.test(entry[1]),
)

describe('the SQL statements', () => {
  test('are all recorded in this test', () => {
    expect(statements.length).toBeGreaterThan(10)
  })

  test.each(statements)('%s scan no table and sort nothing', (_, sql) => {
    const plan = planOf(sql)
    expect(plan.join('\n')).toContain('SEARCH')
    for (const step of plan) expect(step).not.toMatch(/\bSCAN (?!.*CONSTANT)|TEMP B-TREE/)
  })

  test('read only a range of ids for a page of a prefix, even for unused entries only', () => {
    for (const sql of [entries.SELECT_PAGE, entries.SELECT_IDS, entries.SELECT_PAGE_UNUSED, entries.SELECT_END])
      expect(planOf(sql)).toEqual(['SEARCH spillway_entry USING PRIMARY KEY (id>? AND id<?)'])
  })

  test('read only a range of the index of uses for the least recently used entries', () => {
    expect(planOf(entries.SELECT_UNUSED).join()).toContain(
      'INDEX spillway_entry_use ((last_used_at,id)>(?,?) AND last_used_at<?)',
    )
  })
})
