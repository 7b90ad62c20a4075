import { describe, expect, it } from 'vitest'
import { ask, fail, storageOf, toolOf } from '../../../test/retrieval-fixture.ts'
import { createRetrievalTool, type RetrievalTool } from '../retrieval-tool.ts'

/** The rows that an answer shows, without row numbers. */
const rowsOf = (answer: string): string[] =>
  answer.split('\n').flatMap((line) => /^\d+\| (.*)$/.exec(line)?.slice(1) ?? [])

/** A deadline that no statement reaches, even on a busy machine. */
const UNHURRIED_MS = 60_000

async function query(content: string, sql: string, call: object = {}, contentType = 'text/plain'): Promise<string> {
  const tool = toolOf({ r: { content, contentType } }, { deadlineMs: UNHURRIED_MS })
  return await ask(tool, { reference: 'r', sql, ...call })
}

const rows = async (content: string, sql: string, call?: object): Promise<string[]> =>
  rowsOf(await query(content, sql, call))

/** Numbers that are the same in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

interface Order {
  readonly id: number
  readonly day: string
  readonly city: string
  readonly status: string
  readonly cents: number
  readonly items: number | undefined
}

const next = randomNumbers(7)
const CITIES = ['Aachen', 'Bonn', 'Köln', 'New York, NY', 'São Paulo']
const STATUSES = ['open', 'paid', 'sent', 'void']
const ORDERS: readonly Order[] = Array.from({ length: 3_000 }, (_, index) => ({
  id: index + 1,
  day: `2026-0${1 + next(9)}-1${next(10)}`,
  city: CITIES[next(5)]!,
  status: STATUSES[next(4)]!,
  cents: 1 + next(900_000),
  items: next(10) === 0 ? undefined : next(40),
}))

const cell = (text: string): string => (text.includes(',') ? `"${text}"` : text)
const CSV = [
  'id,day,city,status,amount,items',
  ...ORDERS.map(({ id, day, city, status, cents, items = '' }) =>
    [id, day, cell(city), status, (cents / 100).toFixed(2), items].join(','),
  ),
].join('\n')
const JSON_ROWS = JSON.stringify(
  ORDERS.map(({ cents, items = null, ...order }) => ({ ...order, amount: cents / 100, items })),
)

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
const centsOf = (orders: readonly Order[]): number => sum(orders.map(({ cents }) => cents))
const MARKDOWN = [
  '| id | items |',
  '| --- | --- |',
  ...ORDERS.map(({ id, items = '' }) => `| ${id} | ${items} |`),
  '',
].join('\n')
const known = (orders: readonly Order[]): number[] => orders.flatMap(({ items }) => items ?? [])
const groups = (key: (order: Order) => string): [string, Order[]][] =>
  [...Map.groupBy(ORDERS, key)].toSorted(([a], [b]) => (Buffer.from(a) < Buffer.from(b) ? -1 : 1))
const where = (is: (order: Order) => boolean): Order[] => ORDERS.filter(is)
const line = (...values: readonly (string | number)[]): string => values.map((value) => cell(String(value))).join(',')

/**
 * Questions, and their answers computed by plain code. Sums are of whole cents, so the order of adding is irrelevant.
 */
const QUESTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['SELECT count(*) FROM t', ['3000']],
  ['SELECT count(items) FROM t', [line(known(ORDERS).length)]],
  ['SELECT count(*) FROM t WHERE items IS NULL', [line(3_000 - known(ORDERS).length)]],
  ['SELECT sum(items) FROM t', [line(sum(known(ORDERS)))]],
  ['SELECT CAST(round(sum(amount) * 100) AS INTEGER) FROM t', [line(centsOf(ORDERS))]],
  ['SELECT min(id), max(id) FROM t', ['1,3000']],
  [
    'SELECT min(day), max(day) FROM t',
    [
      line(
        ORDERS.map(({ day }) => day).sort()[0]!,
        ORDERS.map(({ day }) => day)
          .sort()
          .at(-1)!,
      ),
    ],
  ],
  ['SELECT CAST(round(min(amount) * 100) AS INTEGER) FROM t', [line(Math.min(...ORDERS.map(({ cents }) => cents)))]],
  ['SELECT CAST(round(max(amount) * 100) AS INTEGER) FROM t', [line(Math.max(...ORDERS.map(({ cents }) => cents)))]],
  ['SELECT round(avg(items), 6) FROM t', [String(Number((sum(known(ORDERS)) / known(ORDERS).length).toFixed(6)))]],
  ['SELECT count(DISTINCT city) FROM t', ['5']],
  ['SELECT count(DISTINCT day) FROM t', [line(new Set(ORDERS.map(({ day }) => day)).size)]],
  ['SELECT count(DISTINCT items) FROM t', [line(new Set(known(ORDERS)).size)]],
  ['SELECT DISTINCT status FROM t ORDER BY 1', STATUSES],
  ...STATUSES.map(
    (status) =>
      [
        `SELECT count(*) FROM t WHERE status = '${status}'`,
        [line(where((order) => order.status === status).length)],
      ] as const,
  ),
  ['SELECT count(*) FROM t WHERE amount > 5000', [line(where(({ cents }) => cents > 500_000).length)]],
  [
    'SELECT count(*) FROM t WHERE amount BETWEEN 100 AND 200',
    [line(where(({ cents }) => cents >= 10_000 && cents <= 20_000).length)],
  ],
  ["SELECT count(*) FROM t WHERE day >= '2026-05-01'", [line(where(({ day }) => day >= '2026-05-01').length)]],
  ["SELECT count(*) FROM t WHERE day LIKE '2026-03-%'", [line(where(({ day }) => day.startsWith('2026-03-')).length)]],
  [
    "SELECT count(*) FROM t WHERE city = 'New York, NY' AND status <> 'void'",
    [line(where(({ city, status }) => city.includes(',') && status !== 'void').length)],
  ],
  [
    "SELECT count(*) FROM t WHERE city IN ('Köln', 'Bonn')",
    [line(where(({ city }) => city === 'Köln' || city === 'Bonn').length)],
  ],
  ["SELECT count(*) FROM t WHERE city LIKE '%o%'", [line(where(({ city }) => /o/i.test(city)).length)]],
  ['SELECT count(*) FROM t WHERE items % 2 = 1', [line(known(ORDERS).filter((items) => items % 2 === 1).length)]],
  [
    'SELECT city, count(*) FROM t GROUP BY city ORDER BY city',
    groups(({ city }) => city).map(([city, of]) => line(city, of.length)),
  ],
  [
    'SELECT status, sum(items) FROM t GROUP BY 1 ORDER BY 1',
    groups(({ status }) => status).map(([status, of]) => line(status, sum(known(of)))),
  ],
  [
    'SELECT status, CAST(round(sum(amount) * 100) AS INTEGER) FROM t GROUP BY 1 ORDER BY 1',
    groups(({ status }) => status).map(([status, of]) => line(status, centsOf(of))),
  ],
  [
    'SELECT city, status, count(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 5',
    groups(({ city, status }) => `${city}|${status}`)
      .map(([key, of]) => [...key.split('|'), of.length] as const)
      .toSorted(
        (a, b) => Number(b[2]) - Number(a[2]) || (Buffer.from(String(a[0])) < Buffer.from(String(b[0])) ? -1 : 1),
      )
      .slice(0, 5)
      .map((one) => line(...one)),
  ],
  [
    'SELECT substr(day, 1, 7) AS month, count(*) FROM t GROUP BY month ORDER BY month',
    groups(({ day }) => day.slice(0, 7)).map(([month, of]) => line(month, of.length)),
  ],
  [
    'SELECT city FROM t GROUP BY city HAVING count(*) > 600 ORDER BY city',
    groups(({ city }) => city)
      .filter(([, of]) => of.length > 600)
      .map(([city]) => line(city)),
  ],
  [
    'SELECT city, max(items) FROM t GROUP BY city ORDER BY city',
    groups(({ city }) => city).map(([city, of]) => line(city, Math.max(...known(of)))),
  ],
  [
    'SELECT id FROM t ORDER BY amount DESC, id LIMIT 3',
    ORDERS.toSorted((a, b) => b.cents - a.cents || a.id - b.id)
      .slice(0, 3)
      .map(({ id }) => line(id)),
  ],
  [
    'SELECT id FROM t ORDER BY amount, id LIMIT 1 OFFSET 9',
    [line(ORDERS.toSorted((a, b) => a.cents - b.cents || a.id - b.id)[9]!.id)],
  ],
  [
    "SELECT id FROM t WHERE status = 'void' ORDER BY day DESC, id LIMIT 2",
    where(({ status }) => status === 'void')
      .toSorted((a, b) => (a.day === b.day ? a.id - b.id : a.day < b.day ? 1 : -1))
      .slice(0, 2)
      .map(({ id }) => line(id)),
  ],
  [
    "SELECT sum(status = 'paid'), sum(status = 'open') FROM t",
    [line(where(({ status }) => status === 'paid').length, where(({ status }) => status === 'open').length)],
  ],
  [
    'SELECT count(*) FROM (SELECT day FROM t GROUP BY day HAVING count(*) >= 40)',
    [line(groups(({ day }) => day).filter(([, of]) => of.length >= 40).length)],
  ],
  [
    'SELECT count(*) FROM t a WHERE a.items = (SELECT max(items) FROM t)',
    [line(known(ORDERS).filter((items) => items === Math.max(...known(ORDERS))).length)],
  ],
  ['SELECT rowid FROM t WHERE id = 1234', ['1234']],
]

const MYSQL = (row: number): string => `${'*'.repeat(27)} ${row}. row ${'*'.repeat(27)}\n`

describe('SQL over a table', () => {
  it.each([
    ['CSV', CSV],
    ['JSON', JSON_ROWS],
  ])(`answers ${QUESTIONS.length} questions in the same way as plain code, from %s`, async (_, content) => {
    expect(QUESTIONS.length).toBeGreaterThanOrEqual(40)
    const tool = toolOf({ r: { content } }, { deadlineMs: UNHURRIED_MS })
    for (const [sql, expected] of QUESTIONS)
      expect(rowsOf(await ask(tool, { reference: 'r', sql })), sql).toEqual(expected)
  })

  it.each([
    ['a report', `Orders of all cities, generated on Monday\nFilters: none\n\n${CSV}`],
    ['words with a colon', `Here are the orders, and all their columns:\n${CSV}`],
    [
      'Markdown',
      `# Orders\n\nAll of them.\n\n## Items\n\nEach order, and its items.\n\n${MARKDOWN}\n## Notes\n\nNothing else.\n`,
    ],
  ])('reads a table in %s', async (_, content) => {
    const answer = await query(content, 'SELECT count(*), sum(items) FROM t')
    expect(answer).toContain(`\n1| 3000,${sum(known(ORDERS))}`)
  })

  it('does not read a table below many parts with separators', async () => {
    const below = (parts: number): string => `${'| a\n| b\n\n'.repeat(parts)}${CSV}`
    const sql = 'SELECT count(*) FROM t'
    expect(await query(below(5), sql)).toContain('\n1| 3000')
    const tool = toolOf({ r: { content: below(50), contentType: 'text/plain' } })
    expect((await fail(tool, { reference: 'r', sql })).text).toContain('is not a table')
  })

  it('names the number of result rows and of searched rows', async () => {
    expect(await query('a,b\n1,x\n2,\n3,y z\n', 'SELECT b, a FROM t WHERE a > 1')).toBe(
      '[2 rows; over 3 stored rows]\n\nrow| b,a\n1| ,2\n2| y z,3',
    )
    expect(await query('a,b\n1,x\n', 'SELECT a FROM t WHERE a > 1')).toBe('[0 rows; over 1 stored row]\n\nrow| a')
  })

  it.each([
    ['CSV', 'name,n\nx,1\ny,2\n'],
    ['TSV', 'name\tn\nx\t1\ny\t2\n'],
    ['CSV for Excel', 'sep=;\r\nname;n\r\nx;1\r\ny;2\r\n'],
    ['Markdown', '| name | n |\n| --- | --- |\n| x | 1 |\n| y | 2 |\n'],
    ['a box', '+------+---+\n| name | n |\n+------+---+\n| x    | 1 |\n| y    | 2 |\n+------+---+\n'],
    ['the result of a query', ' name | n \n------+---\n x    | 1\n y    | 2\n(2 rows)\n'],
    ['JSON', '[{"name":"x","n":1},{"name":"y","n":2}]'],
    ['JSON Lines', '{"name":"x","n":1}\n{"name":"y","n":2}\n'],
    ['blocks of psql', '-[ RECORD 1 ]\nname | x\nn    | 1\n-[ RECORD 2 ]\nname | y\nn    | 2\n'],
    ['blocks of MySQL', `${MYSQL(1)}name: x\n   n: 1\n${MYSQL(2)}name: y\n   n: 2\n2 rows in set (0.00 sec)\n`],
    ['JSON in a document', '{"meta":[{"k":1}],"data":{"items":[{"name":"x","n":1},{"name":"y","n":2}]}}'],
  ])('reads %s', async (_, content) => {
    expect(await rows(content, 'SELECT name, n + 1 FROM t ORDER BY n DESC')).toEqual(['y,3', 'x,2'])
  })

  it("reads aligned columns of a command's output", async () => {
    const content =
      'NAME          READY   STATUS    RESTARTS   AGE\napi-7d9f      1/1     Running   0          5d\n' +
      'web-5c4b      0/1     Failed    12         2d\ndb-0          1/1     Running   1          9d\n' +
      'jobs-x2       0/1     Pending   0          1m\n'
    const sql = 'SELECT status, sum(restarts) FROM t GROUP BY 1 ORDER BY 2 DESC'
    expect(await rows(content, sql)).toEqual(['Failed,12', 'Running,1', 'Pending,0'])
  })

  it('reads logfmt, with a column for each name', async () => {
    const content = `${'level=info msg="sent \\"all\\" mails" ms=3\n'.repeat(9)}level=error path=/a b=\nstopped\n`
    const answer = await query(
      content,
      'SELECT level, count(*), sum(ms), max(msg), max(path), max(b) FROM t GROUP BY 1',
    )
    expect(rowsOf(answer)).toEqual(['error,1,,,/a,', 'info,9,27,"sent ""all"" mails",,'])
    expect(answer).toContain('[Lines without named cells were left out: 1.]')
  })

  it('mentions the lines of a value that continues in blocks of psql and MySQL', async () => {
    const psql = '-[ RECORD 1 ]\na | one+\n  | two\nb |\n-[ RECORD 2 ]\na |\nb | 2\n'
    const mysql = `${MYSQL(1)}a: one+\ntwo\nb: \n${MYSQL(2)}a: \nb: 2\n`
    for (const content of [psql, mysql]) {
      const answer = await query(content, 'SELECT a, b FROM t')
      expect(rowsOf(answer)).toEqual(['one+,', ',2'])
      expect(answer).toContain('[Lines without named cells were left out: 1.]')
    }
  })

  it('names the array that it reads in a document, and reads another array with json_path', async () => {
    const content = '{"few":[{"k":1}],"many":[{"n":1},{"n":2},{"n":3}]}'
    expect(await query(content, 'SELECT sum(n) FROM t')).toContain('largest table in this JSON: "$.many"')
    expect(await rows(content, 'SELECT k FROM t', { json_path: '$.few' })).toEqual(['1'])
    expect(await rows(content, 'SELECT max(n) FROM t', { json_path: '$.many[?@.n < 3]' })).toEqual(['2'])
  })

  it('reads rows that are arrays', async () => {
    const values = [
      ['name', 'n'],
      ['x', 1],
      ['y', 2],
    ]
    const sql = 'SELECT name, n + 1 FROM t ORDER BY n DESC'
    const lines = values.map((row) => JSON.stringify(row)).join('\n')
    for (const content of [JSON.stringify(values), JSON.stringify({ values }), lines])
      expect(await rows(content, sql)).toEqual(['y,3', 'x,2'])
    const strings = values.map((row) => row.map(String))
    expect(await rows(JSON.stringify({ range: 'A1:B3', values: strings }), sql)).toEqual(['y,3', 'x,2'])
    const table = { more: [[[1, 2]]], rows: Array.from({ length: 30 }, (_, n) => ['x', n]) }
    const answer = await query(JSON.stringify(table), 'SELECT c1, sum(c2) FROM t GROUP BY 1')
    expect(answer).toMatch(/\n1\| x,435\n.*"\$\.rows"/)
  })

  it('takes the column names of arrays from an array beside them', async () => {
    const table = { rows: Array.from({ length: 30 }, (_, n) => ['x', n]) }
    const columns = ['name', 'n'].map((name) => ({ name, type: 'any' }))
    const named = { columns: ['name', 'n'], ...table }
    for (const content of [
      named,
      { ...table, fields: columns },
      { meta: { rowType: columns }, ...table },
      { meta: { view: { columns } }, ...table },
    ])
      for (const call of [{}, { json_path: '$.rows' }])
        expect(await rows(JSON.stringify(content), 'SELECT name, sum(n) FROM t GROUP BY 1', call)).toEqual(['x,435'])
    const inner = JSON.stringify({ a: [1], 'b c': [named, { columns: ['k'] }] })
    expect(await rows(inner, 'SELECT sum(n) FROM t', { json_path: "$['b c'][0].rows" })).toEqual(['435'])
    const other = JSON.stringify({ columns: ['a', 'b', 'c'], ...table })
    expect(await rows(other, 'SELECT sum(c2) FROM t')).toEqual(['435'])
  })

  it('reads an array without an end, because the content is cut off', async () => {
    const items = Array.from({ length: 50 }, (_, n) => ({ n, tags: [{ k: n }] }))
    const content = JSON.stringify({ few: [{ k: 1 }], items }).slice(0, -5)
    const answer = await query(content, 'SELECT count(*), max(n) FROM t')
    expect(answer).toContain('\n1| 49,48\n')
    expect(answer).toContain('largest table in this JSON: "$.items"')
    expect(answer).toContain('[The array does not end: the content was cut off.]')
    const selected = await query(content, 'SELECT count(*) FROM t', { json_path: '$.items[*]' })
    expect(selected).toContain('\n1| 49\n[t has only the values before the position at which the JSON breaks off.]')
  })

  it('joins tables of a scope', async () => {
    const entries = { a: { content: 'id,city\n1,Bonn\n2,Köln\n' }, b: { content: 'id,n\n2,5\n2,6\n' } }
    const tool = toolOf(entries, { scoped: true, deadlineMs: UNHURRIED_MS })
    const sql = 'SELECT city, sum(n) FROM t1 JOIN t2 USING (id) GROUP BY city'
    expect(await ask(tool, { references: ['a', 'b'], sql })).toBe(
      '[1 row; over 2 and 2 stored rows]\n\nrow| city,sum(n)\n1| Köln,11',
    )
    expect(await ask(tool, { references: ['a'], sql: 'SELECT t1.city FROM t1 JOIN t USING (id) LIMIT 1' })).toBe(
      '[1 row; over 2 stored rows]\n\nrow| city\n1| Bonn',
    )
    expect(await ask(tool, { references: ['b', 'a'], sql: 'SELECT count(*) FROM t' })).toContain(
      '[t is only t1, the table of b.]',
    )
  })
})

describe('SQL over several tables in a text', () => {
  const content = `NAME            READY   STATUS    RESTARTS   AGE
pod/api-7d9f8   1/1     Running   0          5d
pod/web-5c4b7   0/1     Failed    12         2d
pod/db-0        1/1     Running   1          9d
pod/jobs-x2     0/1     Pending   0          1m

NAME          TYPE        CLUSTER-IP   PORT(S)    AGE
service/api   ClusterIP   10.0.0.1     80/TCP     5d
service/web   ClusterIP   10.0.0.2     80/TCP     2d
service/db    NodePort    10.0.0.3     5432/TCP   3d
`

  it('names the tables t1 and t2, and the largest table also t', async () => {
    expect(await query(content, 'SELECT status, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1')).toBe(
      '[3 rows; over 4 stored rows]\n\nrow| STATUS,count(*)\n1| Running,2\n2| Failed,1\n3| Pending,1\n' +
        '[This text has 2 tables: t1 (4 rows: NAME, READY, STATUS, …), t2 (3 rows: NAME, TYPE, "CLUSTER-IP", …). ' +
        't is t1, the largest.]',
    )
    expect(await rows(content, 'SELECT rowid, name FROM t2')).toEqual([
      '1,service/api',
      '2,service/web',
      '3,service/db',
    ])
    const joined = 'SELECT count(*) FROM t1 JOIN t2 USING (age)'
    expect(await query(content, joined)).toMatch(/^\[1 row; over 4 and 3 stored rows\]\n\nrow\| count\(\*\)\n1\| 2\n/)
    expect(await query(content, 'SELECT count(*) FROM T2')).toMatch(/^\[1 row; over 3 stored rows\]/)
  })

  it('uses the largest table to join with other content', async () => {
    const tool = toolOf(
      { a: { content: 'age,days\n5d,5\n' }, b: { content } },
      { scoped: true, deadlineMs: UNHURRIED_MS },
    )
    const answer = await ask(tool, { references: ['a', 'b'], sql: 'SELECT name, days FROM t1 JOIN t2 USING (age)' })
    expect(answer).toBe(
      '[1 row; over 1 and 4 stored rows]\n\nrow| NAME,days\n1| pod/api-7d9f8,5\n[t2 is the largest of 2 tables in b.]',
    )
  })

  it('reads tables with the same columns as one table', async () => {
    const [first = ''] = content.split('\n\n')
    expect(rowsOf(await query(`${first}\n\n${first}\n`, 'SELECT count(*), sum(restarts) FROM t'))).toEqual(['8,26'])
  })

  it('names the table of each remark', async () => {
    const entries = { a: { content: 'id,x\n1,2\n' }, b: { content: '{"rows":[{"id":1},{"id":2}]}' } }
    const sql = 'SELECT count(*) FROM t1 JOIN t2 USING (id)'
    expect(await ask(toolOf(entries, { scoped: true }), { references: ['a', 'b'], sql })).toContain(
      '[t2: This is the largest table in this JSON: "$.rows".',
    )
  })

  it('names the table that cannot be loaded', async () => {
    const tool = toolOf({ a: { content: 'id,x\n1,2\n' }, log: { content: 'started\nstopped\n' } }, { scoped: true })
    const errorOf = async (other: string): Promise<string> =>
      (await fail(tool, { references: ['a', other], sql: 'SELECT 1 FROM t1' })).text
    expect(await errorOf('log')).toContain('Error: "log" is not a table.')
    expect(await errorOf('gone')).toContain('Nothing is stored under "gone".')
  })

  it('lists the columns of each table if a statement names none of them', async () => {
    const { text } = await fail(toolOf({ r: { content } }, { deadlineMs: UNHURRIED_MS }), {
      reference: 'r',
      sql: 'SELECT kind FROM t2',
    })
    expect(text).toContain('There is no column "kind".')
    expect(text).toContain(
      '[t1 has NAME TEXT, READY TEXT, STATUS TEXT, RESTARTS INTEGER, AGE TEXT]\n[t2 has NAME TEXT,',
    )
  })
})

describe('the types of SQL columns', () => {
  const typesOf = async (...cells: readonly string[]): Promise<string> =>
    (await rows(['c,d', ...cells.map((text) => `${text},x`)].join('\n'), 'SELECT group_concat(typeof(c)) FROM t'))[0]!

  it('follow from the cells', async () => {
    expect(await typesOf('1', '-2', '0', '')).toBe('"integer,integer,integer,null"')
    expect(await typesOf('1', '2.50', '1e3')).toBe('"real,real,real"')
    expect(await typesOf('1.1', '1.10', '2')).toBe('"text,text,text"')
    expect(await typesOf('1.1', '1.5e10', '2.0')).toBe('"real,real,real"')
    expect(await typesOf('01', '2', '3')).toBe('"text,text,text"')
    expect(await typesOf('"1,5"', '"2,5"')).toBe('"text,text"')
    expect(await typesOf('2026-01-02', '2026-01-03')).toBe('"text,text"')
    expect(await typesOf('1.2.3', '1.2.4')).toBe('"text,text"')
    expect(await typesOf('+49', '+1')).toBe('"text,text"')
  })

  it('keep integers beyond 2^53, and longer integers as text', async () => {
    expect(await rows('id,x\n9007199254740993,a\n9007199254740992,b\n', 'SELECT max(id) FROM t')).toEqual([
      '9007199254740993',
    ])
    expect(await rows('[{"id":9007199254740993},{"id":9007199254740992}]', 'SELECT max(id) FROM t')).toEqual([
      '9007199254740993',
    ])
    expect(await rows('id,x\n12345678901234567890123,a\n', 'SELECT typeof(id), id FROM t')).toEqual([
      'text,12345678901234567890123',
    ])
  })

  it('are the types of JSON, so that text is text and true is 1', async () => {
    const content = '[{"a":"1","b":true,"c":[1,2],"d":null},{"a":"2","b":false,"c":[],"d":""}]'
    const sql = 'SELECT typeof(a), sum(b), typeof(c), typeof(d) FROM t GROUP BY a'
    expect(await rows(content, sql)).toEqual(['text,1,text,null', 'text,0,text,text'])
    expect(await rows(content, 'SELECT value FROM t, json_each(c)')).toEqual(['1', '2'])
  })

  it('are correct even if the first rows are not typical of a column', async () => {
    const many = Array.from({ length: 60_000 }, (_, index) => `${index + 10_000},${index},x`)
    const content = ['zip,n,t', ...many, '00123,0.5,y'].join('\n')
    const sql = 'SELECT typeof(zip), typeof(n) FROM t WHERE rowid IN (1, 60001)'
    expect(await rows(content, sql)).toEqual(['text,real', 'text,real'])
    expect(await rows(content, "SELECT count(*) FROM t WHERE zip = '00123'")).toEqual(['1'])
  })

  it('are listed with the number of cells of another type, and with one of these cells', async () => {
    const content = ['n,x', ...Array.from({ length: 50 }, (_, index) => `${index},x`), 'n/a,y'].join('\n')
    const answer = await query(content, 'SELECT count(*) FROM t WHERE n < 10')
    expect(rowsOf(answer)).toEqual(['10'])
    expect(answer).toContain(
      '["n" has numbers, but 1 of its cells are text, which comes after all numbers: the first is "n/a" in row 51.]',
    )
    expect(await query(content, 'SELECT count(*) FROM t WHERE x IS NULL')).not.toContain('has numbers')
    const average = await query(content, 'SELECT avg(n) FROM t')
    expect(average).toContain('which is 0 in sums and averages: the first is "n/a"')
    expect(rowsOf(average)).toEqual([String((49 * 50) / 2 / 51)])
  })

  describe('that are text', () => {
    const header = 'Units Sold;Total ($);margin;Preis;day;city;note'
    const row = (index: number): string =>
      `${index},000;"$${index},250.50";${index}.5%;1.0${index}0,75;1${index}/3/2026;Rome;`
    const content = [header, ...Array.from({ length: 9 }, (_, index) => row(index + 1))].join('\n')
    const notesOf = async (sql: string): Promise<string[]> =>
      (await query(content, sql)).split('\n').filter((line) => /^\[.* (?:is text|are NULL)/.test(line))

    it.each([
      ['SELECT sum("Units Sold") FROM t', "replace(\"Units Sold\", ',', '')", '45000'],
      [
        'SELECT count(*) FROM t WHERE "Total ($)" > 4000',
        "replace(replace(\"Total ($)\", '$', ''), ',', '')",
        '47254.5',
      ],
      ['SELECT margin FROM t ORDER BY margin', "replace(replace(margin, '%', ''), ',', '')", '49.5'],
      ['SELECT max(Preis) FROM t', "replace(replace(Preis, '.', ''), ',', '.')", '9456.75'],
    ])(
      'come with an expression that converts text to a number, if a statement computes with them: %s',
      async (sql, expression, sum) => {
        const notes = await notesOf(sql)
        expect(notes).toHaveLength(1)
        expect(notes[0]).toContain(`: convert it with CAST(${expression} AS REAL).]`)
        const total = await rows(content, `SELECT sum(CAST(${expression} AS REAL)) FROM t`)
        expect(total.map(Number)).toEqual([Number(sum)])
      },
    )

    it('come with advice if they are dates in another format', async () => {
      expect(await notesOf("SELECT count(*) FROM t WHERE day > '2026-03-12'")).toEqual([
        '["day" is text, for example "11/3/2026": to compare dates, build YYYY-MM-DD with substr and ||.]',
      ])
    })

    it('come with advice if a date in another format is compared with YYYY-MM-DD', async () => {
      for (const cell of ['12.3.2026', 'Mar 12 2026', '12-Mar-2026'])
        expect(await query(`day,x\n${cell},a\n`, "SELECT x FROM t WHERE day = '2026-03-12'")).toContain(
          `["day" is text, for example "${cell}": to compare dates, build YYYY-MM-DD with substr and ||.]`,
        )
    })

    it.each([
      ['zip', '02134', 'zip = 2134', "zip = '02134'"],
      ['id', '12345678901234567891', 'id IN (12345678901234567891)', "id IN ('12345678901234567891')"],
      ['ok', 'true', 'ok', "ok = 'true'"],
      ['ok', 'True', "ok = 'true'", "ok = 'True'"],
    ])('come with advice if %s, with the cell %s, is tested by %s', async (name, cell, wrong, right) => {
      const note = `["${name}" is text, for example "${cell}": compare it with such a text in quotes.]`
      const table = `${name},x\n${cell},1\n`
      expect(await query(table, `SELECT x FROM t WHERE ${wrong}`)).toContain(note)
      const answer = await query(table, `SELECT x FROM t WHERE ${right}`)
      expect(rowsOf(answer)).toEqual(['1'])
      expect(answer).not.toContain(note)
      expect(await query(table, `SELECT ${name} FROM t ORDER BY ${name}`)).not.toContain('is text')
    })

    it('come with advice if their cells have spaces around', async () => {
      const table = 'name, city\na, Rome\nb, Oslo\n'
      expect(await query(table, "SELECT name FROM t WHERE city = 'Rome'")).toContain(
        '["city" is text, for example " Rome": trim(city) is without the spaces.]',
      )
      expect(await rows(table, "SELECT name FROM t WHERE trim(city) = 'Rome'")).toEqual(['a'])
    })

    it('come with advice from the cell that shows most of their notation', async () => {
      const sumOf = async (table: string): Promise<string | undefined> => {
        const [, expression] = /convert it with (.*)\.\]$/m.exec(await query(table, 'SELECT sum(v) FROM t')) ?? []
        return (await rows(table, `SELECT sum(${expression}) FROM t`))[0]
      }
      expect(await sumOf('k;v\na;100 %\nb;4,5 %\nc;1.012,5 %\n')).toBe('1117.0')
      expect(await sumOf('k,v\na,"$2,000.50"\nb,"($1,000.25)"\n')).toBe('1000.25')
    })

    it('come with advice if most of their cells are numbers', async () => {
      const table = `v,x\n${'1.5,a\n'.repeat(8)}${'NaN,a\n'.repeat(2)}`
      expect(await query(table, 'SELECT max(v) FROM t')).toContain(
        '["v" is text, for example "NaN": leave such cells out, and convert with CAST(v AS REAL).]',
      )
    })

    it('come without advice if they are only shown, converted, or words', async () => {
      for (const sql of [
        'SELECT "Units Sold", day FROM t LIMIT 1',
        `SELECT sum(CAST(replace("Units Sold", ',', '') AS INT)) FROM t`,
        'SELECT city FROM t ORDER BY city',
      ])
        expect(await notesOf(sql)).toEqual([])
    })

    it('come with advice if they are compared with empty text, NULL as text, or booleans as text', async () => {
      for (const sql of ["SELECT 1 FROM t WHERE note = ''", "SELECT 1 FROM t WHERE note IN ('NULL')"])
        expect(await notesOf(sql)).toEqual(['[Empty cells and the word NULL are NULL: use IS NULL.]'])
      const flags = '[{"id":1,"on":true},{"id":2,"on":false}]'
      const answer = await query(flags, 'SELECT id FROM t WHERE "on" = \'true\'')
      expect(answer).toContain('[In "on", true is 1 and false is 0.]')
      expect(answer).not.toContain('In "id"')
    })
  })

  it('are listed with the number of missing rows and cells', async () => {
    const ragged = await query('a,b\n1,2\n3\n4,5,6\n', 'SELECT count(*) FROM t', {}, 'text/csv')
    expect(ragged).toContain('Rows with another number of cells than the header: 2')
    const mixed = await query('[{"a":1},7,"x,y",[8],{"a":2},null]', 'SELECT count(*) FROM t')
    expect(mixed).toMatch(/\| 2\n\[Values that are not objects were left out: 4\.\]$/)
    const wide = Array.from({ length: 10_000 }, (_, column) => `c${column}`).join(',')
    const answer = await query(`${wide}\n${wide.replaceAll('c', '')}\n`, 'SELECT c1999 FROM t', {}, 'text/csv')
    expect(rowsOf(answer)).toEqual(['1999'])
    expect(answer).toContain('The table has 10,000 columns, of which the first 2,000 are loaded.')
  })

  it('are found in 2,000 columns that appear one after the other', async () => {
    const content = Array.from({ length: 2_000 }, (_, key) => `{"k${key}":${key},"x":"y"}`).join('\n')
    expect(await rows(content, 'SELECT sum(k1998), count(k7), count(x) FROM t')).toEqual(['1998,1,2000'])
  })

  it('have the names that answers show, without control characters', async () => {
    const names = ['a\0b', 'two\nlines', '\u001b[1mbold', '\uD800', '\uFFFD']
    const content = JSON.stringify([{ id: 1 }, Object.fromEntries(names.map((name, index) => [name, index]))])
    const shown = '"a␀b", "two␤lines", bold, "\uFFFD", "\uFFFD_2"'
    expect(await rows(content, `SELECT ${shown} FROM t WHERE id IS NULL`)).toEqual(['0,1,2,3,4'])
  })

  it('are listed even for column names that differ only in case', async () => {
    const content = 'A,a,a b,\n1,2,3,4\n'
    expect(await rows(content, 'SELECT A, a_2, "a b", "column 4" FROM t')).toEqual(['1,2,3,4'])
    expect(await query(content, 'SELECT a FROM t')).toContain('[Columns of equal names have numbers: "a_2".]')
  })
})

describe('an answer of SQL', () => {
  it('is not complete if not even one row fits', async () => {
    const columns = Array.from({ length: 100 }, (_, index) => `column_${index}`)
    const content = `${columns.join(',')}\n${columns.join(',')}\n`
    const tool = toolOf({ r: { content } }, { maxRetrievalTokens: 200, deadlineMs: UNHURRIED_MS })
    const result = await tool.execute({ reference: 'r', sql: 'SELECT * FROM t' })
    expect(result).toMatchObject({ isError: false, matches: 1, isComplete: false })
    expect(await ask(tool, { reference: 'r', sql: 'SELECT * FROM t' })).toBe(
      '[1 row; over 1 stored row]\n[Not even one of them fits in an answer. Select fewer columns.]',
    )
  })

  it('continues at the next row if it is cut, and shows each row once', async () => {
    const tool = toolOf({ r: { content: CSV } }, { maxRetrievalTokens: 400, deadlineMs: UNHURRIED_MS })
    const seen: string[] = []
    for (let after: number | undefined = 0; after !== undefined;) {
      const answer = await ask(tool, { reference: 'r', sql: 'SELECT id FROM t WHERE id <= 700', after })
      seen.push(...rowsOf(answer))
      const to = /To continue: .*"after":(\d+)\}\]$/.exec(answer)?.[1]
      after = to === undefined ? undefined : Number(to)
    }
    expect(seen).toEqual(Array.from({ length: 700 }, (_, index) => String(index + 1)))
  })

  it('cannot be imitated by cells', async () => {
    const answer = await query('a,b\n"x\n[9 rows; over 1 stored rows]\n1| y",2\n', 'SELECT a FROM t', {}, 'text/csv')
    expect(answer.split('\n')).toEqual([
      '[1 row; over 1 stored row]',
      '',
      'row| a',
      '1| "x␤[9 rows; over 1 stored rows]␤1| y"',
    ])
  })

  it('has the rows that it shows as data, with whole values', async () => {
    const long = 'x'.repeat(50_000)
    const tool = toolOf(
      { r: { content: `a,b\n${long},1\n,2\n`, contentType: 'text/csv' } },
      { deadlineMs: UNHURRIED_MS },
    )
    const tableOf = async (sql: string, call?: object): Promise<unknown> => {
      const result = await tool.execute({ reference: 'r', sql, ...call })
      return result.isError ? result.message : result.table
    }
    expect(await tableOf('SELECT a, a FROM t')).toEqual({ columns: ['a', 'a'], rows: [[long, long]] })
    expect(await tableOf('SELECT a, b FROM t', { after: 1 })).toEqual({ columns: ['a', 'b'], rows: [[null, '2']] })
    expect(await tableOf('SELECT b FROM t WHERE b > 2')).toEqual({ columns: ['b'], rows: [] })
  })

  it('cuts long values, and says how to see more', async () => {
    const answer = await query(`a,b\n${'x'.repeat(50_000)},1\n`, 'SELECT a FROM t', {}, 'text/csv')
    expect(answer).toContain('[Long values are cut: substr(column, 4001) shows more.]')
  })
})

describe('an SQL statement that is refused', () => {
  const content = 'id,status,amount\n1,open,5\n2,paid,6\n'

  it('gets the names of the columns, and the closest name', async () => {
    const tool = toolOf({ r: { content } }, { deadlineMs: UNHURRIED_MS })
    const { code, text } = await fail(tool, { reference: 'r', sql: 'SELECT sum(amout) FROM t' })
    expect(code).toBe('unknown-column')
    expect(text).toBe(
      [
        'Error: There is no column "amout".',
        '<<< r: untrusted content',
        '[Closest: amount]',
        '[t has id INTEGER, status TEXT, amount INTEGER]',
        '[A valid call: retrieve_offloaded_content {"reference":"r","sql":"SELECT sum(amount) FROM t"}]',
        '>>> end of r',
      ].join('\n'),
    )
    const quoted = await fail(tool, { reference: 'r', sql: 'SELECT 1 FROM t WHERE status = "open"' })
    expect(quoted.text).toContain("Write text in single quotes: '…'.")
  })

  it.each([
    ['SELECT sum(amount) FROM orders', 'SELECT sum(amount) FROM t'],
    ['SELECT count(*) FROM "orders.csv"', 'SELECT count(*) FROM t'],
    [`SELECT "first-name" FROM t WHERE status = "it's"`, `SELECT "first-name" FROM t WHERE status = 'it''s'`],
    ['SELECT first-name FROM t', 'SELECT "first-name" FROM t'],
    ['SELECT First Name FROM t', 'SELECT "First Name" FROM t'],
    ['SELECT "first-name", stat, status FROM t', 'SELECT "first-name", status, status FROM t'],
    ['SELECT address.city FROM t', "SELECT address ->> '$.city' FROM t"],
    ['SELECT "address.city" FROM t', "SELECT address ->> '$.city' FROM t"],
    ['SELECT orders FROM t', 'SELECT "order" FROM t'],
    ['SELECT 1 FROM t WHERE status <> "amounts"', "SELECT 1 FROM t WHERE status <> 'amounts'"],
    ["SELECT 1 FROM t WHERE status IN ('x', \"it's\")", "SELECT 1 FROM t WHERE status IN ('x', 'it''s')"],
  ])('gets a statement that works: %s', async (sql, right) => {
    const object = {
      id: 1,
      status: "it's",
      amount: 5,
      'first-name': 'x',
      'First Name': 'y',
      order: 7,
      address: { city: 'Rome' },
    }
    const tool = toolOf({ r: { content: JSON.stringify([object]) } }, { deadlineMs: UNHURRIED_MS })
    const call = JSON.stringify({ reference: 'r', sql: right })
    const { text } = await fail(tool, { reference: 'r', sql })
    expect(text).toContain(`[A valid call: retrieve_offloaded_content ${call}]`)
    expect(await ask(tool, JSON.parse(call) as object)).toMatch(/^\[1 row/)
  })

  it.each([
    ['SELECT amount::text FROM t', 'CAST(x AS INTEGER)', 'CAST(amount AS TEXT)'],
    ["SELECT id FROM t WHERE day ILIKE '2026%'", 'LIKE ignores the case', "day LIKE '2026%'"],
    ["SELECT date_trunc('month', day) FROM t", "strftime('%Y-%m', x)", "strftime('%Y-%m', day)"],
    ['SELECT EXTRACT(HOUR FROM day) FROM t', "strftime('%H', x)", "strftime('%H', day)"],
    ["SELECT DATEDIFF(day, '2026') FROM t", 'julianday(x) - julianday(y)', "julianday(day) - julianday('2026-01-01')"],
    ["SELECT now() - interval '1 day'", "datetime('now', '-1 day')", "day < datetime('now', '-1 day')"],
    ["SELECT id FROM t WHERE day < DATE '2026-05-01'", 'a date is a text', "day < '2026-05-01'"],
    ['SELECT median() WITHIN GROUP (ORDER BY id) FROM t', 'percentile_cont(x, 0.9)', 'percentile_cont(id, 0.9)'],
    ['SELECT stddev(id) FROM t', 'avg(x * x) - avg(x) * avg(x)', 'avg(id * id) - avg(id) * avg(id)'],
    ['SELECT TOP 5 * FROM t', 'LIMIT 5', 'id FROM t LIMIT 5 --'],
    ["SELECT id FROM t WHERE day ~ '^2026'", "GLOB '*[0-9]*'", "day GLOB '2026*'"],
    ['SELECT left(day, 4) FROM t', 'substr(x, 1, 4)', 'substr(day, 1, 4)'],
    ['SELECT len(day) FROM t', 'length(x)', 'length(day)'],
    ["SELECT position('6' in day) FROM t", "instr(x, 'a')", "instr(day, '6')"],
    ['SELECT array_agg(id) FROM t', "group_concat(x, ', ')", "group_concat(id, ', ')"],
    ['SELECT count_if(id > 1) FROM t', 'FILTER (WHERE x > 1)', 'count(*) FILTER (WHERE id > 1)'],
    ['SELECT greatest(id, amount) FROM t', 'max(x, y)', 'max(id, amount)'],
    ['SELECT nvl(day, id) FROM t', 'ifnull(x, y)', 'ifnull(day, id)'],
    ['SELECT approx_count_distinct(id) FROM t', 'count(DISTINCT x)', 'count(DISTINCT id)'],
    ['SELECT DISTINCT ON (day) * FROM t', 'row_number() OVER (…)', 'row_number() OVER (PARTITION BY day)'],
    ['SELECT day, count(*) FROM t GROUP BY ALL', 'GROUP BY names each column', 'day, count(*) FROM t GROUP BY day --'],
    ['SELECT * EXCLUDE (id) FROM t', 'SELECT names each column', 'day, amount'],
  ])('of another database gets the words of SQLite, which work: %s', async (sql, said, words) => {
    const tool = toolOf({ r: { content: 'id,day,amount\n1,2026-01-02,5\n2,2026-03-04,6\n' } })
    const { text } = await fail(tool, { reference: 'r', sql })
    expect(text).toContain(' In SQLite, ')
    expect(text).toContain(said)
    expect(text).not.toContain('A valid call')
    expect(await ask(tool, { reference: 'r', sql: `SELECT ${words} FROM t` })).toMatch(/^\[\d rows?/)
  })

  it('gets no advice about SQLite for words inside a string', async () => {
    const tool = toolOf({ r: { content } })
    const { text } = await fail(tool, { reference: 'r', sql: "SELECT amout FROM t WHERE status = 'a::b ~ now()'" })
    expect(text).toContain('A valid call')
    expect(text).not.toContain('In SQLite')
  })

  it.each([
    'SELEC 1',
    '',
    ';',
    '-- nothing',
    'SELECT 1; SELECT 2',
    'SELECT 1; DROP TABLE t',
    'DELETE FROM t',
    'DELETE FROM t RETURNING id',
    'INSERT INTO t VALUES (1, 2, 3)',
    'UPDATE t SET id = 1',
    'DROP TABLE t',
    'CREATE TABLE u (a)',
    'CREATE TEMP TABLE u AS SELECT * FROM t',
    "ATTACH 'file.db' AS other",
    "ATTACH ':memory:' AS other",
    'DETACH main',
    'PRAGMA table_info(t)',
    'PRAGMA hard_heap_limit = 0',
    "SELECT * FROM pragma_table_info('t')",
    "VACUUM INTO 'file.db'",
    'BEGIN',
    'REINDEX',
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('x', 'y')",
    'SELECT * FROM u',
    `SELECT ${Array.from({ length: 3_000 }, () => '1').join(', ')}`,
    `SELECT '${'x'.repeat(20_000)}'`,
    `SELECT ${'abs('.repeat(1_500)}1${')'.repeat(1_500)}`,
    `SELECT 1 WHERE ${Array.from({ length: 1_500 }, () => '1').join(' AND ')}`,
    Array.from({ length: 60 }, () => 'SELECT 1').join(' UNION ALL ') + ' UNION ALL SELECT 1'.repeat(100),
    `SELECT 1 FROM ${Array.from({ length: 70 }, (_, index) => `t a${index}`).join(', ')}`,
    "SELECT fts3_tokenizer('simple')",
    "SELECT edit('x')",
    'SELECT randomblob(1000000000)',
    "SELECT replace(hex(zeroblob(8000000)), '0', 'xxxxxxxxxx')",
    'SELECT zeroblob(1000000000)',
    "SELECT printf('%.*c', 999999999, 'x')",
  ])('gets the reason: %j', async (sql) => {
    const { text, code } = await fail(toolOf({ r: { content } }, { deadlineMs: UNHURRIED_MS }), {
      reference: 'r',
      sql: sql === '' ? ' ' : sql,
    })
    expect(text).toMatch(/^Error: /)
    expect(['invalid-sql', 'too-large']).toContain(code)
  })

  it.each([
    ['prose', 'Once upon a time, there was a table.\nIt had legs, four of them.\nNobody knew why.\n'],
    ['a log', '12:00:01 INFO started\n12:00:02 WARN slow, very slow\n12:00:03 INFO stopped\n'],
    ['source', 'const a = [1, 2]\nfunction b(c, d) {\n  return [c, d]\n}\n'],
    ['JSON without objects', '{"a":[1,2,3],"b":"x"}'],
    ['objects without keys', '{}\n{}\n'],
    ['a stack trace', 'Error: no\n    at a (b.js:1:2)\n    at c (d.js:3:4)\n'],
    ['nothing', ''],
  ])('may be for content without tables: %s', async (_, other) => {
    const { code, text } = await fail(toolOf({ r: { content: other } }), { reference: 'r', sql: 'SELECT 1 FROM t' })
    expect(code).toBe('not-a-table')
    expect(text).toBe(
      'Error: "r" is not a table. Search it with a pattern. If it is JSON, select its rows with json_path: $.* for each value, or $ for one row, to use with json_each.',
    )
  })

  it('may be for binary content', async () => {
    const tool = toolOf({ r: { content: 'a,b\n1,2\n', contentType: 'image/png' } })
    expect((await fail(tool, { reference: 'r', sql: 'SELECT 1' })).code).toBe('not-text')
  })
})

describe('an endless SQL statement', () => {
  const content = `n,x\n${Array.from({ length: 1_000 }, (_, index) => `${index},x`).join('\n')}\n`
  const ENDLESS = [
    'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c',
    'SELECT count(*) FROM t a, t b, t c, t d WHERE a.n + b.n + c.n + d.n < 0',
    "SELECT max(replace(hex(zeroblob(4000000)), '0', a.n)) FROM t a, t b",
  ]

  /** Make a tool with a short deadline, over a table that is loaded. */
  async function hurriedTool(deadlineMs: number): Promise<RetrievalTool> {
    const storage = storageOf({ r: { content } }, false)
    await ask(toolOf({}, { storage, deadlineMs: UNHURRIED_MS }), { reference: 'r', sql: 'SELECT 1' })
    return toolOf({}, { storage, deadlineMs })
  }

  it.each(ENDLESS)('stops at its deadline while timers fire: %s', async (sql) => {
    const tool = await hurriedTool(400)
    let ticks = 0
    const timer = setInterval(() => ticks++, 5)
    const { code } = await fail(tool, { reference: 'r', sql }).finally(() => clearInterval(timer))
    expect(code).toBe('sql-timeout')
    expect(ticks).toBeGreaterThan(3)
  })

  it('lets other calls run', async () => {
    const tool = await hurriedTool(600)
    const other = toolOf({ r: { content } }, { deadlineMs: UNHURRIED_MS })
    const hostile = Array.from({ length: 5 }, () => fail(tool, { reference: 'r', sql: ENDLESS[0]! }))
    const order: string[] = []
    const quick = ask(other, { reference: 'r', sql: 'SELECT sum(n) FROM t' }).then((answer) => {
      order.push('quick')
      return answer
    })
    await Promise.all([quick, ...hostile.map((one) => one.then(() => order.push('hostile')))])
    expect(rowsOf(await quick)).toEqual(['499500'])
    expect(order.indexOf('quick')).toBeLessThan(4)
  })

  it('stops if the call is aborted', async () => {
    const tool = toolOf({ r: { content } }, { deadlineMs: UNHURRIED_MS })
    const result = await tool.execute({ reference: 'r', sql: ENDLESS[0] }, { signal: AbortSignal.timeout(300) })
    expect(result).toMatchObject({ isError: true, code: 'aborted' })
  })

  it('has limited memory', async () => {
    const sql =
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 90000) SELECT count(DISTINCT x || hex(zeroblob(20000))) FROM c'
    const { code } = await fail(toolOf({ r: { content } }, { deadlineMs: UNHURRIED_MS }), { reference: 'r', sql })
    expect(code).toBe('too-large')
  })

  it('is not confused with a large cross join that is finite', async () => {
    expect(await rows(content, 'SELECT count(*) FROM t a, t b')).toEqual(['1000000'])
  })
})

it('SQL loads a table once for several statements', async () => {
  let read = 0
  const storage = storageOf({ r: { content: CSV } }, false)
  const counting = {
    ...storage,
    retrieveRange: async (...args: Parameters<NonNullable<typeof storage.retrieveRange>>) => {
      const part = await storage.retrieveRange!(...args)
      read += part.content.length
      return part
    },
  }
  const tool = createRetrievalTool({
    storage: counting,
    scoped: false,
    maxRetrievalTokens: 500,
    countTokens: (text) => text.length / 4,
    deadlineMs: UNHURRIED_MS,
  })
  await ask(tool, { reference: 'r', sql: 'SELECT count(*) FROM t' })
  const first = read
  await ask(tool, { reference: 'r', sql: 'SELECT max(id) FROM t' })
  expect(read - first).toBeLessThan(first / 2 + 70_000)
})
