import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignedFormat } from './aligned-format.ts'
import { AlignedReader } from './aligned-reader.ts'

interface Row {
  readonly line: number
  readonly lines: number
  readonly cells: readonly string[]
}

function read(text: string, pieceLength = text.length): Row[] | undefined {
  const format = alignedFormat({ contentType: 'text/plain', start: text, isWhole: true, intent: { paths: [] } })
  const rows: Row[] = []
  const reader = new AlignedReader(format!, (columns) => ({
    columns: columns.columns,
    get rows() {
      return rows.length
    },
    unfit: 0,
    add: ({ codes, text: block }, start, end, line, lines) => {
      const bounds = new Int32Array(2 * columns.columns)
      const cells = columns.find(codes, start, end, bounds)
      const cell = (_: unknown, at: number): string => block.slice(bounds[2 * at], bounds[2 * at + 1])
      rows.push({ line, lines, cells: Array.from({ length: cells }, cell) })
    },
    endBlock: () => {},
    note: () => {},
  }))
  for (let at = 0; at < text.length; at += pieceLength) reader.push(text.slice(at, at + pieceLength))
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

/** Draw a table like mysql: line ends in cells are unchanged. */
function drawRaw(rows: Table): string {
  const all = [HEADER, ...rows]
  const widths = HEADER.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`
  const [header, ...body] = all.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  )
  return [rule, header, rule, ...body, rule, `${rows.length} rows in set (0.00 sec)`, ''].join('\n')
}

const word = fc.constantFrom('fine', 'C++', 'REFUND', "don't ship", '(3 rows)', '---', 'größe', '7 days')
const cell = fc.array(word, { minLength: 1, maxLength: 3 })

const tables = fc
  .array(fc.tuple(cell, cell), { minLength: 4, maxLength: 20 })
  .map((rows) => rows.map(([note, lang], index) => [String(index + 1), note.join('\n'), lang.join('\n')]))

const STYLES: readonly (readonly [string, (rows: Table) => string])[] = [
  ['sqlite3 and cli-table3, with a rule between rows', (rows) => draw(rows, UNICODE, true)],
  ['grids in ASCII, with a rule between rows', (rows) => draw(rows, ASCII, true)],
  ['rich, with no rule between rows', (rows) => draw(rows, UNICODE, false)],
  ['PrettyTable, with no rule between rows', (rows) => draw(rows, ASCII, false)],
  ['psql, with a sign for more', (rows) => draw(rows, ASCII, false, '+')],
  ['psql with lines of Unicode', (rows) => draw(rows, UNICODE, false, '↵')],
  ['mysql, with the line ends as they are', drawRaw],
]

describe('rows between bars', () => {
  it.each(STYLES)('have whole cells: %s', (_, drawn) => {
    fc.assert(
      fc.property(tables, fc.integer({ min: 1, max: 200 }), (rows, pieceLength) => {
        const text = drawn(rows)
        const found = read(text)
        expect(found?.map(({ cells }) => cells)).toEqual(rows)
        expect(read(text, pieceLength)).toEqual(found)
        const lines = text.split('\n')
        for (const row of found!) expect(lines[row.line - 1]).toMatch(new RegExp(`^.? ?${row.cells[0]} `))
      }),
      propertyRuns(60, 1_500),
    )
  })

  it('are plain lines after a Markdown table', () => {
    const text = '| fruit | kind |\n| --- | --- |\n| apple | red |\n|  | green |\n| pear | green |\n|  | brown |\n'
    expect(read(text)).toHaveLength(4)
  })

  it('are the rows with a number, even if their first cell is empty', () => {
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
      'no column tells rows from further lines',
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
      'a client says that there are fewer',
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
      'lines without bars have an empty first cell',
      'ID   NOTE     LANG\n1    REFUND   C\n     second\n2    fine     C\n3    fine     C\n4    fine     C\n',
    ],
  ])('are not recognized in %s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })

  it('are read in linear time with any number of lines in a cell', () => {
    const long = Array.from({ length: 40_000 }, (_, line) => `line ${line}`).join('\n')
    for (const text of [
      draw(
        [
          ['1', long, 'x'],
          ['2', 'y', 'x'],
          ['3', 'y', 'x'],
        ],
        ASCII,
        false,
        '+',
      ),
      draw(
        [
          ['1', long, 'x'],
          ['2', 'y', 'x'],
          ['3', 'y', 'x'],
        ],
        UNICODE,
        false,
      ),
    ])
      expect(read(text)?.map(({ lines }) => lines)).toEqual([40_000, 1, 1])
  })

  it('have column names of several lines', () => {
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
