import { formatCount, formatTable, printable } from '../../format.ts'
import type { MessageRow } from './message-row.ts'

/** A table of more messages shows the largest. */
const MAX_ROWS = 40
const SHOWN_LARGEST = 20
const MAX_TOOL_LENGTH = 32

/**
 * Write a table of messages with their tokens before and after, and a row of their sums; of a long history the largest
 * messages, and the sums of each role.
 */
export function messageTable(rows: readonly MessageRow[]): string {
  const isLong = rows.length > MAX_ROWS
  const shown = isLong ? largest(rows) : rows
  const hasLines = rows.some(({ line, number }) => line !== undefined && line !== number)
  const cells = (row: MessageRow): string[] => [
    String(row.number),
    ...(hasLines ? [row.line === undefined ? '' : String(row.line)] : []),
    row.role,
    toolName(row.tool),
    formatCount(row.before),
    row.after === undefined ? '?' : formatCount(row.after),
    row.what,
  ]
  const header = ['#', ...(hasLines ? ['LINE'] : []), 'ROLE', 'TOOL', 'BEFORE', 'AFTER', '']
  const numbers = new Set(hasLines ? [0, 1, 4, 5] : [0, 3, 4])
  const table = [header, ...shown.map(cells)]
  if (!isLong) return aligned([...table, sumCells('all', rows, hasLines)], numbers)
  const left = `${formatCount(rows.length - shown.length)} smaller messages are not shown.\n`
  return `${aligned(table, numbers)}${left}\n${roleTable(rows)}`
}

/** The largest before, in their order. */
const largest = (rows: readonly MessageRow[]): readonly MessageRow[] =>
  rows
    .toSorted((a, b) => b.before - a.before)
    .slice(0, SHOWN_LARGEST)
    .toSorted((a, b) => a.number - b.number)

function sumCells(name: string, rows: readonly MessageRow[], hasLines: boolean): string[] {
  const { before, after } = sums(rows)
  return ['', ...(hasLines ? [''] : []), name, '', before, after, '']
}

function roleTable(rows: readonly MessageRow[]): string {
  const roles = [...new Set(rows.map(({ role }) => role))]
  const rowOf = (name: string, of: readonly MessageRow[]): string[] => {
    const { before, after } = sums(of)
    return [name, formatCount(of.length), before, after]
  }
  const lines = roles.map((role) =>
    rowOf(
      role,
      rows.filter((row) => row.role === role),
    ),
  )
  return aligned([['ROLE', 'MESSAGES', 'BEFORE', 'AFTER'], ...lines, rowOf('all', rows)], new Set([1, 2, 3]))
}

function sums(rows: readonly MessageRow[]): { readonly before: string; readonly after: string } {
  const after = rows.some((row) => row.after === undefined)
    ? '?'
    : formatCount(rows.reduce((sum, row) => sum + (row.after ?? 0), 0))
  return { before: formatCount(rows.reduce((sum, row) => sum + row.before, 0)), after }
}

/** Write rows with their columns aligned, numbers to the right. */
function aligned(rows: readonly (readonly string[])[], numbers: ReadonlySet<number>): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return formatTable(
    rows.map((row) => row.map((cell, column) => (numbers.has(column) ? cell.padStart(widths[column] ?? 0) : cell))),
    true,
  )
}

function toolName(name: string): string {
  const safe = printable(name)
  return safe.length > MAX_TOOL_LENGTH ? `${safe.slice(0, MAX_TOOL_LENGTH - 1)}…` : safe
}
