import { basename } from 'node:path'
import { formatBytes, formatCount, formatTable, printable, style } from '../../output.ts'
import type { Compacted } from '../compact-transcript.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { describeObstacles, type MessageRow } from './message-row.ts'

/** Describe a compaction for people: a table, sums, and obstacles. */
export function compactReport(transcript: Transcript, compacted: Compacted, output: string | undefined): string {
  const { rows } = compacted
  return [
    `${heading(transcript)}\n`,
    messageTable(rows),
    [...conclusion(compacted), ...whereTo(compacted, output)].map((line) => `${line}\n`).join(''),
  ].join('\n')
}

function heading({ path, format, layout, messages, lines, size, notes }: Transcript): string {
  const where = layout.kind === 'document' ? '' : ` on ${formatCount(lines)} lines`
  const what = `${printable(basename(path))}: ${format.title}, ${formatCount(messages.length)} messages${where}, ${formatBytes(size)}.`
  return [what, ...notes].join(' ')
}

function conclusion({ outcome, rows, noSummary }: Compacted): readonly string[] {
  const { before, after, limit } = outcome.tokens
  if (before <= limit)
    return [`${formatCount(before)} tokens: within the limit of ${formatCount(limit)}. Nothing was to be done.`]
  const [isSame, room] = [outcome.applied.length === 0, `the limit of ${formatCount(limit)}`]
  const change = isSame
    ? `${formatCount(before)} tokens, and nothing that could be taken out`
    : `${formatCount(before)} tokens became ${formatCount(after)}, ${Math.round((after / before) * 100)} %`
  if (outcome.fits) return [`${change}. It fits ${room}.`]
  return [
    `${change}. ${style('bold', `It does not fit ${room}.`)}`,
    ...describeObstacles(outcome.obstacles, rows, noSummary).map((line) => `  ${line}`),
  ]
}

function whereTo({ outcome }: Compacted, output: string | undefined): readonly string[] {
  const lines: string[] = []
  if (outcome.applied.length > 0) {
    const bytes = outcome.stored.reduce((sum, { size }) => sum + size, 0)
    const stored = `${plural(outcome.stored.length, 'original', 'originals')} of ${formatBytes(bytes)}`
    lines.push(
      output === undefined
        ? `Nothing is written. --output FILE stores ${stored} and writes the transcript.`
        : `Stored ${stored}. Written to ${printable(output)}.`,
    )
  } else if (output !== undefined) lines.push(`Written to ${printable(output)} as it is.`)
  return lines
}

const plural = (count: number, one: string, more: string): string => `${formatCount(count)} ${count === 1 ? one : more}`

const MAX_ROWS = 40
const SHOWN_LARGEST = 20
const MAX_TOOL_LENGTH = 32

/** Write a table of messages with tokens before and after; a long history shows its largest, and sums by role. */
export function messageTable(rows: readonly MessageRow[]): string {
  const isLong = rows.length > MAX_ROWS
  const visible = isLong ? largest(rows) : rows
  const hasLines = rows.some(({ line, number }) => line !== undefined && line !== number)
  const cells = (row: MessageRow): string[] => [
    String(row.number),
    ...(hasLines ? [row.line === undefined ? '' : String(row.line)] : []),
    row.role,
    toolName(row.tool),
    formatCount(row.before),
    formatCount(row.after),
    row.what,
  ]
  const header = ['#', ...(hasLines ? ['LINE'] : []), 'ROLE', 'TOOL', 'BEFORE', 'AFTER', '']
  const numbers = new Set(hasLines ? [0, 1, 4, 5] : [0, 3, 4])
  const table = [header, ...visible.map(cells)]
  if (!isLong) return aligned([...table, sumCells('all', rows, hasLines)], numbers)
  const left = `${formatCount(rows.length - visible.length)} smaller messages are not shown.\n`
  return `${aligned(table, numbers)}${left}\n${roleTable(rows)}`
}

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
  const rowOf = (name: string, of: readonly MessageRow[]): string[] => {
    const { before, after } = sums(of)
    return [name, formatCount(of.length), before, after]
  }
  const lines = [...Map.groupBy(rows, ({ role }) => role)].map(([role, of]) => rowOf(role, of))
  return aligned([['ROLE', 'MESSAGES', 'BEFORE', 'AFTER'], ...lines, rowOf('all', rows)], new Set([1, 2, 3]))
}

function sums(rows: readonly MessageRow[]): { readonly before: string; readonly after: string } {
  const sum = (size: (row: MessageRow) => number): string => formatCount(rows.reduce((all, row) => all + size(row), 0))
  return { before: sum(({ before }) => before), after: sum(({ after }) => after) }
}

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
