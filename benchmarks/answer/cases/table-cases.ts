import type { AnswerCase } from '../answer-case.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { cellCase, countCase, linesCase, MIN_CHARACTERS } from './case-parts.ts'

/** A table: what it is as text, and its rows as they were read. */
export interface Table {
  readonly id: string
  readonly group: string
  readonly origin: AnswerCase['origin']
  readonly text: string
  readonly contentType: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Questions about tables: a cell of a row, how many rows have a value, and which columns and how many rows there are. */
export function tableCases(tables: readonly Table[], random: SeededRandom): readonly AnswerCase[] {
  return tables
    .filter(({ text }) => text.length >= MIN_CHARACTERS)
    .flatMap((table) => [...oneCell(table, random), ...countRows(table, random), shape(table)])
}

function draftOf({ id, group, origin, text, contentType }: Table, kind: AnswerCase['kind']) {
  return { id: `${id}#${kind}`, kind, group, origin, results: [{ text, contentType, toolName: 'sql_query' }] }
}

function oneCell(table: Table, random: SeededRandom): readonly AnswerCase[] {
  const lines = table.text.split('\n')
  for (const row of random.shuffle(table.rows).slice(0, 200)) {
    const keys = row.flatMap((cell, column) => (isKey(table.text, cell) ? [{ cell, column }] : []))
    const values = row.flatMap((cell, column) => (isPlain(cell) ? [{ cell, column }] : []))
    const key = keys[0]
    const asked = random.shuffle(values).find(({ column }) => column !== key?.column)
    if (key === undefined || asked === undefined) continue
    const line = lines.findIndex((one) => one.includes(key.cell))
    const keyColumn = table.columns[key.column] ?? ''
    const field = table.columns[asked.column] ?? ''
    const question = `In the row whose ${keyColumn} is ${key.cell}, what is ${field}?`
    const asks = { form: 'cell', keyColumn, key: key.cell, field } as const
    const draft = { ...draftOf(table, 'table-cell'), question, asks, lines: [[[line + 1, line + 1]]] } as const
    return [cellCase(draft, { row: (lines[line] ?? '').trim(), key: key.cell, cell: asked.cell })]
  }
  return []
}

function countRows(table: Table, random: SeededRandom): readonly AnswerCase[] {
  for (const column of random.shuffle([...table.columns.keys()])) {
    const counts = Map.groupBy(table.rows, (row) => row[column] ?? '')
    if (counts.size < 3 || counts.size > 20) continue
    const values = [...counts].filter(([value, rows]) => isPlain(value) && rows.length >= 3)
    if (values.length === 0) continue
    const [value, rows] = random.pick(values)
    const name = table.columns[column] ?? ''
    const question = `In how many rows is ${name} ${value}?`
    const asks = { form: 'rows', column: name, value } as const
    return [countCase({ ...draftOf(table, 'table-aggregate'), question, asks, lines: [[]] }, value, rows.length)]
  }
  return []
}

function shape(table: Table): AnswerCase {
  const { columns, rows, text } = table
  const question = 'Which columns does this table have, and how many rows?'
  const last = text.split('\n').length
  const lines = [
    [
      [1, 1],
      [last - 1, last],
    ],
  ] as const
  // A row count may be said as the lines of the file, with or without the line of the header and the last line end.
  const counts = [rows.length, rows.length + 1, rows.length + 2].map(String)
  const recall = ({ shown }: { readonly shown: string }): number => {
    const plain = shown.replaceAll(/(\d),(?=\d{3})/g, '$1')
    const named = columns.filter((column) => plain.includes(column)).length
    return (named + (counts.some((count) => plain.includes(count)) ? 1 : 0)) / (columns.length + 1)
  }
  return {
    ...linesCase({ ...draftOf(table, 'overview'), question, asks: { form: 'overview' }, lines }, columns),
    recall,
  }
}

const isPlain = (cell: string): boolean => cell !== '' && cell.length <= 80 && !/[",\n\t|]/.test(cell)
const isKey = (text: string, cell: string): boolean =>
  isPlain(cell) && cell.length >= 5 && text.indexOf(cell) === text.lastIndexOf(cell)
