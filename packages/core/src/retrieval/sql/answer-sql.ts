import {
  closestNames,
  countOf,
  cutWithMark,
  escapeExpression,
  formatCount,
  IsolationError,
} from '@spillway/text/internal'
import {
  largestTable,
  sqlEngine,
  type SqlColumn,
  type SqlDatabase,
  type SqlRows,
} from '@spillway/text/internal/engines'
import { checkAborted } from '../../storage/storage-error.ts'
import { assertText, withContent } from '../open-content.ts'
import { RetrievalError, type RetrievalCall, type RetrievalContext } from '../retrieval-tool.ts'
import { abridge, fitAnswer, oneLine, quote, unitsFor, withoutResults, type Answer } from '../write-answer.ts'
import { limitsOf, loadTables, type LoadedTables } from './load-table.ts'

export interface SqlRequest {
  readonly mode: 'sql'
  /** References of entries. The largest table of each is called `t`, or with several entries `t1`, `t2` and so on. */
  readonly references: readonly string[]
  readonly reference: string
  readonly sql: string
  readonly path: string | undefined
  readonly after: number
}

const MAX_LIST_UNITS = 1_500
const CUT_CELL_LENGTHS = [4_000, 400, 100, 40]
const SHOWN_COLUMNS = 3
const MAX_NAME_UNITS = 200

export async function answerSql(request: SqlRequest, context: RetrievalContext): Promise<Answer> {
  const loaded: LoadedTables[] = []
  for (const reference of request.references) loaded.push(await loadStored(reference, request, context))
  const databases = loaded.map(({ database }) => database)
  const statement = { sql: request.sql, skip: request.after, maxUnits: unitsFor(context) }
  const result = await orExplained('statement', context, () =>
    context.pause(sqlEngine()!.query(databases, statement, limitsOf(context, context.deadlineMs))),
  )
  if ('error' in result) throw explainError(result.error, databases, request)
  const notes = [
    ...databases.flatMap((one, index) => describeTables(one, request, index)),
    ...loaded.flatMap(({ notes: said }, index) =>
      loaded.length === 1 ? said : said.map((note) => `t${index + 1}: ${note}`),
    ),
    ...describeColumns(databases, request.sql),
  ]
  return writeRows(result, [...new Set(notes)], request, context)
}

async function loadStored(reference: string, { path }: SqlRequest, context: RetrievalContext): Promise<LoadedTables> {
  return await withContent(context.storage, reference, context, async (source) => {
    assertText(source)
    return await orExplained('table', context, () => loadTables(source, path, context))
  })
}

async function orExplained<Result>(
  what: 'statement' | 'table',
  { signal }: RetrievalContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    checkAborted(signal)
    if (!(error instanceof IsolationError)) throw error
    if (error.code === 'timeout' && what === 'statement') {
      const message = 'The statement took too long and was stopped. Read fewer rows, or join by equal columns.'
      throw new RetrievalError('sql-timeout', message, { cause: error })
    }
    const failed =
      what === 'statement' ? 'The statement takes too much memory.' : 'The table could not be loaded for SQL.'
    const code = error.code === 'unavailable' ? 'unsupported' : 'too-large'
    throw new RetrievalError(code, `${failed} Use pattern to find rows, or read lines.`, { cause: error })
  }
}

function namedTables(databases: readonly SqlDatabase[]) {
  const [{ tables }] = databases as readonly [SqlDatabase]
  if (databases.length === 1)
    return tables.map((table, index) => ({ ...table, name: tables.length === 1 ? 't' : `t${index + 1}` }))
  return databases.map((one, index) => ({ ...one.tables[largestTable(one.tables)]!, name: `t${index + 1}` }))
}

function describeTables(database: SqlDatabase, { references, sql }: SqlRequest, index: number): string[] {
  const { tables } = database
  if (tables.length === 1)
    return index === 0 && references.length > 1 && namesIn(sql).has('t')
      ? [`t is only t1, the table of ${references[0]}.`]
      : []
  if (references.length > 1) return [`t${index + 1} is the largest of ${tables.length} tables in ${references[index]}.`]
  const listed = namedTables([database]).map(({ name, rows, columns }) => {
    const shown = columns.slice(0, SHOWN_COLUMNS).map((column) => sqlName(column.name))
    return `${name} (${countOf(rows, 'row')}: ${shown.join(', ')}${columns.length > shown.length ? ', …' : ''})`
  })
  return [
    `This text has ${tables.length} tables: ${abridge(listed.join(', '), MAX_LIST_UNITS)}. t is t${largestTable(tables) + 1}, the largest.`,
  ]
}

/** Describes columns that the statement may misunderstand: with numbers and text, or with numbers or dates as text. */
function describeColumns(databases: readonly SqlDatabase[], sql: string): string[] {
  const notes: string[] = []
  const used = namesIn(sql)
  for (const column of databases.flatMap(columnsOf)) {
    const { name, type, misfits, misfit = '', misfitRow = 0, sample = '' } = column
    const compared = used.get(name.toLowerCase())
    if (compared === undefined) continue
    if (misfits > 0) {
      const asText = AGGREGATES.test(sql) ? 'is 0 in sums and averages' : 'comes after all numbers'
      const some = `${formatCount(misfits)} of its cells are text, which ${asText}`
      const first = `the first is ${quote(misfit, 40)} in row ${formatCount(misfitRow)}`
      notes.push(`${quote(name)} has numbers, but ${some}: ${first}.`)
    }
    if (type === 'INTEGER' && /'(?:true|false)'/i.test(compared))
      notes.push(`In ${quote(name)}, true is 1 and false is 0.`)
    const how = type === 'TEXT' ? adviceOn(column, compared, sql) : undefined
    if (how !== undefined) notes.push(`${quote(name)} is text, for example ${quote(sample, 40)}: ${how}.`)
  }
  if (/(?:=|<>|in\s*\()\s*'(?:null)?'/i.test(sql)) notes.push('Empty cells and the word NULL are NULL: use IS NULL.')
  return notes
}

/** A name in a statement, with or without quotes. */
const NAME = /"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\p{L}\p{N}_$]+/gu
const COMPARED = /\s*(?:[=<>!]+|is|between|in\s*\()\s*('[^']*'|[-+]?[\w.]+)/iy

/** Returns the names in a statement, in lower case without quotes, and the values that each is compared with. */
function namesIn(sql: string): Map<string, string> {
  const names = new Map<string, string>()
  for (const { 0: written, index } of sql.matchAll(NAME)) {
    const plain = (/^["`[]/.test(written) ? written.slice(1, -1).replaceAll('""', '"') : written).toLowerCase()
    COMPARED.lastIndex = index + written.length
    names.set(plain, `${names.get(plain) ?? ''} ${COMPARED.exec(sql)?.[1] ?? ''}`)
  }
  return names
}

const columnsOf = ({ tables }: SqlDatabase): SqlColumn[] => tables.flatMap(({ columns }) => columns)
const COMPUTES = /[<>]|\b(?:order\s+by|between|sum|avg|total|min|max|median|percentile|round|date(?:time)?|strftime)\b/i
const AGGREGATES = /\b(?:sum|avg|total)\s*\(/i
const TESTS = /\b(?:where|case|filter|having|sum|avg)\b/i
const CONVERTS = /\b(?:cast|replace|substr(?:ing)?)\s*\(/i
const DATE =
  /^(?:\d{1,2}([/.-])\d{1,2}\1\d{2,4}|[A-Z][a-z]{2,8} \d{1,2},? \d{4}|\d{1,2}[ -][A-Z][a-z]{2,8}[ -]\d{2,4})\b/
/** A number with signs. Parentheses mean a negative amount. */
const NUMBER = /^\(?[-+]?[$€£¥]?\s?[-+]?(?:\d+|\d{1,3}(?:[.,\s]\d{3})+)(?:[.,]\d+)?\s?[%$€£¥]?\)?$/
/** A number that only text keeps as written. */
const ID = /^-?(?:0\d|\d{19})\d*$/

/** Advises on a column of text, if the statement uses its cells as numbers, dates or truths. */
function adviceOn({ name, sample = '', isMixed }: SqlColumn, compared: string, sql: string): string | undefined {
  const isId = ID.test(sample)
  const isTruth =
    /^true|^false/i.test(sample) && TESTS.test(sql) && !(/^[tf]/.test(sample) ? /'[tf]/ : /'[TF]/).test(compared)
  if (isTruth || (isId && / [-+]?\d/.test(compared))) return 'compare it with such a text in quotes'
  const column = sqlName(name)
  if (sample !== sample.trim() && compared.includes("'")) return `trim(${column}) is without the spaces`
  const needsNumbers = COMPUTES.test(sql) && !CONVERTS.test(sql)
  if (DATE.test(sample) && (needsNumbers || / '\d{4}-\d/.test(compared)))
    return 'to compare dates, build YYYY-MM-DD with substr and ||'
  if (!needsNumbers || isId) return undefined
  if (!NUMBER.test(sample))
    return isMixed === true ? `leave such cells out, and convert with CAST(${column} AS REAL)` : undefined
  const hasDecimalComma = /,\d{1,2}\D*$/.test(sample)
  const signs = [...new Set([...(sample.match(/[^-+\d.,]/g) ?? []), hasDecimalComma ? '.' : ','])]
  const without = (inner: string, sign: string): string => `replace(${inner}, '${sign}', '${sign === '(' ? '-' : ''}')`
  const digits = signs.reduce(without, column)
  return `convert it with CAST(${hasDecimalComma ? `replace(${digits}, ',', '.')` : digits} AS REAL)`
}

/** Syntax of other databases, and advice on the same in SQLite. */
const DIALECTS: readonly (readonly [words: RegExp, instead: string])[] = [
  [/::|\b(?:try|safe)_cast\b/i, 'CAST(x AS INTEGER) converts'],
  [/\bilike\b/i, 'LIKE ignores the case of ASCII letters'],
  [
    /\b(?:date_(?:trunc|part|format)|extract|to_char|year|quarter|month|week|day|hour|minute)\s*\(/i,
    "strftime('%Y-%m', x) is a month, and strftime('%H', x) an hour",
  ],
  [/\bdate_?diff\b/i, 'julianday(x) - julianday(y) is a number of days'],
  [/\bnow\s*\(|\binterval\b/i, "datetime('now', '-1 day') is a day ago"],
  [/\b(?:date|timestamp)\s+'/i, 'a date is a text with no word before it'],
  [/\bwithin\s+group\b/i, 'percentile_cont(x, 0.9) and median(x) take the column'],
  [/\b(?:std_?dev|var(?:iance|_))/i, 'avg(x * x) - avg(x) * avg(x) is the variance'],
  [/\btop\s*[(\d]|\bfetch\s+(?:first|next)\b/i, 'LIMIT 5 at the end limits the rows'],
  [/~|\bregexp|\brlike\b|\bsimilar\s+to\b/i, "LIKE and GLOB '*[0-9]*' match text; a call with pattern finds lines"],
  [/\b(?:left|right)\s*\(/i, 'substr(x, 1, 4) is the start, and substr(x, -4) the end'],
  [/\b(?:char_length|len)\s*\(/i, 'length(x) is the length'],
  [/\b(?:strpos|position|charindex|locate|split_part)\s*\(/i, "instr(x, 'a') is a position, and substr cuts text"],
  [/\b(?:array_agg|listagg)\b/i, "group_concat(x, ', ') joins values"],
  [/\b(?:count_?if|bool_and|bool_or)\b/i, 'count(*) FILTER (WHERE x > 1) counts some rows'],
  [/\b(?:greatest|least)\s*\(/i, 'max(x, y) and min(x, y) compare values'],
  [/\b(?:nvl|isnull)\s*\(/i, 'ifnull(x, y) replaces NULL'],
  [/\bapprox_/i, 'count(DISTINCT x) counts different values'],
  [/\bqualify\b|\bdistinct\s+on\b/i, 'a subquery selects row_number() OVER (…) AS n for WHERE n = 1'],
  [/\bgroup\s+by\s+all\b/i, 'GROUP BY names each column'],
  [/\*\s*(?:exclude|except)\b/i, 'SELECT names each column'],
]

/** Returns advice on each syntax of another database in a statement. Ignores string literals. */
function inSqlite(sql: string): string {
  const words = sql.replace(/'(?:[^']|'')*'/g, "''")
  const instead = DIALECTS.filter(([other]) => other.test(words)).map(([, said]) => said)
  return instead.length === 0 ? '' : ` In SQLite, ${instead.join('; ')}.`
}

function explainError(error: string, databases: readonly SqlDatabase[], request: SqlRequest): RetrievalError {
  if (error === 'out of memory' || error === 'string or blob too big')
    return new RetrievalError('too-large', 'The statement takes too much memory. Select fewer rows or columns.')
  const tables = namedTables(databases)
  const lists = tables.map(({ name, columns }) => `${name} has ${listColumns(columns, MAX_LIST_UNITS / tables.length)}`)
  const instead = inSqlite(request.sql)
  const [, kind, missing] = /^no such (column|table): (?:t\d*\.)?(.+?)(?: - should this be.*)?$/s.exec(error) ?? []
  if (missing === undefined) {
    const denied = error === 'not authorized' ? ': only one SELECT is accepted' : ''
    const message = `SQL (SQLite): ${abridge(error, 300)}${denied}.${instead}`
    return new RetrievalError('invalid-sql', message, { stored: { remarks: lists } })
  }
  const name = missing.replace(/^"(.*)"$/s, '$1')
  const text = kind === 'column' && missing.startsWith('"') ? `'${name.replaceAll("'", "''")}'` : undefined
  const quotes = text === undefined ? '' : " Write text in single quotes: '…'."
  const columns = databases.flatMap(columnsOf).map((column) => column.name)
  let closest: string[] = []
  if (instead === '' && !isCompared(name, request.sql))
    closest = kind === 'column' ? closestColumns(name, columns) : tables.length === 1 ? ['t'] : []
  const meant = closest.length === 0 ? [] : [`Closest: ${closest.join(', ')}`]
  const sql = withName(request.sql, name, closest[0] ?? text, kind === 'column' ? columns : [])
  const call = instead !== '' || sql === request.sql ? undefined : { ...callOf(request), sql }
  const code = kind === 'table' ? 'invalid-sql' : 'unknown-column'
  const message = `There is no ${kind} ${quote(name)}.${quotes}${instead}`
  return new RetrievalError(code, message, { stored: { remarks: [...meant, ...lists], call } })
}

/** Returns how columns with similar names are selected. A name with a dot may be a key in the JSON of a column. */
function closestColumns(name: string, columns: readonly string[]): string[] {
  const [, outer = '', inner] = /^([^.]+)\.(.+)$/.exec(name) ?? []
  if (columns.includes(outer)) return [`${sqlName(outer)} ->> '$.${inner}'`]
  return closestNames(name, columns, 3).map((one) => sqlName(one))
}

/** Whether a name in double quotes is compared with something, so that it is meant as text. */
const isCompared = (name: string, sql: string): boolean =>
  new RegExp(`(?:(?:[=<>]|\\b(?:like|glob))\\s*|\\bin\\s*\\([^()]*)"${escapeExpression(name)}"`, 'i').test(sql)

/** Largest number of longer names to search for, because each search can take a millisecond. */
const MOST_LONGER = 20

/** Replaces an unknown name in a statement. A name without its quotes, for example `first-name`, gets them instead. */
function withName(sql: string, name: string, known: string | undefined, columns: readonly string[]): string {
  const goesOn = (one: string): boolean => one.startsWith(name) && /^\W/.test(one.slice(name.length))
  const longer = columns.filter(goesOn).slice(0, MOST_LONGER)
  const whole = longer.find((one) => namePattern(one).test(sql))
  const right = whole === undefined ? known : sqlName(whole)
  return right === undefined ? sql : sql.replace(namePattern(whole ?? name), () => right)
}

/** Finds a name in a statement, with and without quotes, but not within other names. */
const namePattern = (name: string): RegExp => new RegExp(`(?<!\\w)"?${escapeExpression(name)}"?(?!\\w)`, 'gi')

const callOf = ({ references, reference, path, sql }: SqlRequest): RetrievalCall =>
  references.length > 1 ? { references, sql } : { reference, json_path: path, sql }

/** Names that need no quotes in SQLite. */
const PLAIN_NAME =
  /^(?!(?:as|by|case|check|default|from|group|in|index|is|join|limit|on|order|primary|references|select|set|table|to|unique|values|when|where)$)[a-z_]\w{0,79}$/i

/** Quotes the name of a column. A very long name is cut, so its column cannot be selected. */
const sqlName = (name: string): string =>
  PLAIN_NAME.test(name) ? name : `"${abridge(name, MAX_NAME_UNITS).replaceAll('"', '""')}"`

function listColumns(columns: readonly SqlColumn[], maxUnits: number): string {
  let list = ''
  for (const [index, { name, type }] of columns.entries()) {
    const next = `${index === 0 ? '' : ', '}${sqlName(name)} ${type}`
    if (list.length + next.length > maxUnits && index > 0) return `${list} and ${columns.length - index} more`
    list += next
  }
  return list
}

function writeRows(
  { names, rows, count, isCounted, over }: SqlRows,
  said: readonly string[],
  request: SqlRequest,
  context: RetrievalContext,
): Answer {
  const results = isCounted ? countOf(count, 'row') : `more than ${formatCount(count)} rows`
  const stored = `${over.map(formatCount).join(' and ')} ${over.length === 1 && over[0] === 1 ? 'stored row' : 'stored rows'}`
  const header = [`${results}${over.length === 0 ? '' : `; over ${stored}`}`]
  const { after, reference } = request
  const frame = { header, matches: count }
  const columns = `row| ${names.map((name) => writeCell(name, MAX_NAME_UNITS)).join(',')}`
  if (rows.length === 0) {
    const none = count === 0 ? [] : ['None left after those.']
    const table = { columns: names, rows }
    return { ...frame, header: [...header, ...none], parts: [{ reference, remarks: said, lines: [columns] }], table }
  }
  const write = (shown: number, length: number): Answer => {
    const part = rows.slice(0, shown)
    const lines = part.map(
      (row, index) => `${after + index + 1}| ${row.map((cell) => writeCell(cell, length)).join(',')}`,
    )
    const end = after + shown
    const isCut = part.some((row) => row.some((cell) => cell !== null && cell.length > length))
    const more = {
      said: `Shown: rows ${formatCount(after + 1)}-${formatCount(end)}.`,
      call: { ...callOf(request), after: end },
    }
    return {
      ...frame,
      parts: [{ reference, remarks: said, lines: [columns, ...lines] }],
      table: { columns: names, rows: part },
      notes: isCut ? [`Long values are cut: substr(column, ${length + 1}) shows more.`] : [],
      rest: end < count || !isCounted ? more : undefined,
      isPartial: isCut,
    }
  }
  for (const length of [Infinity, ...CUT_CELL_LENGTHS]) {
    const best = fitAnswer((shown) => write(shown, length), 1, rows.length, context)
    if (best !== undefined) return best
  }
  return withoutResults(frame, 'Select fewer columns.')
}

/** Writes a cell as CSV on one line. NULL is an empty cell. */
function writeCell(value: string | null, maxLength: number): string {
  if (value === null) return ''
  const cut = cutWithMark(value, maxLength)
  const line = oneLine(cut)
  const isQuoted = value === '' || /[",\n\r\v\f\u0085\u2028\u2029]/.test(cut) || cut !== cut.trim()
  return isQuoted ? `"${line.replaceAll('"', '""')}"` : line
}
