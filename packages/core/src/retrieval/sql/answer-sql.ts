import { cutAtGrapheme, formatCount, IsolationError } from '@spillway/text/internal'
import { sqlEngine, type SqlColumn, type SqlResult, type SqlTable } from '@spillway/text/internal/engines'
import { checkAborted } from '../../storage/storage-error.ts'
import { closestNames } from '../closest-names.ts'
import { assertText, withContent } from '../open-content.ts'
import { RetrievalError, type RetrievalCall, type RetrievalContext } from '../retrieval-tool.ts'
import { cutToFit, fitCount, oneLine, quote, unitsFor } from '../show-hits.ts'
import { loadTable, type LoadedTable } from './load-table.ts'

/** A checked call for what a statement returns. */
export interface SqlRequest {
  readonly mode: 'sql'
  /** One table `t`, or several: `t1`, `t2` and so on. */
  readonly references: readonly string[]
  readonly reference: string
  readonly sql: string
  /** Selects the rows in JSON. */
  readonly path: string | undefined
  /** Rows of the result to pass over. */
  readonly after: number
}

/** UTF-16 units of the columns that an error lists, and of one cell where not even one row fits whole. */
const MAX_LIST_UNITS = 1_500
const CUT_CELL_LENGTHS = [4_000, 400, 100, 40]

/** UTF-16 units of a column's name in a result. */
const MAX_NAME_UNITS = 200

type Rows = Exclude<SqlResult, { readonly error: string }>

/**
 * Answer what one SQL statement returns over stored tables.
 *
 * Throws `not-a-table`, `unknown-column`, `invalid-sql`, `sql-timeout`, `too-large`, `not-text`.
 */
export async function answerSql(request: SqlRequest, context: RetrievalContext): Promise<string> {
  const loaded: LoadedTable[] = []
  for (const reference of request.references) loaded.push(await loadStored(reference, request, context))
  const tables = loaded.map(({ table }) => table)
  const statement = { sql: request.sql, skip: request.after, maxUnits: unitsFor(context) }
  const result = await orExplained(tables, context, () =>
    sqlEngine()!.query(tables, statement, context.deadlineMs, context.signal),
  )
  if ('error' in result) throw explainError(result.error, tables, request)
  return writeRows(result, loaded, request, context)
}

async function loadStored(reference: string, { path }: SqlRequest, context: RetrievalContext): Promise<LoadedTable> {
  return await withContent(context.storage, reference, context, async (source) => {
    assertText(source)
    return await orExplained([], context, () => loadTable(source, path, context))
  })
}

async function orExplained<Result>(
  tables: readonly SqlTable[],
  { signal }: RetrievalContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    checkAborted(signal)
    if (!(error instanceof IsolationError)) throw error
    if (error.code === 'timeout' && tables.length > 0) {
      const message = 'The statement took too long and was stopped. Read fewer rows, or join by equal columns.'
      throw new RetrievalError('sql-timeout', message, { cause: error })
    }
    const what = tables.length > 0 ? 'The statement takes too much memory.' : 'The table could not be loaded for SQL.'
    const code = error.code === 'unavailable' ? 'unsupported' : 'too-large'
    throw new RetrievalError(code, `${what} Use pattern to find rows, or read lines.`, { cause: error })
  }
}

/** Names of tables as the statement sees them. */
const tableNames = (tables: readonly unknown[]): readonly string[] =>
  tables.length === 1 ? ['t'] : tables.map((_, index) => `t${index + 1}`)

function explainError(error: string, tables: readonly SqlTable[], request: SqlRequest): RetrievalError {
  if (error === 'out of memory' || error === 'string or blob too big')
    return new RetrievalError('too-large', 'The statement takes too much memory. Select fewer rows or columns.')
  const [, missing] = /^no such column: (?:t\d*\.)?(.+?)(?: - should this be.*)?$/s.exec(error) ?? []
  const lists = tables.map(({ columns }, index) => `${tableNames(tables)[index]!} has ${listColumns(columns)}`)
  const said = cutAtGrapheme(oneLine(error), 300)
  if (missing === undefined) {
    const denied = error === 'not authorized' ? ': only one SELECT is taken' : ''
    return new RetrievalError('invalid-sql', `SQL (SQLite): ${said}${denied}. ${lists.join('; ')}.`)
  }
  const name = missing.replace(/^"(.*)"$/s, '$1')
  const names = tables.flatMap(({ columns }) => columns.map((column) => column.name))
  const closest = closestNames(name, names, 3).map((one) => sqlName(one))
  const meant = closest.length === 0 ? '' : ` Closest: ${closest.join(', ')}.`
  const text = missing.startsWith('"') ? " Text stands in single quotes: '…'." : ''
  const message = `There is no column ${quote(name)}.${meant}${text} ${lists.join('; ')}.`
  const sql = closest[0] === undefined ? undefined : request.sql.replace(missing, () => closest[0]!)
  if (sql === undefined || sql === request.sql) return new RetrievalError('unknown-column', message)
  return new RetrievalError('unknown-column', `${message} A right call:`, { call: { ...callOf(request), sql } })
}

const callOf = ({ references, reference, path, sql }: SqlRequest): RetrievalCall =>
  references.length > 1 ? { references, sql } : { reference, json_path: path, sql }

/** Write a name as SQL takes it. */
const sqlName = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? name : `"${oneLine(name).replaceAll('"', '""')}"`

function listColumns(columns: readonly SqlColumn[]): string {
  let list = ''
  for (const [index, { name, type }] of columns.entries()) {
    const next = `${index === 0 ? '' : ', '}${sqlName(name)} ${type}`
    if (list.length + next.length > MAX_LIST_UNITS && index > 0) return `${list} and ${columns.length - index} more`
    list += next
  }
  return list
}

/** Write rows behind their numbers, as many as fit, and how to see the others. */
function writeRows(
  { names, rows, count, isCounted }: Rows,
  loaded: readonly LoadedTable[],
  request: SqlRequest,
  context: RetrievalContext,
): string {
  const over = loaded.map(({ table }) => formatCount(table.rows)).join(' and ')
  const results = `${isCounted ? '' : 'more than '}${formatCount(count)} ${count === 1 && isCounted ? 'row' : 'rows'}`
  const stored = loaded.length === 1 && loaded[0]!.table.rows === 1 ? 'stored row' : 'stored rows'
  const header = `[${results}; over ${over} ${stored}]`
  const notes = [...new Set(loaded.flatMap((one) => one.notes))].map((note) => `[${note}]`)
  const { after } = request
  if (rows.length === 0) {
    const none = count === 0 ? [] : ['[None left after those.]']
    const [first] = loaded
    const columns = `[Columns: ${names.map((name) => writeCell(name, MAX_NAME_UNITS)).join(',')}]`
    return cutToFit([header, ...none, ...(first === undefined ? [] : [columns]), ...notes].join('\n'), context)
  }
  const write = (shown: number, length: number): string => {
    const part = rows.slice(0, shown)
    const lines = part.map(
      (row, index) => `${after + index + 1}| ${row.map((cell) => writeCell(cell, length)).join(',')}`,
    )
    const end = after + shown
    const call = context.formatCall({ ...callOf(request), after: end })
    const more =
      end < count || !isCounted
        ? [`[Shown: rows ${formatCount(after + 1)}-${formatCount(end)}. To continue: ${call}]`]
        : []
    const isCut = part.some((row) => row.some((cell) => cell !== null && cell.length > length))
    const rest = [
      ...(isCut ? [`[Long values are cut: substr(column, ${length + 1}) shows more.]`] : []),
      ...notes,
      ...more,
    ]
    return [
      header,
      '',
      `row| ${names.map((name) => writeCell(name, MAX_NAME_UNITS)).join(',')}`,
      ...lines,
      ...(rest.length === 0 ? [] : ['', ...rest]),
    ].join('\n')
  }
  for (const length of [Infinity, ...CUT_CELL_LENGTHS]) {
    const best = fitCount((shown) => write(shown, length), 1, rows.length, context)
    if (best !== undefined) return best.text
  }
  return cutToFit(header, context)
}

/** Write a value as CSV does, on one line; NULL as nothing. */
function writeCell(value: string | null, maxLength: number): string {
  if (value === null) return ''
  const cut = value.length > maxLength ? `${cutAtGrapheme(value, maxLength)}…` : value
  const line = oneLine(cut)
  const isQuoted = value === '' || /[",\n\r\v\f\u0085\u2028\u2029]/.test(cut) || cut !== cut.trim()
  return isQuoted ? `"${line.replaceAll('"', '""')}"` : line
}
