import { lineLabel, textItem, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { cutAtGrapheme, estimateTokens, cleanLine } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { describeColumn } from './describe-column.ts'
import { rowKeys } from './row-keys.ts'
import { rowOrder, spreadOrder } from './row-order.ts'
import type { SampledRow } from './row-sample.ts'
import type { TableData } from './table-data.ts'

/** Share of the budget for what is said of columns beside their names; a larger header comes with its names alone, cut. */
const COLUMN_SHARE = 0.25
const HEADER_SHARE = 0.85
/** Rows that the cells are cut for, so that so many have room. */
const AIMED_ROWS = 8
/** Lengths that cells are cut to, in UTF-16 units. */
const CAPS: readonly number[] = [4_096, 400, 160, 80, 40]
/** Values of a column that are listed, from the fullest to the shortest description. */
const LISTED: readonly number[] = [8, 4, 2]
/** How much more the first line of a table is worth than its rows. */
const HEADING_WORTH = 4

/** The rows of the tables of one text. A single table has the description of its columns above. */
export function tableItems(tables: readonly TableData[], budgetTokens: number): PreviewModel {
  const [table] = tables
  const shared = { names: rowKeys(tables), alwaysHeader: true, shares: [], lineShare: 1 / 3, endShare: 0 }
  if (table === undefined || tables.length > 1) {
    const rows = tables.reduce((sum, { rows: own }) => sum + own, 0)
    const lines = table?.lines ?? 0
    return {
      ...shared,
      items: tables.flatMap((one) => sectionItems(one, budgetTokens / tables.length)),
      lines,
      header: [countOf(tables.length, 'table'), [countOf(rows, 'row'), countOf(lines, 'line')].join(', ')].join(': '),
    }
  }
  const header = headerOf(table)
  const last = table.sample.at(-1)
  return {
    ...shared,
    items: rowItems(table, budgetTokens),
    from: table.sample[0]?.line,
    lines: last === undefined ? table.lines : endLine(last),
    header,
    head: [table.title.trimEnd(), columnsOf(table, budgetTokens - estimateTokens(header)), ...table.notes]
      .filter((line) => line !== '')
      .map((line) => cutAtGrapheme(line, budgetTokens * 2)),
    label: table.isRewritten === true ? lineLabel : undefined,
  }
}

function headerOf({ kind, rows, columns, lines, names, labels, ragged, title, largest, sample }: TableData): string {
  // Lines of records have neither header nor columns that anybody named.
  if (names === undefined && labels !== undefined && kind !== 'table') {
    const counts = [...(rows === lines ? [] : [countOf(rows, 'row')]), countOf(lines, 'line')]
    return `${kind}: ${counts.join(', ')}${largest === true && rows === sample.length ? ', the largest shown' : ''}`
  }
  const plain = rows + (names === undefined ? 0 : 1) + title.split('\n').length - 1
  const parts = [`${countOf(rows, 'row')} × ${countOf(columns, 'column')}`]
  if (lines !== plain || kind === 'table') parts.push(countOf(lines, 'line'))
  if (names === undefined) parts.push('no header')
  if (ragged > 0) parts.push(`${countOf(ragged, 'row')} with another number of cells`)
  return `${kind}: ${parts.join(', ')}`
}

/** The names of the columns, all of them if they fit, with what is known of each as far as there is room. */
function columnsOf({ names, labels, summaries, columns, separator }: TableData, budgetTokens: number): string {
  for (const listed of LISTED) {
    const described = summaries.map((summary, column) => {
      const about = describeColumn(summary, listed)
      if (names === undefined) return about === '' ? '' : `[${labels?.[column] ?? `column ${column + 1}`}: ${about}]`
      return about === '' ? (names[column] ?? '') : `${names[column] ?? ''} [${about}]`
    })
    const text = [...described, ...(names ?? []).slice(summaries.length)].filter((line) => line !== '').join('\n')
    const isWhole = summaries.length > 0 && (names === undefined || names.length === columns)
    if (isWhole && estimateTokens(text) <= budgetTokens * COLUMN_SHARE) return text
  }
  if (names === undefined) return ''
  const between = names.some((name) => name.includes(separator)) ? '\n' : separator
  let text = names.join(between)
  let left = columns - names.length
  const most = budgetTokens * HEADER_SHARE
  for (let shown = names.length; shown > 0 && estimateTokens(text) > most;) {
    shown = Math.floor(shown * Math.min(0.9, (most / estimateTokens(text)) * 0.95))
    text = names.slice(0, shown).join(between)
    left = columns - shown
  }
  return left > 0 ? `${text}${between}[… ${countOf(left, 'more column')}]` : text
}

/** The lines above the rows of one of several tables, and its rows. */
function sectionItems(table: TableData, budgetTokens: number): Item[] {
  const rows = rowItems(table, budgetTokens)
  const first = table.sample[0]?.line ?? 0
  const names = table.names?.join(table.separator) ?? ''
  const above = [...table.title.trimEnd().split('\n'), names].filter((line) => line !== '')
  let parent: Item | undefined
  const headings = above.map((text, index) => {
    parent = textItem(first - above.length + index, text, HEADING_WORTH, parent)
    return parent
  })
  for (const row of rows) row.parent = parent
  return [...headings.filter(({ start }) => start > 0), ...rows]
}

/** The rows, worth more the sooner they come in their order. */
function rowItems(table: TableData, budgetTokens: number): Item[] {
  const { sample, split, separator } = table
  const values = new Float64Array(sample.length)
  let rank = 0
  for (const place of rowOrder(table)) values[place] = 1 / ++rank
  const rows = sample.map(({ text }) => split(text).map(cleanCell))
  const cap = cellCap(rows, separator, budgetTokens)
  return sample.map((row, place) => {
    const text = rows[place]!.map((cell) => cutCell(cell, cap)).join(separator)
    const item = textItem(row.line, text.trimEnd(), values[place]!)
    const next = sample[place + 1]
    // Lines that only rule off rows belong to the row before.
    item.end = next?.index === row.index + 1 ? next.line - 1 : endLine(row)
    item.lone = true
    return item
  })
}

/** The length that cells are cut to, so that enough rows fit. */
function cellCap(rows: readonly (readonly string[])[], separator: string, budgetTokens: number): number {
  const probe = [...spreadOrder(rows.length)].slice(0, 32).map((place) => rows[place]!)
  const costOf = (cap: number): number =>
    probe.reduce((sum, row) => sum + estimateTokens(row.map((cell) => cutCell(cell, cap)).join(separator)) + 3, 0)
  return (
    CAPS.find((cap) => costOf(cap) * Math.min(AIMED_ROWS, rows.length) <= budgetTokens * probe.length) ?? CAPS.at(-1)!
  )
}

function cutCell(cell: string, cap: number): string {
  const cut = cutAtGrapheme(cell, cap)
  return cut.length < cell.length ? `${cut}…` : cell
}

/** What a cell shows, its blanks folded: a cell of several lines stays one. */
function cleanCell(cell: string): string {
  const lines = cell.split('\n').map((line) => cleanLine(line.replace(/[^\S\r]+/g, ' ')))
  return [lines[0], ...lines.slice(1).map((line) => line.trimStart())].join('\n')
}

function endLine({ line, text, lines }: SampledRow): number {
  return line + (lines ?? text.split('\n').length) - 1
}
