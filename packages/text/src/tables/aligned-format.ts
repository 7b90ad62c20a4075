import { cleanLine } from '../lines/clean-line.ts'
import { perSubject } from '../shared/bounded-map.ts'
import type { TableText } from './table-text.ts'
import {
  findBars,
  findColumns,
  fitting,
  hasTyped,
  isBarRule,
  isFooter,
  isHeader,
  isRule,
  typedColumns,
} from './find-columns.ts'
import { isExpanded } from './expanded-records.ts'
import { BarRows, type BarLayout } from './bar-rows.ts'
import { barLayout } from './bar-layout.ts'
import { codesOf } from './text-codes.ts'
import { wordColumns, type LineColumns } from './line-columns.ts'
import { longListColumns } from './long-list.ts'
import { RECORD_FORMS } from './record-forms.ts'

/** How the lines of a text form tables. */
export interface AlignedFormat {
  /** `bars` between cells, columns `aligned` below each other, or a line for each cell. */
  readonly form: 'bars' | 'aligned' | 'expanded'
  /** What the rows are, where they are no table with a header. */
  readonly kind?: string
  /** Whether their first cells are sizes. */
  readonly largest?: boolean | undefined
  /** Lines before the first row: what the table is, and its header. */
  readonly above: number
  /** Whether the last of them names the columns. */
  readonly header: boolean
  readonly columns: LineColumns
  /** Of aligned columns below a header, whether the cells are numbers, dates or the like. */
  readonly typed?: readonly boolean[]
  /** How lines between bars form rows. */
  readonly bars?: BarLayout
  /** How sure it is that the text is such a table, from 0 to 1. */
  readonly sureness: number
}

const EXPANDED: AlignedFormat = {
  form: 'expanded',
  above: 0,
  header: true,
  columns: wordColumns(1, undefined),
  sureness: 0.95,
}

/** Lines that are looked at. */
const MOST_LINES = 200
/** Lines before the header that may say what the table is. */
const MOST_TITLE = 6
const LEAST_ROWS = 4
const LEAST_RECORDS = 6
/** Words that stand apart. */
const APART = /\S {2,}\S/

/** Find out whether the lines of a text are tables of aligned columns, or of cells between bars. */
export const alignedFormat: (subject: TableText) => AlignedFormat | undefined = perSubject(findAligned)

function findAligned({ start, isWhole }: TableText): AlignedFormat | undefined {
  const all = start.split('\n')
  // The last line may be cut.
  if (!isWhole) all.pop()
  const lines = all.slice(0, MOST_LINES).map((line) => cleanLine(line))
  if (isExpanded(lines)) return EXPANDED
  return barsFormat(lines) ?? longListFormat(lines) ?? headedFormat(lines) ?? recordFormat(lines)
}

function barsFormat(lines: readonly string[]): AlignedFormat | undefined {
  const found = findBars(lines)
  if (found === undefined) return undefined
  const { columns, header } = found
  const bars = barLayout(found, lines)
  const rows: string[] = []
  const joiner = new BarRows(bars, ({ text }) => rows.push(text))
  for (const [index, text] of lines.slice(header + 1).entries()) {
    if (!joiner.isBroken && (text === '' || isBarRule(text, found.isFramed) || isFooter(text))) joiner.end()
    else joiner.push({ text, codes: codesOf(text) }, 0, text.length, index)
  }
  joiner.end()
  if (rows.length < 1 || fitting(columns, rows) < 0.95) return undefined
  const sureness = rows.length >= LEAST_ROWS ? 0.9 : 0.6
  return { form: 'bars', bars, above: header + 1, header: true, columns, sureness }
}

function longListFormat(lines: readonly string[]): AlignedFormat | undefined {
  const columns = longListColumns(lines)
  const above = /^total \d/.test(lines[0] ?? '') ? 1 : 0
  return columns && { form: 'aligned', above, header: false, columns, sureness: 0.9 }
}

function isApart(line: string): boolean {
  return APART.test(line)
}

/** Lines of code, comments and Markdown begin with punctuation. */
function isComment(line: string): boolean {
  return /^\s*(?:[*/#;>|]|--|<)/.test(line) && !/^#? ?[A-Za-z]+ {2}/.test(line)
}

function recordFormat(lines: readonly string[]): AlignedFormat | undefined {
  // `apt list` says first that it lists.
  const above = /\.\.\.(?: ?Done)?$/i.test(lines[0] ?? '') ? 1 : 0
  const records = lines.slice(above).filter((line) => line !== '')
  if (records.length < LEAST_RECORDS) return undefined
  for (const { kind, columns, fits, agrees, largest, sureness } of RECORD_FORMS) {
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
    // Of two lines that can name columns, the first is the title.
    if (isHeader(below[0] ?? '') && APART.test(below[0] ?? '')) continue
    const end = below.findIndex((row, index) => row === '' || (index > 0 && isHeader(row)))
    const block = (end < 0 ? below : below.slice(0, end)).filter((row) => !isRule(row))
    if ((!isRuled && isComment(line)) || block.filter(isComment).length > block.length * 0.2) continue
    // A table in a longer text is not what the text is.
    const filled = lines.filter((row) => row !== '')
    if (block.length < filled.length * 0.7 && filled.filter(isApart).length < filled.length * 0.7) continue
    const columns = block.length < LEAST_ROWS ? undefined : findColumns(line, block)
    if (columns === undefined) continue
    const capital = line.replace(/[^\p{L}]/gu, '')
    const isCapital = capital === capital.toUpperCase() && capital !== ''
    if (!hasTyped(columns, block) && !isCapital && !isRuled) continue
    // Words of a sentence may stand below each other by chance in few short lines.
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
