import type { ConformanceLevel } from './harness.ts'

/** How a case failed. */
export interface CaseFailure {
  /**
   * `promise`: an assertion of the case. `error`: the storage failed where the case did not expect it. `timeout`: the
   * case did not end. `setup` and `teardown`: the harness failed, and the storage was not tested.
   */
  readonly kind: 'promise' | 'error' | 'timeout' | 'setup' | 'teardown'
  /** A long one without its middle. */
  readonly message: string
  /** What was thrown. */
  readonly error?: unknown
}

/** How a case went. */
export interface CaseResult {
  readonly id: string
  readonly title: string
  /**
   * `passed` and `failed` as they say. `known-gap`: failed as declared. `gap-closed`: declared to fail, but passed, which
   * fails the run. `not-proven`: the harness lacks a power or setting. `not-applicable`: the storage does not promise it.
   * `skipped`: left out by an option.
   */
  readonly status: 'passed' | 'failed' | 'known-gap' | 'gap-closed' | 'not-proven' | 'not-applicable' | 'skipped'
  /** Why, unless it passed. */
  readonly detail?: string
  readonly failure?: CaseFailure
}

/** How a backend did. */
export interface ConformanceReport {
  readonly name: string
  readonly level: ConformanceLevel
  /** Whether no case failed and no known gap has closed. What is not proven does not count against it. */
  readonly ok: boolean
  readonly results: readonly CaseResult[]
}

/** How to print a report. */
export interface FormatReportOptions {
  /** Print a line for every case instead of one for every area. Defaults to `false`. */
  readonly everyCase?: boolean
}

/**
 * Print a report as Markdown for a backend's README: a table of areas, then everything that did not simply pass.
 * Equal results give equal text; there are no dates and durations in it.
 *
 * @example
 * ```ts
 * import { formatReport } from '@spillway/core/conformance'
 *
 * const markdown = formatReport({
 *   name: 'my-storage',
 *   level: 'full',
 *   ok: true,
 *   results: [{ id: 'content/empty', title: 'Nothing comes back as nothing', status: 'passed' }],
 * })
 * console.assert(markdown.includes('| content |      1 |'))
 * ```
 */
export function formatReport(report: ConformanceReport, options: FormatReportOptions = {}): string {
  const results = report.results.filter(({ status }) => status !== 'skipped')
  const lines = [summary(report, results), '', ...(options.everyCase === true ? caseRows(results) : areaRows(results))]
  for (const [status, heading] of DETAILS) {
    const reasons = byReason(results.filter((result) => result.status === status))
    if (reasons.size === 0) continue
    lines.push('', `${heading}:`, '')
    for (const [reason, ids] of reasons) lines.push(`- ${oneLine(reason)}: ${ids.map((id) => `\`${id}\``).join(', ')}`)
  }
  return `${lines.join('\n')}\n`
}

type Status = CaseResult['status']

const COLUMNS: readonly (readonly [Status, string])[] = [
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['gap-closed', 'gap closed'],
  ['known-gap', 'known gap'],
  ['not-proven', 'not proven'],
  ['not-applicable', 'not applicable'],
]

const DETAILS: readonly (readonly [Status, string])[] = [
  ['failed', 'Failed'],
  ['gap-closed', 'Closed gaps, which the harness still declares'],
  ['known-gap', 'Known gaps'],
  ['not-proven', 'Not proven'],
  ['not-applicable', 'Not applicable'],
]

function summary({ name, level }: ConformanceReport, results: readonly CaseResult[]): string {
  const counts = COLUMNS.map(([status, label]) => [count(results, status), label] as const)
  const parts = counts.filter(([number, label]) => number > 0 || label === 'passed')
  const described = parts.map(([number, label]) => `${number} ${label}`).join(', ')
  return `\`${name}\`, level \`${level}\`: ${described}.`
}

function areaRows(results: readonly CaseResult[]): string[] {
  const shown = COLUMNS.filter(([status]) => status === 'passed' || count(results, status) > 0)
  const rows: string[][] = []
  const areas = Map.groupBy(results, ({ id }) => id.slice(0, id.indexOf('/')))
  for (const [area, ofArea] of areas) rows.push([area, ...shown.map(([status]) => String(count(ofArea, status) || ''))])
  return table(['area', ...shown.map(([, label]) => label)], rows, true)
}

function caseRows(results: readonly CaseResult[]): string[] {
  const rows = results.map(({ id, title, status }) => [`\`${id}\``, oneLine(title).replaceAll('|', '\\|'), status])
  return table(['case', 'promise', 'result'], rows, false)
}

/** Lay a table out as Markdown formatters do, so that formatting a README changes nothing. */
function table(heads: readonly string[], rows: readonly (readonly string[])[], isNumeric: boolean): string[] {
  const widths = heads.map((head, column) => Math.max(3, head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const isRight = (column: number): boolean => isNumeric && column > 0
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0
      return isRight(column) ? cell.padStart(width) : cell.padEnd(width)
    })
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, column) => (isRight(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  return [line(heads), line(rule), ...rows.map(line)]
}

function byReason(results: readonly CaseResult[]): Map<string, string[]> {
  const reasons = new Map<string, string[]>()
  for (const { id, detail } of results) {
    const reason = detail ?? 'no reason given'
    reasons.set(reason, [...(reasons.get(reason) ?? []), id])
  }
  return reasons
}

const count = (results: readonly CaseResult[], status: Status): number =>
  results.filter((result) => result.status === status).length

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
