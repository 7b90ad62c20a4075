import { formatCount, cutAtGrapheme } from '@spillway/text/internal'
import { cutToFit, fitCount, fits, oneLine, unitsFor, type AnswerLimit } from '../show-hits.ts'
import type { SelectedCell, SelectedRow } from './table-selection.ts'

/** UTF-16 units shown of a cell where not all rows fit whole, and where not even one does. */
const LONG_CELL = 300
const CUT_CELL_LENGTHS = [100, 40]
/** UTF-16 units that a column takes at least, with its name and the commas. */
const LEAST_COLUMN_UNITS = 4

/** What is said where all rows are there, though not the whole of each. */
const CUT_NOTE = '[Long cells are cut: fewer columns or rows show more of them.]'

/** What the answer says around rows. */
export interface TableFrame {
  readonly header: string
  /** Sentences about the table that stand below its rows. */
  readonly notes: readonly string[]
  /** Say how to go on after so many rows; `undefined` where they are all. */
  readonly more: (shown: number) => string | undefined
}

/** Write rows behind their numbers and lines, as many of them as fit, and how to see the rest. */
export function writeTable(
  names: readonly string[],
  rows: readonly SelectedRow[],
  frame: TableFrame,
  limit: AnswerLimit,
): string {
  const write = (count: number, length: number, columns: number): string => {
    const shown = rows.slice(0, count)
    const body = [frame.header, '', writeNames(names, columns), ...shown.map((row) => writeRow(row, length, columns))]
    const isCut = shown.some(({ cells }) => cells.slice(0, columns).some((cell) => cell.length > length))
    const left =
      columns < names.length
        ? [`[Not shown: ${formatCount(names.length - columns)} more columns. Name those to see.]`]
        : []
    const more = frame.more(count) ?? (isCut ? CUT_NOTE : undefined)
    const rest = [...left, ...frame.notes, ...(more === undefined ? [] : [more])]
    return (rest.length === 0 ? body : [...body, '', ...rest]).join('\n')
  }
  // Each column takes some letters: more than so many cannot fit.
  const most = Math.min(names.length, Math.ceil(unitsFor(limit) / LEAST_COLUMN_UNITS))
  if (most < names.length) return writeColumns(most)
  const longest = rows.reduce((most, { cells }) => cells.reduce((one, { length }) => Math.max(one, length), most), 1)
  const whole = write(rows.length, longest, names.length)
  if (fits(whole, limit)) return whole
  if (rows.length === 1) {
    // The cells of a row of its own may take all the room that there is.
    const best = fitCount((length) => write(1, length, names.length), 1, longest, limit)
    if (best !== undefined) return best.text
  }
  // Many rows with cut cells tell more than a few whole ones: only cells that are long are cut for more rows.
  for (const length of [Math.min(longest, LONG_CELL), ...CUT_CELL_LENGTHS]) {
    const best = fitCount((count) => write(count, length, names.length), 1, rows.length, limit)
    if (best !== undefined) return best.text
  }
  return writeColumns(names.length)

  /** Write one row, with as many of its columns as fit. */
  function writeColumns(columns: number): string {
    const narrow = fitCount((count) => write(1, CUT_CELL_LENGTHS.at(-1)!, count), 1, columns, limit)
    return narrow?.text ?? cutToFit(frame.header, limit)
  }
}

function writeNames(names: readonly string[], columns: number): string {
  return `row:line| ${names.slice(0, columns).map(quoted).join(',')}`
}

function writeRow({ number, line, cells }: SelectedRow, length: number, columns: number): string {
  // A row that ends early has nothing in the cells that it lacks.
  const written = Array.from({ length: columns }, (_, column) => writeCell(cells[column], length))
  return `${number}:${line}| ${written.join(',')}`
}

function writeCell(cell: SelectedCell | undefined, maxLength: number): string {
  if (cell?.text === undefined) return ''
  if (cell.length <= maxLength && cell.text.length === cell.length) return quoted(cell.text)
  const head = cutAtGrapheme(cell.text, maxLength)
  return `${quoted(`${head}…`)} [${cell.length - head.length} more characters]`
}

/** Write a cell as CSV does, on one line. */
function quoted(text: string): string {
  const line = oneLine(text)
  return /[",\n\r\v\f\u0085\u2028\u2029]/.test(text) || text !== text.trim() ? `"${line.replaceAll('"', '""')}"` : line
}
