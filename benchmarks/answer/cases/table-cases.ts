import type { AnswerCase } from '../answer-case.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { cellCase, countCase, drawByGroup, linesCase, MIN_CHARACTERS } from './case-parts.ts'

/** A table as text, with its parsed rows. */
export interface Table {
  readonly id: string
  readonly group: string
  readonly origin: AnswerCase['origin']
  readonly text: string
  readonly contentType: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The command with this output, if the table is an output. */
  readonly command?: string
}

const PER_TABLE = 3
const PER_GROUP = 4
const MOST = 60

/** Questions about tables: cells of rows, the number of rows with a value, and the columns with the number of rows. */
export function tableCases(tables: readonly Table[], random: SeededRandom): readonly AnswerCase[] {
  const large = tables.filter(({ text }) => text.length >= MIN_CHARACTERS)
  return [cells, rowCounts, shape].flatMap((ask) =>
    drawByGroup(
      large.flatMap((table) => ask(table, random.of(table.id))),
      { random, perGroup: PER_GROUP, most: MOST },
    ),
  )
}

/** Questions about columns in the output of a command: a field of a line. */
export function columnCases(outputs: readonly Table[], random: SeededRandom): readonly AnswerCase[] {
  const large = outputs.filter(({ text }) => text.length >= MIN_CHARACTERS)
  return drawByGroup(
    large.flatMap((output) => cells(output, random.of(output.id))),
    { random, perGroup: PER_GROUP, most: MOST },
  )
}

function draftOf({ id, group, origin, text, contentType, command }: Table, kind: AnswerCase['kind'], number = 0) {
  const tool = command === undefined ? { toolName: 'sql_query' } : { toolName: 'bash', toolInput: { command } }
  const results = [{ text, contentType, ...tool }]
  return { id: `${id}#${kind}${number === 0 ? '' : number + 1}`, kind, group, origin, results }
}

function cells(table: Table, random: SeededRandom): readonly AnswerCase[] {
  const kind = table.command === undefined ? 'table-cell' : 'command-cell'
  // A field of one character in an output usually occurs more than once in its line.
  const shortest = table.command === undefined ? 1 : 2
  const lines = table.text.split('\n')
  const cases: AnswerCase[] = []
  for (const row of random.shuffle(table.rows).slice(0, 200)) {
    if (cases.length === PER_TABLE) break
    const keys = row.flatMap((cell, column) => (isKey(table.text, cell) ? [{ cell, column }] : []))
    const values = row.flatMap((cell, column) => (isPlain(cell) && cell.length >= shortest ? [{ cell, column }] : []))
    const key = keys[0]
    const asked = random.shuffle(values).find(({ column }) => column !== key?.column)
    if (key === undefined || asked === undefined) continue
    const line = lines.findIndex((one) => one.includes(key.cell))
    const keyColumn = table.columns[key.column] ?? ''
    const field = table.columns[asked.column] ?? ''
    const question = `In the row whose ${keyColumn} is ${key.cell}, what is ${field}?`
    const asks = { form: 'cell', keyColumn, key: key.cell, field } as const
    const draft = { ...draftOf(table, kind, cases.length), question, asks } as const
    const place = { row: (lines[line] ?? '').trim(), key: key.cell, cell: asked.cell }
    cases.push(cellCase({ ...draft, lines: [[[line + 1, line + 1]]] }, place))
  }
  return cases
}

/** Questions about the number of rows with a value, in columns with few values. At least three rows have the value. */
function rowCounts(table: Table, random: SeededRandom): readonly AnswerCase[] {
  const values = table.columns.flatMap((name, column) => {
    const rowsOf = Map.groupBy(table.rows, (row) => row[column] ?? '')
    if (rowsOf.size < 2 || rowsOf.size > 20) return []
    return [...rowsOf].flatMap(([value, rows]) =>
      isPlain(value) && rows.length >= 3 ? [{ name, value, count: rows.length }] : [],
    )
  })
  const drawn = random.shuffle(values).slice(0, PER_TABLE)
  return drawn.map(({ name, value, count }, index) => {
    const question = `In how many rows is ${name} ${value}?`
    const asks = { form: 'rows', column: name, value } as const
    return countCase({ ...draftOf(table, 'table-aggregate', index), question, asks, lines: [[]] }, value, count)
  })
}

function shape(table: Table): readonly AnswerCase[] {
  const { columns, rows, text } = table
  const question = 'Which columns does this table have, and how many rows?'
  const last = text.split('\n').length
  const lines = [
    [
      [1, 1],
      [last - 1, last],
    ],
  ] as const
  // A system may count the header or the last line end as a row.
  const counts = [rows.length, rows.length + 1, rows.length + 2].map(String)
  const recall = ({ shown }: { readonly shown: string }): number => {
    const plain = shown.replaceAll(/(\d),(?=\d{3})/g, '$1')
    const named = columns.filter((column) => plain.includes(column)).length
    return (named + (counts.some((count) => plain.includes(count)) ? 1 : 0)) / (columns.length + 1)
  }
  const draft = { ...draftOf(table, 'overview'), question, asks: { form: 'overview' }, lines } as const
  return [{ ...linesCase(draft, columns), recall }]
}

/** Parse CSV or TSV (RFC 4180). */
export function readRows(text: string, separator: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]]
  const cell = separator === ',' ? /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/y : /("(?:[^"]|"")*"|[^\t\r\n]*)(\t|\r?\n|$)/y
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (match === null) break
    const [, value = '', end = ''] = match
    rows.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end !== separator) rows.push([])
  }
  return rows.filter(({ length }) => length > 1)
}

const isPlain = (cell: string): boolean => cell !== '' && cell.length <= 80 && !/[",\n\t|]/.test(cell)
const isKey = (text: string, cell: string): boolean =>
  isPlain(cell) && cell.length >= 5 && text.indexOf(cell) === text.lastIndexOf(cell)
