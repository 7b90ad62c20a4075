import { isValue, RecordReader } from './record-reader.ts'
import type { JsonText } from '../json/recognize-json.ts'
import { perSubject } from '../shared/per-subject.ts'

/** Format of a text whose cells are separated by a character. */
export interface SeparatedFormat {
  readonly separator: string
  /** Whether cells in quotes may contain separators and line ends. */
  readonly quotes: boolean
  /** Number of lines with comments or titles before the first record. */
  readonly comments: number
  readonly header: boolean
  /** Confidence that the text has such a table, from 0 to 1. */
  readonly sureness: number
}

const SEPARATORS: readonly string[] = [',', '\t', ';', '|']
const MOST_RECORDS = 200
/** Smallest number of records in a table that is not declared. */
const LEAST_RECORDS = 5
/** Smallest numbers of records and of cells in a table without names in its first line. */
const MANY_RECORDS = 20
const MANY_COLUMNS = 5
/** Number of first lines in which a header below a title is searched. */
const MOST_TITLE = 8
/** Smallest share of records that have the most frequent number of cells. */
const CONSISTENT = 0.95
/** Largest number of other records. The last record may be truncated, so it does not count. */
const MOST_OTHERS = MOST_RECORDS * (1 - CONSISTENT) + 1

const DECLARED: Readonly<Record<string, string>> = {
  'text/csv': ',',
  'application/csv': ',',
  'text/tab-separated-values': '\t',
}

/** Detect a table whose cells are separated by one character. */
export const separatedFormat: (subject: TableText) => SeparatedFormat | undefined = perSubject(findSeparated)

function findSeparated(subject: TableText): SeparatedFormat | undefined {
  const { start, contentType, intent, isWhole } = subject
  const text = start.startsWith('\ufeff') ? start.slice(1) : start
  const declared = (Object.hasOwn(DECLARED, contentType) ? DECLARED[contentType] : undefined) ?? named(intent.paths)
  let best: SeparatedFormat | undefined
  const commented = commentLines(text)
  for (const separator of SEPARATORS) {
    const comments = commented || titleLines(text, separator)
    const format = formatWith(text, separator, comments, isWhole, declared)
    if (format !== undefined && format.sureness > (best?.sureness ?? 0)) best = format
  }
  return best
}

function named(paths: readonly string[]): string | undefined {
  const [path = ''] = paths
  return /\.csv$/i.test(path) ? ',' : /\.(?:tsv|tab)$/i.test(path) ? '\t' : undefined
}

/** Counts comments before the first record, and the line in which Excel names the separator. */
function commentLines(text: string): number {
  if (/^sep=.\r?\n/i.test(text)) return 1
  let lines = 0
  for (let at = 0; text[at] === '#' && lines < 100; lines++) {
    const end = text.indexOf('\n', at)
    if (end < 0) return 0
    at = end + 1
  }
  return lines
}

/** Return the number of titles above the header, as in reports of spreadsheets: lines with only a first cell. */
function titleLines(text: string, separator: string): number {
  if (!text.includes(separator.repeat(2))) return 0
  const cell = `[^${separator}"\n]`
  const title = `(?:${cell}{0,200}[${separator}]{2,}\r?\n)`
  const titles = new RegExp(`^${title}{1,9}(?=(?:"?${cell}+"?[${separator}])+.)`).exec(text)?.[0] ?? ''
  return titles.split('\n').length - 1
}

function formatWith(
  text: string,
  separator: string,
  comments: number,
  whole: boolean,
  declared: string | undefined,
): SeparatedFormat | undefined {
  const isDeclared = declared === separator || (declared === ',' && separator === ';')
  // The first record must contain the separator. It is the first line, unless that is blank, a comment, or has quotes.
  const [line = ''] = text.split('\n', 1)
  const first = comments > 0 || line.includes('"') || line.trim() === '' ? text : line
  if (!isDeclared && !first.includes(separator)) return undefined
  const quotes = separator === ',' || separator === ';' || text.includes(`${separator}"`)
  let records = recordsOf(text, separator, quotes, comments, whole, isDeclared ? Infinity : MOST_OTHERS)
  if (records.length < (isDeclared ? 1 : LEAST_RECORDS)) return undefined
  // The last comment may name the columns of rows that begin with values.
  const named = comments > 0 ? splitRecord(text.split('\n', comments).at(-1)!.trimEnd(), separator, quotes) : []
  const isNamed = named.length > 1 && named.length === records[0]!.length && !hasHeader(records[0]!, records.slice(1))
  if (isNamed) records = [named, ...records]
  const [head = [], ...others] = records
  const columns = usualLength(others.length > 0 ? others : records)
  const consistent = records.filter((record) => record.length === columns).length / records.length
  if (isDeclared && comments === 0 && columns > head.length) {
    // The header may be below the title of a report and a blank line.
    const lines = text.split('\n', MOST_TITLE)
    const at = lines.findIndex((one) => splitRecord(one, separator, quotes).length === columns)
    if (at > 0 && lines[at - 1]!.trim() === '') return formatWith(text, separator, at, whole, declared)
  }
  const header = hasHeader(head, others)
  const format = { separator, quotes, comments: comments - (isNamed ? 1 : 0), header }
  if (isDeclared) {
    if (/^\s*[<{[]/.test(text) && columns < 2) return undefined
    return { ...format, sureness: columns < 2 ? 0.3 : consistent >= 0.8 && head.length === columns ? 0.97 : 0.8 }
  }
  if (columns < 2 || head.length !== columns || consistent < CONSISTENT) return undefined
  // Bars around a row, and rules below a header, belong to an aligned table.
  const isRuled = others.slice(0, 3).some((record) => /^[\s:=+-]*-[\s:=+-]*$/.test(record.join('')))
  if (separator === '|' && ((head[0] === '' && head.at(-1)?.trim() === '') || isRuled)) return undefined
  return { ...format, sureness: undeclaredSureness(head, others, columns, header, separator) }
}

function undeclaredSureness(
  first: readonly string[],
  others: readonly (readonly string[])[],
  columns: number,
  header: boolean,
  separator: string,
): number {
  // Lines that begin with brackets are code or program data. Prose between separators is not a table either.
  if (others.filter(([cell = '']) => /^[\s]*[[({<|*/]/.test(cell)).length > others.length * 0.1) return 0
  const cells = others.flat()
  // Neither do long texts and members of JSON objects, as in streams of events.
  if (cells.filter((cell) => cell.length > 200 || /^\s*"[^"]*"\s*:/.test(cell)).length > cells.length * 0.05) return 0
  const spaced = cells.filter((cell) => cell.startsWith(' ')).length
  if (separator !== '\t' && spaced > cells.length * 0.6 && !header) return 0
  const typed = first.filter((_, column) => isTyped(others, column)).length
  const names = header && first.every((cell) => isName(unquote(cell)))
  if (names && (typed > 0 || columns >= 4)) return columns >= 3 || typed > 0 ? 0.92 : 0.7
  if (names && separator === '\t') return 0.8
  if (typed >= 2 && columns >= 3) return 0.75
  // Survey questions are not column names, but so many records and cells are not accidental.
  return columns >= MANY_COLUMNS && others.length >= MANY_RECORDS ? 0.6 : 0
}

/** Return the first records, or no records if too many differ from the first. */
function recordsOf(
  text: string,
  separator: string,
  quotes: boolean,
  comments: number,
  whole: boolean,
  mostOthers: number,
): string[][] {
  const records: string[][] = []
  let others = 0
  const reader = new RecordReader(
    {
      record: (block, _start, _end, cells, bounds, line) => {
        if (line <= comments) return
        const record: string[] = []
        for (let at = 0; at < Math.min(2 * cells, bounds.length); at += 2)
          record.push(block.text.slice(bounds[at], bounds[at + 1]))
        if (records.push(record) > 1 && record.length !== records[0]!.length) others++
        reader.isTable = records.length < MOST_RECORDS && others <= mostOthers
      },
    },
    separator,
    quotes,
  )
  reader.push(text)
  reader.finish()
  if (others > mostOthers) return []
  // The last record may be truncated.
  if (!whole && records.length > 1) records.pop()
  return records
}

function usualLength(records: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1)
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0])[0]
}

function isTyped(records: readonly (readonly string[])[], column: number): boolean {
  const filled = records.map((record) => unquote(record[column] ?? '').trim()).filter((cell) => cell !== '')
  return filled.length >= 2 && filled.filter(isValue).length >= filled.length * 0.9
}

/** Whether the first record is a header: its cells are not values, or their columns have no values below. */
function hasHeader(first: readonly string[], others: readonly (readonly string[])[]): boolean {
  const cells = first.map((cell) => unquote(cell).trim())
  // The name of a column is not the value of most cells below, unless a name is above numbers.
  const isUsual = (cell: string, column: number): boolean =>
    cell !== '' && others.filter((record) => record[column] === cell).length * 2 > others.length
  const isNamed = (cell: string, column: number): boolean => !isValue(cell) && isTyped(others, column)
  if (others.length >= LEAST_RECORDS && first.some(isUsual) && !cells.some(isNamed)) return false
  const values = cells.filter(isValue)
  if (values.length === 0) return cells.some((cell) => cell !== '')
  // Years and dates may name columns if the cells below them are different.
  const isTime = (cell: string): boolean => /^\d{4}(?:[-/]\d\d){0,2}$/.test(cell)
  const times = values.every(isTime) && new Set(values).size === values.length
  if (!times || isValue(cells[0] ?? '') || values.length < 2) return false
  return others.some((record) => record.some((cell, column) => isValue(cells[column] ?? '') && !isTime(cell)))
}

function isName(cell: string): boolean {
  return cell.length <= 200 && !/^[-+]?\d/.test(cell) && !/[{}<>;]|\]\s|: /.test(cell)
}

/** Split one record at its separators. Cells in quotes keep their quotes. */
export function splitRecord(record: string, separator: string, quotes: boolean): string[] {
  const cells: string[] = []
  for (let start = 0; ;) {
    const end = cellEnd(record, start, separator, quotes)
    cells.push(record.slice(start, end))
    if (end >= record.length) return cells
    start = end + 1
  }
}

function cellEnd(text: string, start: number, separator: string, quotes: boolean): number {
  let at = start
  if (quotes && text[at] === '"') {
    for (at = text.indexOf('"', at + 1); at >= 0 && text[at + 1] === '"';) at = text.indexOf('"', at + 2)
    if (at < 0) return text.length
  }
  const found = text.indexOf(separator, at)
  return found < 0 ? text.length : found
}

/** Return the value of a cell without quotes (RFC 4180, section 2). */
export function unquote(cell: string): string {
  if (cell.length < 2 || !cell.startsWith('"') || !cell.endsWith('"')) return cell
  return cell.slice(1, -1).replaceAll('""', '"')
}

export interface TableText extends Omit<JsonText, 'end'> {
  /** Paths of files that may contain the text. The file names may show the format. */
  readonly intent: { readonly paths: readonly string[] }
}
