import { propertyRuns } from '@spillway-internal/test-run'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it, test, vi } from 'vitest'
import { countTokens, storageOf } from '../../../test/retrieval-fixture.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { Storage } from '../../storage/storage.ts'
import { formatRetrievalCall, RetrievalError, type RetrievalContext } from '../retrieval-tool.ts'
import { answerTable } from './answer-table.ts'
import type { TableRequest } from './table-selection.ts'

interface Asked extends Partial<Omit<TableRequest, 'mode' | 'reference'>> {
  readonly contentType?: string
  readonly context?: Partial<RetrievalContext>
}

/** A storage of one content, which it never copies: some are large. */
function storageFor(content: string | Uint8Array, contentType: string): Storage {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return {
    store: async (key) => key,
    retrieve: async () => ({ content: bytes, contentType }),
    retrieveRange: async (_, { offset, length }) => ({
      content: bytes.subarray(offset, offset + length),
      contentType,
      size: bytes.length,
    }),
  }
}

async function ask(content: string | Uint8Array, asked: Asked = {}): Promise<string> {
  const { contentType = 'text/plain', context = {}, ...request } = asked
  const defaults = { columns: undefined, where: undefined, skip: 0, limit: undefined, countOnly: false }
  return await answerTable(
    { mode: 'table', reference: 'ref', ...defaults, ...request },
    {
      storage: storageFor(content, contentType),
      scoped: false,
      maxTokens: 2_500,
      countTokens,
      maxMediaBytes: 1_000,
      deadlineMs: 20_000,
      formatCall: formatRetrievalCall,
      blockBytes: 65_536,
      signal: undefined,
      ...context,
    },
  )
}

async function failureOf(answer: Promise<string>): Promise<RetrievalError> {
  const error: unknown = await answer.catch((thrown: unknown) => thrown)
  if (error instanceof RetrievalError) return error
  throw new Error(`expected a RetrievalError, got ${String(error)}`)
}

/** The rows that an answer shows, as they stand behind their numbers. */
function rowsOf(answer: string): string[] {
  return answer.split('\n').flatMap((line) => /^\d+:\d+\| (.*)$/.exec(line)?.slice(1) ?? [])
}

const requests = [
  'ts,path,status,bytes',
  '2024-03-01T10:00Z,/a,200,"1,024"',
  '2024-03-01T10:01Z,"/b,c",503,12',
  '2024-03-02T09:00Z,"say ""hi""",500,',
  '2024-03-02T09:30Z,"two',
  'lines",404,7',
  '2024-03-03T00:00Z,/a,503,99',
].join('\n')

describe('answerTable', () => {
  it('shows each row on one line, with its number and its line, quoted if necessary', async () => {
    expect(await ask(requests)).toBe(
      [
        '[5 rows]',
        '',
        'row:line| ts,path,status,bytes',
        '1:2| 2024-03-01T10:00Z,/a,200,"1,024"',
        '2:3| 2024-03-01T10:01Z,"/b,c",503,12',
        '3:4| 2024-03-02T09:00Z,"say ""hi""",500,',
        '4:5| 2024-03-02T09:30Z,"two␤lines",404,7',
        '5:7| 2024-03-03T00:00Z,/a,503,99',
      ].join('\n'),
    )
  })

  it('selects columns and rows', async () => {
    expect(await ask(requests, { columns: ['status', 'ts'], where: 'status >= 500' })).toBe(
      [
        '[3 rows of 5 where status >= 500, 2 of 4 columns]',
        '',
        'row:line| status,ts',
        '2:3| 503,2024-03-01T10:01Z',
        '3:4| 500,2024-03-02T09:00Z',
        '5:7| 503,2024-03-03T00:00Z',
      ].join('\n'),
    )
  })

  it.each([
    ['bytes > 99', ['1']],
    ['bytes is null', ['3']],
    ['ts < 2024-03-02', ['1', '2']],
    ['path contains HI', ['3']],
    ['path = "two\nlines"', ['4']],
    ['STATUS in (404, 200)', ['1', '4']],
    ['column 3 = 503', ['2', '5']],
  ])('finds the rows where %s', async (where, numbers) => {
    const answer = await ask(requests, { where })
    expect(answer.split('\n').flatMap((line) => /^(\d+):/.exec(line)?.slice(1) ?? [])).toEqual(numbers)
  })

  it('shows pages, with the call that continues', async () => {
    const answer = await ask(requests, { columns: ['ts'], where: 'status > 200', skip: 1, limit: 2 })
    expect(rowsOf(answer)).toEqual(['2024-03-02T09:00Z', '2024-03-02T09:30Z'])
    expect(answer).toContain(
      '\n\n[Shown: rows 2-3 of 4. To continue: retrieve_offloaded_content ' +
        '{"reference":"ref","columns":["ts"],"where":"status > 200","limit":2,"skip":3}]',
    )
    expect(await ask(requests, { skip: 9 })).toBe(
      '[5 rows, columns: ts, path, status, bytes]\n' +
        '[skip passes over all of them. To see the first: retrieve_offloaded_content {"reference":"ref"}]',
    )
  })

  it('returns only the count if the call asks for it', async () => {
    expect(await ask(requests, { where: 'status = 503', countOnly: true })).toBe(
      '[2 rows of 5 where status = 503, columns: ts, path, status, bytes]',
    )
    expect(await ask(requests, { countOnly: true, limit: 1 })).toBe('[5 rows, columns: ts, path, status, bytes]')
  })

  it('lists the values of the column if no row matches', async () => {
    expect(await ask(requests, { where: 'status = 999' })).toBe(
      '[0 rows of 5 where status = 999, columns: ts, path, status, bytes]\n' +
        '["status" has these values: "503" (2), "200" (1), "500" (1), "404" (1).]',
    )
  })

  it('names the closest columns for an unknown one', async () => {
    const columns = await failureOf(ask(requests, { columns: ['ts', 'state'] }))
    expect(columns.code).toBe('unknown-column')
    expect(columns.message).toBe(
      'The table has no column "state". Closest: "status". Its columns are ts, path, status, bytes. A right call:',
    )
    expect(columns.call).toEqual({ reference: 'ref', columns: ['ts', 'status'] })
    const where = await failureOf(ask(requests, { where: 'zzz = 1' }))
    expect(where.message).toContain('The table has no column "zzz". Its columns are ')
    expect(where.call).toEqual({ reference: 'ref' })
    const both = await failureOf(ask(requests, { columns: ['zzz'], where: 'statuz >= 500' }))
    expect(both.call).toEqual({ reference: 'ref', columns: ['ts', 'path', 'status'], where: 'status >= 500' })
  })

  it('refuses an invalid condition, with an example of this table', async () => {
    const { code, message, call } = await failureOf(ask(requests, { where: 'status ~ 5' }))
    expect(code).toBe('invalid-input')
    expect(message).toContain('At position 8 of where, an operator (')
    expect(call).toEqual({ reference: 'ref', where: 'status = "some value"' })
  })

  it('refuses text that is not a table, binary content and missing content', async () => {
    for (const text of ['', 'One line of prose.\nAnother one.\n', '{"a": {"b": 1}}', '[1, 2, 3]', '{\n  "a": 1\n}'])
      expect((await failureOf(ask(text))).code).toBe('not-a-table')
    const nested = await failureOf(ask('{"total": 2, "hits": [{"a": 1}, {"a": 2}]}'))
    expect(nested.message).toMatch(/To see the objects in "hits":$/)
    expect(nested.call).toEqual({ reference: 'ref', json_path: '$..["hits"][*]' })
    expect((await failureOf(ask('a,b\n1,2', { contentType: 'image/png' }))).code).toBe('not-text')
    const missing = new StorageError('not-found', 'not there', { reference: 'ref' })
    const storage = storageOf({ ref: missing }, false)
    await expect(ask('', { context: { storage } })).rejects.toBe(missing)
  })
})

describe('kinds of tables', () => {
  const wanted = ['1,Oslo,-3.5', '3,Rome,18']
  const separated = (separator: string): string =>
    ['id,city,degrees', '1,Oslo,-3.5', '2,,7', '3,Rome,18', '4,Oslo,0'].join('\n').replaceAll(',', separator)
  const kinds: Readonly<Record<string, string>> = {
    csv: separated(','),
    'csv with CRLF and a byte order mark': `\ufeff${separated(',').replaceAll('\n', '\r\n')}\r\n`,
    tsv: separated('\t'),
    'csv with ;': separated(';'),
    'csv with |': separated('|'),
    psql: ' id | city | degrees \n----+------+---------\n  1 | Oslo |    -3.5\n  2 |      |       7\n  3 | Rome |      18\n  4 | Oslo |       0\n(4 rows)\n',
    mysql:
      '+----+------+---------+\n| id | city | degrees |\n+----+------+---------+\n|  1 | Oslo |    -3.5 |\n|  2 |      |       7 |\n|  3 | Rome |      18 |\n|  4 | Oslo |       0 |\n+----+------+---------+\n4 rows in set (0.00 sec)\n',
    markdown:
      '| id | city | degrees |\n| --- | :-- | --: |\n| 1 | Oslo | -3.5 |\n| 2 |  | 7 |\n| 3 | Rome | 18 |\n| 4 | Oslo | 0 |\n',
    'psql expanded': [
      [1, 'Oslo', -3.5],
      [2, '', 7],
      [3, 'Rome', 18],
      [4, 'Oslo', 0],
    ]
      .map(
        ([id, city, degrees], index) =>
          `-[ RECORD ${index + 1} ]\nid      | ${id}\ncity    | ${city}\ndegrees | ${degrees}\n`,
      )
      .join(''),
    json: JSON.stringify([
      { id: 1, city: 'Oslo', degrees: -3.5 },
      { id: 2, city: null, degrees: 7 },
      { id: 3, city: 'Rome', degrees: 18 },
      { id: 4, city: 'Oslo', degrees: 0 },
    ]),
    ndjson:
      '{"id":1,"city":"Oslo","degrees":-3.5}\n{"id":2,"degrees":7}\n{"id":3,"city":"Rome","degrees":18}\n{"id":4,"city":"Oslo","degrees":0}\n',
  }

  it.each(Object.entries(kinds))('%s', async (_, text) => {
    const answer = await ask(text, { where: 'id in (1, 3)' })
    expect(rowsOf(answer)).toEqual(wanted)
    expect(answer).toContain('[2 rows of 4 where id in (1, 3)]')
    expect(rowsOf(await ask(text, { columns: ['degrees'], where: 'city is null' }))).toEqual(['7'])
    expect(rowsOf(await ask(text, { columns: ['id'], where: 'degrees < 7' }))).toEqual(['1', '4'])
  })

  it.each(Object.entries(kinds))(
    '%s, indented JSON and others, say the same in blocks of any size',
    async (_, text) => {
      const whole = await ask(text)
      for (const blockBytes of [1, 2, 3, 7, 16, 61]) expect(await ask(text, { context: { blockBytes } })).toBe(whole)
    },
  )

  it('aligned columns of a command', async () => {
    const text =
      'NAME          READY   STATUS    RESTARTS   AGE\napi-7d9f      1/1     Running   0          5d\nweb-5c4b      0/1     Failed    12         2d\ndb-0          1/1     Running   1          9d\njobs-x2       0/1     Pending   0          1m\n'
    expect(rowsOf(await ask(text, { columns: ['NAME', 'RESTARTS'], where: 'status != Running' }))).toEqual([
      'web-5c4b,12',
      'jobs-x2,0',
    ])
  })

  it('cells of psql over several lines are whole, and a cell that ends with a plus sign stays one line', async () => {
    const text = [
      ' id |   note    | lang ',
      '----+-----------+------',
      '  1 | one      +| C++',
      '    | two      +| ',
      '    | three     | ',
      '  2 | plain     | C++',
      '  3 | plain     | C',
      '(3 rows)',
      '',
    ].join('\n')
    const answer = await ask(text)
    expect(answer).toContain('[3 rows]')
    expect(answer.split('\n').slice(3, 6)).toEqual(['1:3| 1,"one␤two␤three",C++', '2:6| 2,plain,C++', '3:7| 3,plain,C'])
    expect(rowsOf(await ask(text, { where: 'note contains three', columns: ['id'] }))).toEqual(['1'])
  })

  it('cells of boxes over several lines are whole, whether rules stand between the rows or not', async () => {
    const rule = '├─────┼────────┼───────┤'
    for (const between of [[rule], []]) {
      const rows = [610, 611, 612, 613, 614].flatMap((id) => [
        `│ ${id} │ ${id === 613 ? 'REFUND' : 'fine  '} │ ${id}.5 │`,
        ...(id === 613 ? ['│     │ second │       │'] : []),
        ...between,
      ])
      const box = [
        '┌─────┬────────┬───────┐',
        '│ id  │ note   │ total │',
        rule,
        ...rows,
        '└─────┴────────┴───────┘',
        '',
      ].join('\n')
      const answer = await ask(box, { where: 'id = 613' })
      expect(answer).toContain('[1 row of 5 where id = 613]')
      expect(rowsOf(answer)).toEqual(['613,"REFUND␤second",613.5'])
    }
  })

  it('cells of mysql have their line ends, and what stands behind these', async () => {
    const rows = [1, 2, 3, 4].map((id) => `|  ${id} | ${id === 3 ? 'REFUND\n---\n(3 rows)\n\nlast' : 'fine'}  |`)
    const text = [
      '+----+-------+',
      '| id | note  |',
      '+----+-------+',
      ...rows,
      '+----+-------+',
      '4 rows in set (0.00 sec)',
      '',
    ].join('\n')
    const answer = await ask(text, { where: 'note contains last' })
    expect(answer).toContain('[1 row of 4 where note contains last]')
    expect(rowsOf(answer)).toEqual(['3,"REFUND␤---␤(3 rows)␤␤last"'])
  })

  it('an undeclared small table is read if its first line has names, and a log is not', async () => {
    expect(rowsOf(await ask('name,city\nanna,Oslo\nbert,Rome\n', { where: 'city = Rome' }))).toEqual(['bert,Rome'])
    const log = Array.from({ length: 9 }, (_, index) => `2024-03-05 10:00:0${index},123 INFO all is well`).join('\n')
    expect((await failureOf(ask(log))).code).toBe('not-a-table')
  })

  it('a table without a header has numbered columns', async () => {
    const text = Array.from({ length: 9 }, (_, index) => `${index},2024-01-0${index + 1},${index * 10}`).join('\n')
    expect(
      rowsOf(await ask(text, { columns: ['column 2'], where: 'column 3 >= 70', contentType: 'text/csv' })),
    ).toEqual(['2024-01-08', '2024-01-09'])
  })

  it('JSON lines keep their line numbers, also if later rows have further keys', async () => {
    const text = `[\n${Array.from({ length: 6 }, (_, index) => `  {\n    "id": ${index}${index === 4 ? ',\n    "error": "late"' : ''}\n  }`).join(',\n')}\n]`
    expect(await ask(text, { where: 'error is not null' })).toBe(
      ['[1 row of 6 where error is not null]', '', 'row:line| id,error', '5:14| 4,late'].join('\n'),
    )
    expect((await failureOf(ask(text, { columns: ['errors'] }))).message).toContain('Closest: "error"')
  })

  it('the tables of a text that have the columns count', async () => {
    const first = 'NAME     SIZE\nalpha    10\nbeta     20\ngamma    30\ndelta    40\n'
    const second =
      'USER     LOGINS   CITY\nanna     1        Oslo\nbert     2        Rome\ncarl     3        Bonn\ndora     4        Bern\n'
    const answer = await ask(`${first}\n${second}`, { where: 'logins > 3' })
    expect(rowsOf(answer)).toEqual(['dora,4,Bern'])
    expect(answer).toContain('[4 rows of other tables in this text were left out.]')
    expect((await failureOf(ask(`${first}\n${second}`, { columns: ['nope'] }))).message).toContain(
      'NAME, SIZE, USER, LOGINS, CITY',
    )
  })
})

describe('tables that are hard to read', () => {
  const context = { blockBytes: 524_288 }

  it('a row with other cells than the header is shown and counted', async () => {
    const text = 'a,b,c\n1,2,3\n1,2\n1,2,3,4\n5,6,7\n5,6,7\n'
    const answer = await ask(text, { contentType: 'text/csv' })
    expect(rowsOf(answer)).toEqual(['1,2,3', '1,2,', '1,2,3', '5,6,7', '5,6,7'])
    expect(answer).toContain(
      '[Rows with another number of cells than the header: 2; cells beyond its columns are not shown.]',
    )
  })

  it('an unclosed quote takes in the rest, and the answer says so', async () => {
    const text = `id,note,x\n${'1,fine,2\n'.repeat(9)}2,"open,2\n${'3,lost,2\n'.repeat(20_000)}`
    const answer = await ask(text, { where: 'note contains lost', context })
    expect(answer).toContain('[1 row of 10 where note contains lost]')
    expect(answer).toContain('A quote in the last row, which begins in line 11, never closes')
  })

  it('a cell of 5 MB is shown by its beginning, and the rows behind it are read', async () => {
    const quoted = new Uint8Array(5 * 1_048_576).fill(120)
    quoted.fill(10, 1_000, 2_000)
    const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
    const content = new Uint8Array(
      await new Blob(
        [encode('id,text,end\n1,"'), quoted, encode('",one\n2,b,two\n')].map((part) => part.slice()),
      ).arrayBuffer(),
    )
    const answer = await ask(content, { columns: ['end', 'id'], contentType: 'text/csv', context })
    expect(rowsOf(answer)).toEqual(['one,1', 'two,2'])
    expect(answer).toContain('\n2:1003| two,2')
    const cut = await ask(content, { columns: ['text'], where: 'id = 1', contentType: 'text/csv', context })
    expect(cut).toMatch(/^1:2\| "x{1000}␤/m)
    expect(cut).toMatch(/ \[52\d{5} more characters\]/)
  })

  it('a row of 100,000 columns fills neither memory nor the answer', async () => {
    const row = (cell: string): string => `${Array.from({ length: 100_000 }, () => cell).join(',')}\n`
    const text = `${Array.from({ length: 100_000 }, (_, column) => `c${column}`).join(',')}\n${row('1')}${row('2')}`
    const answer = await ask(text, { contentType: 'text/csv', context })
    expect(answer).toContain('[2 rows]')
    expect(answer).toMatch(/\[Not shown: 1\d,\d{3} more columns/)
    expect(
      rowsOf(await ask(text, { columns: ['c16000'], where: 'c16001 = 2', contentType: 'text/csv', context })),
    ).toEqual(['2'])
    expect(answer).toContain('The table has 100,000 columns, of which the first 16,384 are read.')
    expect(countTokens(answer)).toBeLessThanOrEqual(2_500)
  })

  it('invalid UTF-8 is read with replacement characters', async () => {
    const bytes = new TextEncoder().encode('a,b,c\n1,?,3\n4,5,6\n7,8,9\n1,1,1\n')
    bytes[bytes.indexOf(63)] = 0xff
    expect(rowsOf(await ask(bytes, { where: 'a = 1' }))).toEqual(['1,\ufffd,3', '1,1,1'])
  })
})

describe('large tables', () => {
  const tableOf = (rows: number): string =>
    `id,kind,text\n${Array.from({ length: rows }, (_, index) => `${index},${index % 7},${'x'.repeat(80)}\n`).join('')}`
  // More than the 4 MiB in which rows are counted after the last one that is shown.
  const large = tableOf(50_000)

  it('reading ends early at the limit of rows', async () => {
    const read: number[] = []
    const storage = storageFor(large, 'text/csv')
    const retrieveRange = storage.retrieveRange!
    storage.retrieveRange = async (reference, range, options) => {
      read.push(range.offset)
      return await retrieveRange(reference, range, options)
    }
    const answer = await ask('', { where: 'kind = 3', limit: 2, columns: ['id'], context: { storage } })
    expect(answer).toBe(
      [
        '[Rows 1-2 where kind = 3; what follows row 11 was not read, 1 of 3 columns]',
        '',
        'row:line| id',
        '4:5| 3',
        '11:12| 10',
        '',
        '[Shown: rows 1-2 of more. To continue: retrieve_offloaded_content {"reference":"ref","columns":["id"],"where":"kind = 3","limit":2,"skip":2}]',
      ].join('\n'),
    )
    expect(read.length).toBeLessThan(5)
  })

  it('an answer has as many rows as fit, and pages show each row once', async () => {
    const ids: string[] = []
    const table = tableOf(10_000)
    for (let skip = 0; ;) {
      const answer = await ask(table, {
        where: 'kind = 3',
        columns: ['id', 'text'],
        skip,
        context: { maxTokens: 5_000 },
      })
      expect(countTokens(answer)).toBeLessThanOrEqual(5_000)
      expect(answer).toMatch(/^\[1,429 rows of 10,000 where/)
      ids.push(...rowsOf(answer).map((row) => row.split(',')[0]!))
      const next = /"skip":(\d+)/.exec(answer)?.[1]
      if (next === undefined) break
      expect(Number(next)).toBe(ids.length)
      skip = Number(next)
    }
    expect(ids).toEqual(
      Array.from({ length: 10_000 }, (_, index) => index)
        .filter((id) => id % 7 === 3)
        .map(String),
    )
  })

  it('yields to the event loop, and stops if it is aborted', async () => {
    const abort = new AbortController()
    const answer = ask(large, {
      where: 'kind = 9',
      contentType: 'text/csv',
      context: { signal: abort.signal },
    })
    setImmediate(() => abort.abort())
    await expect(answer).rejects.toMatchObject({ code: 'aborted' })
  })

  it('reports its progress at the deadline', async () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 3))
    try {
      const answer = await ask(large, {
        where: 'kind = 3',
        limit: undefined,
        columns: ['id'],
        context: { deadlineMs: 50 },
      })
      expect(answer).toMatch(/^\[at least [\d,]+ rows of at least [\d,]+ where kind = 3, 1 of 3 columns\]/)
      expect(answer).toMatch(
        /\[Time ran out at row [\d,]+, \d+ % of the content\. To read on by lines: retrieve_offloaded_content \{"reference":"ref","line_range":/,
      )
    } finally {
      clock.mockRestore()
    }
  })
})

describe('laws', () => {
  const cell = fc.oneof(
    fc.stringMatching(/^[a-z ,"\n;|]{0,12}$/),
    fc.integer({ min: -1_000, max: 1_000 }).map(String),
    fc.constantFrom('', 'NULL', '12%', '1,000', '2024-03-05', 'ünïcode 🐟'),
  )
  const table = fc
    .integer({ min: 2, max: 5 })
    .chain((columns) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 20 }),
    )
  const write = (rows: readonly (readonly string[])[], lineEnd: string): string =>
    [rows[0]!.map((_, column) => `name_${'abcde'[column]}`), ...rows]
      .map((row) =>
        row.map((one) => (/[",\r\n]/.test(one) || one === '' ? `"${one.replaceAll('"', '""')}"` : one)).join(','),
      )
      .join(lineEnd)

  test('rows and their cells are those of a reference, wherever blocks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 40 }),
        async (rows, lineEnd, blockBytes) => {
          const text = write(rows, lineEnd)
          const reference = parse(text, { relax_column_count: true }) as string[][]
          expect(reference.slice(1)).toEqual(rows)
          const answer = await ask(text, { contentType: 'text/csv', context: { blockBytes, maxTokens: Infinity } })
          const shown = rowsOf(answer).map((row) => parse(row)[0] as string[])
          expect(shown).toEqual(rows.map((row) => row.map((one) => one.replaceAll('\n', '␤'))))
        },
      ),
    )
  })

  test('a condition finds the rows that a plain reading of it finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom('=', '!=', 'contains', 'starts with', 'ends with'),
        cell,
        async (rows, operator, value) => {
          fc.pre(value.trim() !== '' && !/\d/.test(value))
          const quoted = `"${value.replaceAll('"', '""')}"`
          const wanted = value.trim()
          const fits = (one: string): boolean => {
            const text = one.trim()
            if (operator === '=') return text === wanted
            if (operator === '!=') return text !== wanted
            if (operator === 'contains') return one.toLowerCase().includes(wanted.toLowerCase())
            return operator === 'starts with' ? text.startsWith(wanted) : text.endsWith(wanted)
          }
          const count = rows.filter((row) => fits(row[1]!)).length
          const answer = await ask(write(rows, '\n'), {
            contentType: 'text/csv',
            where: `name_b ${operator} ${quoted}`,
            countOnly: true,
          })
          expect(answer).toMatch(new RegExp(`^\\[${count} rows? of ${rows.length} where `))
        },
      ),
    )
  })

  test('numbers are found by their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer(), { minLength: 1, maxLength: 30 }),
        fc.integer(),
        fc.constantFrom('<', '<=', '>', '>='),
        async (numbers, value, operator) => {
          const text = `id,n\n${numbers.map((number, index) => `${index},${number}`).join('\n')}`
          const fits = {
            '<': (n: number) => n < value,
            '<=': (n: number) => n <= value,
            '>': (n: number) => n > value,
            '>=': (n: number) => n >= value,
          }[operator]
          const answer = await ask(text, { contentType: 'text/csv', where: `n ${operator} ${value}`, columns: ['n'] })
          expect(rowsOf(answer).map(Number)).toEqual(numbers.filter(fits))
        },
      ),
    )
  })

  test('any text and any call are answered within the limit, or fail with a code', async () => {
    const piece = fc.constantFrom(
      'a',
      '1',
      ',',
      '"',
      '\n',
      '\r\n',
      '\t',
      '|',
      '-',
      '+',
      ' ',
      '{',
      '}',
      '[',
      ']',
      ':',
      '\\',
      '{"a":1}',
      ' a | b \n---+---\n',
      '\u0000',
      '😀',
    )
    const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(''))
    const call = fc.record({
      columns: fc.option(fc.array(fc.constantFrom('a', 'b', '1', 'column 1', '')), { nil: undefined }),
      where: fc.option(fc.constantFrom('a = 1', 'column 1 > 0', 'b is null', '"" = x', 'a contains "'), {
        nil: undefined,
      }),
      skip: fc.nat(3),
      limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      countOnly: fc.boolean(),
      contentType: fc.constantFrom('text/csv', 'text/tab-separated-values', 'text/plain', 'application/json'),
      maxTokens: fc.constantFrom(1, 20, 60, 500),
    })
    await fc.assert(
      fc.asyncProperty(text, call, async (content, { maxTokens, ...asked }) => {
        try {
          const answer = await ask(content, { ...asked, context: { maxTokens, blockBytes: 7 } })
          expect(countTokens(answer)).toBeLessThanOrEqual(maxTokens)
          expect(answer.isWellFormed()).toBe(true)
        } catch (error) {
          if (!(error instanceof RetrievalError)) throw error
          expect(['not-a-table', 'not-text', 'unknown-column', 'invalid-input']).toContain(error.code)
        }
      }),
      propertyRuns(150, 4_000),
    )
  })
})
