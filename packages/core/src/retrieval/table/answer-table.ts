import { cutAtGrapheme, formatCount } from '@spillway/text/internal'
import { jsonLayout } from '@spillway/text/internal/json'
import { readTable, type RowReader } from '@spillway/text/internal/tables'
import type { ContentSource } from '../../content/content-source.ts'
import { SearchClock } from '../../search/search-lines.ts'
import { assertText, withContent } from '../open-content.ts'
import { RetrievalError, type RetrievalCall, type RetrievalContext } from '../retrieval-tool.ts'
import { abridge, cutToFit, fitCount, fits, oneLine, quote, unitsFor, type AnswerLimit } from '../show-hits.ts'
import { listNames, TableSelection, type SelectedCell, type SelectedRow, type TableRequest } from './table-selection.ts'

/** Bytes of the beginning by which a table is recognized. */
const START_BYTES = 65_536
/** Bytes that are read between two looks at the clock. */
const SLICE_BYTES = 32_768
/** Content up to this size is read to its end even where the limit is reached before, to say how many rows there are. */
const COUNTED_BYTES = 4 * 1_048_576
/** UTF-16 units of a condition and of a list of columns that are shown in a header. */
const LONGEST_WHERE = 100
const LONGEST_LIST = 400

/** How the reading of a table ended. */
interface TableReading {
  readonly notes: readonly string[]
  /** How far the deadline let it come, from 0 to 1; absent where it was not stopped. */
  readonly stoppedAt?: number
}

/**
 * Answer a call for rows of a table: CSV and the like, aligned columns, Markdown, JSON objects in an array or on lines.
 *
 * Reads the content once, in memory that does not grow with it. Rows keep their numbers, 1-based without the header, and
 * the line on which they begin. Rejects with a `RetrievalError`: `not-a-table`, `unknown-column`, `invalid-input` where
 * the condition cannot be read, `not-text`.
 */
export async function answerTable(request: TableRequest, context: RetrievalContext): Promise<string> {
  return await withContent(context.storage, request.reference, context, async (source) => {
    assertText(source)
    const keep = request.countOnly ? 0 : unitsFor(context)
    const selection = new TableSelection(request, { keep, endsEarly: source.size > COUNTED_BYTES })
    const reading = await read(source, selection, context)
    if (reading.stoppedAt === undefined && !selection.isDone) selection.assertColumns()
    return write(request, selection, reading, context)
  })
}

async function read(
  source: ContentSource,
  selection: TableSelection,
  context: RetrievalContext,
): Promise<TableReading> {
  const start = await source.read(0, START_BYTES)
  const text = new TextDecoder().decode(start)
  const isWhole = source.size <= start.length
  const layout = await jsonLayout(source)
  const json = { ...layout, start: new TextDecoder().decode(start.subarray(0, layout.start)).length }
  const reader = readTable({ start: text, isWhole, contentType: source.contentType }, json, selection)
  if (reader === undefined) throw noTable(source, text.slice(json.start))
  const stoppedAt = await pushAll(source, reader, selection, context)
  if (stoppedAt !== undefined || selection.isDone)
    return { notes: [], ...(stoppedAt === undefined ? {} : { stoppedAt }) }
  const notes = reader.finish()
  if (notes === undefined) throw noTable(source, text.slice(json.start))
  return { notes }
}

/** Read until the end, or until nothing more is needed. Returns how far it came where the time was spent before. */
async function pushAll(
  source: ContentSource,
  reader: RowReader,
  selection: TableSelection,
  { deadlineMs, signal }: RetrievalContext,
): Promise<number | undefined> {
  const decoder = new TextDecoder()
  const clock = new SearchClock(deadlineMs, signal)
  let bytes = 0
  for await (const block of source.blocks()) {
    clock.start(block.length)
    for (let at = 0; at < block.length; at += SLICE_BYTES) {
      const slice = block.subarray(at, at + SLICE_BYTES)
      bytes += slice.length
      reader.push(decoder.decode(slice, { stream: true }))
      if (selection.isDone) return undefined
      if (clock.isSpent && bytes < source.size) return bytes / source.size
      if (clock.needsPause) await clock.pause()
    }
    clock.stop()
  }
  reader.push(decoder.decode())
  return undefined
}

function noTable({ reference, contentType }: ContentSource, start: string): RetrievalError {
  const rows =
    'rows are those of CSV, TSV and the like, of aligned columns and Markdown tables, and JSON objects in an array or on ' +
    'lines'
  const message = `This content (${abridge(contentType, 80)}) is no table: ${rows}.`
  const [, list] = /"([^"\\]{1,100})"\s*:\s*\[\s*\{/.exec(start) ?? []
  if (/^\s*\{/.test(start) && list !== undefined) {
    const call = { reference, json_path: `$..[${JSON.stringify(list)}][*]` }
    return new RetrievalError('not-a-table', `${message} To see the objects in ${quote(list)}:`, { call })
  }
  const call = { reference, line_range: { start: 1, end: 20 } }
  return new RetrievalError('not-a-table', `${message} To see how it begins:`, { call })
}

function write(
  request: TableRequest,
  selection: TableSelection,
  reading: TableReading,
  context: RetrievalContext,
): string {
  const { reference, columns, where, skip, limit, countOnly } = request
  const { kept, matched, names, shownNames } = selection
  const call: RetrievalCall = { reference, columns, where, limit, skip: skip || undefined }
  const notes = [...describeOthers(selection), ...reading.notes].map((note) => `[${note}]`)
  const stop = describeStop(reading, selection)
  if (stop !== undefined)
    notes.push(`[${stop} To read on by lines: ${context.formatCall(linesAfter(request, selection))}]`)
  const isCounted = stop === undefined && !selection.isDone
  const counts = describeCounts(request, selection, stop !== undefined)
  if (countOnly || kept.length === 0) {
    const all = `columns: ${listNames(names, LONGEST_LIST)}`
    const help: string[] = []
    if (matched === 0) {
      const values = selection.describeValues()
      if (values !== undefined) help.push(`[${values}]`)
    } else if (!countOnly)
      help.push(`[skip passes over all of them. To see the first: ${context.formatCall({ ...call, skip: undefined })}]`)
    return cutToFit([`[${counts}, ${all}]`, ...help, ...notes].join('\n'), context)
  }
  const part =
    shownNames.length === names.length ? '' : `, ${shownNames.length} of ${formatCount(names.length)} columns`
  const frame = {
    header: `[${isCounted || stop !== undefined ? counts : describeSpan(request, selection)}${part}]`,
    notes,
    more: (shown: number): string | undefined => {
      const end = skip + shown
      if (isCounted && end >= matched) return undefined
      if (stop !== undefined && shown >= kept.length && end >= matched) return undefined
      const next = context.formatCall({ ...call, skip: end })
      const of = isCounted ? formatCount(matched) : 'more'
      return `[Shown: ${shown === 1 ? 'row' : 'rows'} ${describeNumbers(skip, shown)} of ${of}. To continue: ${next}]`
    },
  }
  return writeTable(shownNames, kept, frame, context)
}

/** Write `37 rows of 120,481 where status >= 500`. */
function describeCounts({ where }: TableRequest, { matched, rows }: TableSelection, isStopped: boolean): string {
  const least = isStopped ? 'at least ' : ''
  if (where === undefined) return `${least}${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`
  const count = `${least}${formatCount(matched)} ${matched === 1 ? 'row' : 'rows'}`
  return `${count} of ${least}${formatCount(rows)} where ${abridge(where, LONGEST_WHERE)}`
}

/** Say which rows these are where not all were counted. */
function describeSpan({ skip, where }: TableRequest, { kept, last }: TableSelection): string {
  const which = kept.length === 1 && skip === 0 ? 'The first row' : `Rows ${describeNumbers(skip, kept.length)}`
  const condition = where === undefined ? '' : ` where ${abridge(where, LONGEST_WHERE)}`
  return `${which}${condition}; what follows row ${formatCount(last.number)} was not read`
}

function describeNumbers(skip: number, count: number): string {
  return count === 1 ? formatCount(skip + 1) : `${formatCount(skip + 1)}-${formatCount(skip + count)}`
}

function describeOthers({ otherRows }: TableSelection): string[] {
  return otherRows === 0 ? [] : [`${formatCount(otherRows)} rows of other tables in this text were left out.`]
}

function describeStop({ stoppedAt }: TableReading, { last }: TableSelection): string | undefined {
  if (stoppedAt === undefined) return undefined
  return `Time ran out at row ${formatCount(last.number)}, ${Math.floor(stoppedAt * 100)} % of the content.`
}

function linesAfter({ reference }: TableRequest, { last }: TableSelection): RetrievalCall {
  return { reference, line_range: { start: last.line + 1, end: last.line + 100 } }
}

/** UTF-16 units shown of a cell where not all rows fit whole, and where not even one does. */
const LONG_CELL = 300
const CUT_CELL_LENGTHS = [100, 40]
/** UTF-16 units that a column takes at least, with its name and the commas. */
const LEAST_COLUMN_UNITS = 4

/** What is said where all rows are there, though not the whole of each. */
const CUT_NOTE = '[Long cells are cut: fewer columns or rows show more of them.]'

/** What the answer says around rows. */
interface TableFrame {
  readonly header: string
  /** Sentences about the table that stand below its rows. */
  readonly notes: readonly string[]
  /** Say how to go on after so many rows; `undefined` where they are all. */
  readonly more: (shown: number) => string | undefined
}

/** Write rows behind their numbers and lines, as many of them as fit, and how to see the rest. */
function writeTable(
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
