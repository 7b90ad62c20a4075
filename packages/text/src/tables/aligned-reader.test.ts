import { describe, expect, it } from 'vitest'
import { alignedFormat } from './aligned-format.ts'
import { AlignedReader } from './aligned-reader.ts'

interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

function read(text: string): Row[] | undefined {
  const format = alignedFormat({ contentType: 'text/plain', start: text, isWhole: true, intent: { paths: [] } })
  if (format === undefined) return undefined
  const rows: Row[] = []
  const reader = new AlignedReader(format, (columns) => ({
    columns: columns.columns,
    get rows() {
      return rows.length
    },
    unfit: 0,
    add: ({ codes, text: block }, start, end, line) => {
      const bounds = new Int32Array(2 * columns.columns)
      const cells = columns.find(codes, start, end, bounds)
      const cell = (_: unknown, at: number): string => block.slice(bounds[2 * at], bounds[2 * at + 1])
      rows.push({ line, cells: Array.from({ length: cells }, cell) })
    },
    endBlock: () => {},
    note: () => {},
  }))
  reader.push(text)
  return reader.finish() === undefined ? undefined : rows
}

type Table = readonly (readonly string[])[]
const HEADER = ['id', 'note', 'lang']
const UNICODE = { bar: '│', line: '─', top: '┌┬┐', middle: '├┼┤', bottom: '└┴┘' }
const ASCII = { bar: '|', line: '-', top: '+++', middle: '+++', bottom: '+++' }

function draw(rows: Table, { bar, line, ...rules }: typeof ASCII, isRuled: boolean, sign = ' '): string {
  const split = [HEADER, ...rows].map((row) => row.map((cell) => cell.split('\n')))
  const widths = HEADER.map((_, column) =>
    Math.max(...split.flatMap((row) => row[column]!.map(({ length }) => length))),
  )
  const rule = ([left, inner, right]: string): string =>
    `${left}${widths.map((width) => line.repeat(width + 2)).join(inner)}${right}`
  const drawn = split.map((row) =>
    Array.from({ length: Math.max(...row.map(({ length }) => length)) }, (_, at) => {
      const cells = row.map((lines, column) => {
        const padded = (lines[at] ?? '').padEnd(widths[column]!)
        return ` ${padded}${at < lines.length - 1 ? sign : ' '}`
      })
      return `${bar}${cells.join(bar)}${bar}`
    }).join('\n'),
  )
  const [header, ...body] = drawn
  const between = isRuled ? `\n${rule(rules.middle)}\n` : '\n'
  return [rule(rules.top), header, rule(rules.middle), body.join(between), rule(rules.bottom), ''].join('\n')
}

const PLAIN = Array.from({ length: 9 }, (_, index) => [String(index + 1), `note ${index}`, 'C++'])
const LONG = PLAIN.map(([id, note, lang], index) => [id!, index % 3 === 0 ? `${note}\nmore` : note!, lang!])
const NAMED = LONG.map((row) => ['a name', ...row.slice(1)])

const STYLES: readonly (readonly [string, (rows: Table) => string])[] = [
  ['sqlite3 and cli-table3, with a rule between rows', (rows) => draw(rows, UNICODE, true)],
  ['grids in ASCII, with a rule between rows', (rows) => draw(rows, ASCII, true)],
  ['rich, with no rule between rows', (rows) => draw(rows, UNICODE, false)],
  ['PrettyTable, with no rule between rows', (rows) => draw(rows, ASCII, false)],
  ['psql, with a sign for continued cells', (rows) => draw(rows, ASCII, false, '+')],
]

describe('rows between bars', () => {
  it.each(STYLES)('are single lines if no cell has several lines: %s', (_, drawn) => {
    expect(read(drawn(PLAIN))?.map(({ cells }) => cells)).toEqual(PLAIN)
    expect(read(drawn(LONG))).toBeUndefined()
    expect(read(drawn(NAMED))).toBeUndefined()
  })

  it('are not recognized if a cell contains line ends', () => {
    const text = draw(PLAIN, ASCII, false).replace('note 4', 'two\nlines')
    expect(read(text)).toBeUndefined()
  })

  it('are plain lines after a Markdown table', () => {
    const text = '| fruit | kind |\n| --- | --- |\n| apple | red |\n|  | green |\n| pear | green |\n|  | brown |\n'
    expect(read(text)).toHaveLength(4)
  })

  it('are found by their numbers, even if the first cell is empty', () => {
    const rows = Array.from({ length: 9 }, (_, index) => [index % 3 === 0 ? '' : `name ${index}`, String(index), 'x'])
    expect(read(draw(rows, UNICODE, false))?.map(({ cells }) => cells)).toEqual(rows)
  })

  it('are not split into separate tables by horizontal rules', () => {
    const [top, names, rule, ...rest] = draw(
      Array.from({ length: 9 }, (_, index) => [String(index), 'a', 'b']),
      UNICODE,
      false,
    ).split('\n')
    expect(read([top, names, rule, ...rest.slice(0, 4), rule, ...rest.slice(4)].join('\n'))).toHaveLength(9)
  })

  it.each([
    [
      'no column distinguishes new rows from continued rows',
      draw(
        [
          ['a', 'x\ny', 'z'],
          ['b', 'x', 'z'],
          ['c', 'x', 'z'],
          ['d', 'x', 'z'],
        ],
        UNICODE,
        false,
      ),
    ],
    [
      'a footer states fewer rows',
      `${draw(
        [
          ['1', 'x', 'y'],
          ['2', 'x', 'y'],
          ['3', 'x', 'y'],
          ['4', 'x', 'y'],
        ],
        ASCII,
        false,
      )}3 rows in set\n`,
    ],
    [
      'a line in a table without bars has an empty first cell',
      'ID   NOTE     LANG\n1    REFUND   C\n     second\n2    fine     C\n3    fine     C\n4    fine     C\n',
    ],
  ])('are not recognized if %s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })

  it('may have column names of several lines', () => {
    const lines = draw(
      Array.from({ length: 5 }, (_, index) => [String(index), 'a', 'b']),
      UNICODE,
      false,
    ).split('\n')
    const text = [...lines.slice(0, 2), '│    │ more │      │', ...lines.slice(2)].join('\n')
    const format = alignedFormat({ contentType: 'text/plain', start: text, isWhole: true, intent: { paths: [] } })
    expect(format?.columns.names).toEqual(['id', 'note more', 'lang'])
    expect(read(text)).toHaveLength(5)
  })
})

describe('aligned rows', () => {
  it('begin after a header in capitals even if rows of words and names could be headers too', () => {
    const header = 'LAST SEEN   TYPE      REASON      OBJECT        MESSAGE'
    const rows = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 1
        ? '9m          Normal    Pulled      pod/web-a1    Image "web:2" is present'
        : `${(index % 9) + 1}m          Normal    Scheduled   pod/web-b2    Assigned to node-${index}`,
    )
    const found = read([header, ...rows, ''].join('\n'))
    expect(found).toHaveLength(12)
    expect(found![0]).toEqual({ line: 2, cells: ['1m', 'Normal', 'Scheduled', 'pod/web-b2', 'Assigned to node-0'] })
  })

  it('do not include the title and the header that a report repeats on each page', () => {
    const page = (number: number): string[] => [
      `RUN DATE 11/28/26      AGED RECEIVABLES      OF ALL      PAGE ${String(number).padStart(3)}`,
      '',
      'ACCT   CUSTOMER        1-30      31-60',
      '-----  -----------  --------  --------',
      ...Array.from({ length: 8 }, (_, row) => `${number}000${row}  COLD STORE       ${row}00.00      ${row}9.50`),
      '\f',
    ]
    const found = read(
      Array.from({ length: 12 }, (_, index) => page(index + 1))
        .flat()
        .join('\n'),
    )
    expect(found).toHaveLength(12 * 8)
  })

  it('begin after the header even if a title above it could be a header too', () => {
    const rows = Array.from({ length: 9 }, (_, index) => `tcp        0      ${index}   127.0.0.1:80        LISTEN`)
    const title = 'Active Internet connections (w/o servers)'
    const header = 'Proto Recv-Q Send-Q Local Address       State'
    const found = read([title, header, ...rows, ''].join('\n'))
    expect(found).toHaveLength(9)
    expect(found?.[0]).toMatchObject({ line: 3, cells: ['tcp', '0', '0', '127.0.0.1:80', 'LISTEN'] })
  })

  it.each([': ', '=', ' = '])('are pairs of a name and a value, divided by "%s"', (separator) => {
    const pairs = Array.from({ length: 9 }, (_, index) => `net.option${index}${separator}a${index}:b=c\n`)
    const cells = read(pairs.join(''))?.map((row) => row.cells.map((cell) => cell.trim()))
    expect(cells?.[2]).toEqual([`net.option2${separator}`.trim(), 'a2:b=c'])
  })
})

it('a line with words between signs is the title of a further table, and no row', () => {
  const rows = Array.from({ length: 9 }, (_, index) => `web-${index}   Running   ${index}`)
  const part = (title: string): string => [`=== ${title} ===`, 'NAME    STATUS    AGE', ...rows, '', ''].join('\n')
  const found = read(['eu-1', 'us-2'].map(part).join(''))
  expect(found?.map(({ line }) => line)).toEqual(
    [...rows.keys()].flatMap((at) => [at + 3, at + 15]).toSorted((a, b) => a - b),
  )
})

it('a table of AsciiDoc is not a table with bars', () => {
  const rows = Array.from({ length: 9 }, (_, index) => `|${index} |ada |x`)
  expect(read(['[options="header"]', '|====', '^l|id ^l|name ^l|note', ...rows, '|===='].join('\n'))).toBeUndefined()
})
