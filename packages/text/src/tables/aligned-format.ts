import { startLines } from '../lines/clean-line.ts'
import { perSubject } from '../shared/per-subject.ts'
import {
  cellsOf,
  findBars,
  findColumns,
  fitting,
  hasTyped,
  isBarRule,
  isFooter,
  isHeader,
  isRule,
  statusColumns,
  typedColumns,
  wordColumns,
  type LineColumns,
} from './find-columns.ts'
import type { TableText } from './separated-format.ts'

/** Format of the tables in the lines of a text. */
export interface AlignedFormat {
  readonly form: 'bars' | 'aligned'
  /** Kind of the rows, if the text has records without a header. */
  readonly kind?: string
  readonly largest?: boolean | undefined
  /** Number of title and header lines before the first row. */
  readonly above: number
  /** Whether the last line before the rows is a header. */
  readonly header: boolean
  readonly columns: LineColumns
  /** For each column below a header, whether it has numbers, dates or similar values. */
  readonly typed?: readonly boolean[]
  /** Whether there are bars before the first cell and after the last cell. */
  readonly isFramed?: boolean
  /** Whether the text is a Markdown table. In Markdown, a line with an empty first cell may be a row. */
  readonly isMarkdown?: boolean
  /** Confidence that the text has such a table, from 0 to 1. */
  readonly sureness: number
}

const MOST_LINES = 200
/** Largest number of title lines before the header. */
const MOST_TITLE = 6
const LEAST_ROWS = 4
const LEAST_RECORDS = 6
const APART = /\S {2,}\S/

/** Matches the start of a line of `ls -l`: mode, links, owner, group, size, and the time in C or ISO 8601. */
const ENTRY =
  /^[-bcdlpsDC][-rwxsStTl]{9}[.+@]? +\d+ +\S+ +\S+ +(\d+, +)?[\d.]+[KMGTP]? +((?:[A-Z][a-z]{2} +\d{1,2} +[\d:]{4,5}|\d{1,2} [A-Z][a-z]{2} +[\d:]{4,5}|\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [-+]\d{4})?)) \S/

const NAMES: readonly string[] = ['mode', 'links', 'owner', 'group', 'size', 'modified', 'name']

/** Formats with one record per line, the most specific first. */
const RECORD_FORMS: readonly RecordForm[] = [
  {
    // git log --oneline, git rev-list --oneline, but not --objects, whose names have no blanks
    kind: 'commits',
    columns: wordColumns(2, ['commit', 'subject']),
    fits: (line) => /^(?:[*|/\\ ]{0,40}\* )?[\da-f]{7,40} \S/.test(line),
    agrees: (lines) =>
      lines.some((line) => /[a-f]/.test(line.slice(0, 7))) &&
      lines.some((line) => /\S \S+ \S/.test(line)) &&
      mayRepeat(firstWords(lines), 0.02),
    sureness: 0.9,
  },
  {
    // history of bash, with two blanks after the number
    kind: 'history',
    columns: wordColumns(2, ['number', 'command']),
    fits: (line) => /^ {0,10}\d{1,9}[* ] \S/.test(line),
    agrees: (lines) => follow(firstWords(lines).map(Number)),
    sureness: 0.85,
  },
  {
    // git status --short
    kind: 'changed files',
    columns: statusColumns(),
    fits: (line) => /^(?:[MADRCUT?!][ MADRCUT?!]|[ ][MADRCUT]) \S/.test(line),
    sureness: 0.85,
  },
  {
    // git diff --name-status
    kind: 'changed files',
    columns: wordColumns(2, ['status', 'path']),
    fits: (line) => /^[MADTU]\t\S|^[RC]\d{1,3}\t\S/.test(line),
    sureness: 0.85,
  },
  {
    // du
    kind: 'sizes',
    columns: wordColumns(2, ['size', 'path']),
    fits: (line) => /^\d+(?:\.\d+)?[KMGTP]?\t\S/.test(line),
    agrees: (lines) => lines.filter((line) => line.includes('/')).length > lines.length * 0.5,
    largest: true,
    sureness: 0.85,
  },
  {
    // wc -l, uniq -c
    kind: 'counts',
    columns: wordColumns(2, ['count', 'what']),
    fits: (line) => /^ {0,20}\d{1,15} \S/.test(line),
    agrees: (lines) => lines.some((line) => line.startsWith(' ')) && !isAscending(firstWords(lines).map(Number)),
    largest: true,
    sureness: 0.7,
  },
  // env, printenv and *.properties; sysctl -a on Linux; key: value
  valuesForm(/^[A-Za-z_][\w.@%-]{0,127}=/, ''),
  valuesForm(/^[A-Za-z_][\w.@/%-]{0,127} = /, ' '),
  valuesForm(/^[A-Za-z_][\w.@/%-]{0,127}:(?=\s|$)/, ' '),
]

/** Detect tables with aligned columns, or with cells between bars. */
export const alignedFormat: (subject: TableText) => AlignedFormat | undefined = perSubject(findAligned)

function findAligned(subject: TableText): AlignedFormat | undefined {
  const lines = startLines(subject).slice(0, MOST_LINES)
  return barsFormat(lines) ?? longListFormat(lines) ?? headedFormat(lines) ?? recordFormat(lines)
}

function barsFormat(lines: readonly string[]): AlignedFormat | undefined {
  const found = findBars(lines)
  if (found === undefined) return undefined
  const { columns, header, isFramed } = found
  const [top = ''] = lines
  const below = lines.slice(header + 1)
  // Rows end before a footer. In tables without a frame, they also end before a line without bars.
  const end = below.findIndex(
    (line) => isFooter(line) || !(isFramed || isRule(line) || line.includes(columns.separator)),
  )
  const rows = below.slice(0, end < 0 ? undefined : end).filter((line) => line !== '' && !isBarRule(line, isFramed))
  if (rows.length < 1 || fitting(columns, rows) < 0.95) return undefined
  const isMarkdown = isFramed && below[0]?.startsWith('|') === true && below[0].includes('-') && !isRule(top)
  const sureness = rows.length >= LEAST_ROWS ? 0.9 : 0.6
  const typed = typedColumns(columns, rows)
  return { form: 'bars', isFramed, isMarkdown, typed, above: header + 1, header: true, columns, sureness }
}

function isComment(line: string): boolean {
  return /^\s*(?:[*/#;>|]|--|<)/.test(line) && !/^#? ?[A-Za-z]+ {2}/.test(line)
}

function recordFormat(lines: readonly string[]): AlignedFormat | undefined {
  // The first line of `apt list` only says that it is listing.
  const above = /\.\.\.(?: ?Done)?$/i.test(lines[0] ?? '') ? 1 : 0
  const records = lines.slice(above).filter((line) => line !== '')
  if (records.length < LEAST_RECORDS) return undefined
  const first = records.slice(0, records.length / 10 + 1)
  for (const { kind, columns, fits, agrees, largest, sureness } of RECORD_FORMS) {
    if (!first.some(fits)) continue
    const fitting = records.filter(fits)
    if (fitting.length < records.length * 0.9 || agrees?.(fitting) === false) continue
    return { form: 'aligned', kind, largest, above, header: false, columns, sureness }
  }
  return undefined
}

function headedFormat(lines: readonly string[]): AlignedFormat | undefined {
  for (let header = 0; header <= MOST_TITLE && header < lines.length; header++) {
    const line = lines[header]!
    const below = lines.slice(header + 1)
    const isRuled = below[0] !== undefined && isRule(below[0])
    if (!isHeader(line) && !(isRuled && line.trim() !== '' && !isRule(line))) continue
    // Cells between bars that do not fit one table belong to several tables, for example of `\\d` in psql.
    if (isRuled && below[0]!.includes('+') && line.includes('|')) return undefined
    const isCapital = /\p{L}/u.test(line) && line === line.toUpperCase()
    // Below a header in capitals, a row of other words is not a header.
    const isNext = (row: string): boolean => isHeader(row) && !(isCapital && row !== row.toUpperCase())
    // If two lines can name columns, the first is the title.
    if (isNext(below[0] ?? '') && APART.test(below[0] ?? '')) continue
    const end = below.findIndex((row, index) => row === '' || (index > 0 && isNext(row)))
    const block = (end < 0 ? below : below.slice(0, end)).filter((row) => !isRule(row))
    if ((!isRuled && isComment(line)) || block.filter(isComment).length > block.length * 0.2) continue
    // A text is not a table if a table is only a part of it.
    const filled = lines.filter((row) => row !== '')
    if (block.length < filled.length * 0.7 && filled.filter((row) => APART.test(row)).length < filled.length * 0.7)
      continue
    const columns = block.length < LEAST_ROWS ? undefined : findColumns(line, block)
    if (columns === undefined || isSparse(columns, block)) continue
    if (!hasTyped(columns, block) && !isCapital && !isRuled) continue
    // In a few short lines, words of sentences can be aligned by chance.
    const apart = APART.test(line) || isCapital || isRuled
    if (!apart && columns.columns < 4) continue
    const typed = typedColumns(columns, block)
    return {
      form: 'aligned',
      above: header + 1,
      header: true,
      columns,
      typed,
      sureness: isCapital || isRuled ? 0.9 : 0.8,
    }
  }
  return undefined
}

/** Whether most rows have fewer than half of the cells, because other output follows the header. */
function isSparse(columns: LineColumns, rows: readonly string[]): boolean {
  const filled = rows.map((row) => cellsOf(columns, row).filter((cell) => cell !== '').length)
  return filled.filter((count) => count * 2 < columns.columns).length * 2 > rows.length
}

function longListFormat(lines: readonly string[]): AlignedFormat | undefined {
  // The name of a folder in the first line means that there are several listings.
  if (lines[0]?.endsWith(':') === true) return undefined
  const entries = lines.filter((line) => line !== '' && !/^total \d/.test(line))
  const matches = entries.map((line) => ENTRY.exec(line)).filter((match) => match !== null)
  if (entries.length < 3 || matches.length < entries.length * 0.9) return undefined
  const words = (matches[0]?.[2] ?? '').split(/ +/).length
  const columns = wordColumns(NAMES.length, NAMES, [1, 1, 1, 1, 1, words, 1])
  const above = /^total \d/.test(lines[0] ?? '') ? 1 : 0
  return { form: 'aligned', above, header: false, columns, sureness: 0.9 }
}

/** Return the file name in a line of `ls -l`. Returns `undefined` for other lines. */
export function nameOfLongEntry(line: string): string | undefined {
  // The length and the start of the second word exclude most other lines.
  if (line.length < 30 || line.charCodeAt(10) > 64) return undefined
  const entry = ENTRY.exec(line)
  return entry === null ? undefined : line.slice(entry[0].length - 1)
}

interface RecordForm {
  readonly kind: string
  readonly columns: LineColumns
  /** Whether a line has this format. Only a limited start of the line is read. */
  readonly fits: (line: string) => boolean
  /** A further condition for all lines together. */
  readonly agrees?: (lines: readonly string[]) => boolean
  /** Whether the first cell is a size, so that the largest rows are the most relevant. */
  readonly largest?: boolean
  readonly sureness: number
}

function valuesForm(pair: RegExp, separator: string): RecordForm {
  return {
    kind: 'values',
    columns: pairColumns(separator),
    fits: (line) => pair.test(line),
    agrees: (lines) =>
      mayRepeat(
        lines.map((line) => line.split(/[=:]/, 1).join('')),
        0.1,
      ),
    sureness: 0.6,
  }
}

function pairColumns(separator: string): LineColumns {
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    let at = start
    while (at < end && codes[at] !== 61 && codes[at] !== 58) at++
    if (at === end) return 0
    const nameEnd = ++at
    while (at < end && (codes[at] === 32 || codes[at] === 9)) at++
    bounds[0] = start
    bounds[1] = nameEnd
    bounds[2] = at
    bounds[3] = end
    return 2
  }
  return { names: ['name', 'value'], columns: 2, separator, find }
}

function firstWords(lines: readonly string[]): string[] {
  return lines.map((line) => line.trimStart().split(/[* ]/, 1).join(''))
}

function mayRepeat(texts: readonly string[], share: number): boolean {
  return new Set(texts).size >= texts.length * (1 - share)
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > numbers[index - 1]!)
}

function follow(numbers: readonly number[]): boolean {
  return (
    numbers.filter((number, index) => index === 0 || number === numbers[index - 1]! + 1).length > numbers.length * 0.9
  )
}
