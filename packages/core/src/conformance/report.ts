import type { ConformanceLevel } from './harness.ts'

/** Failure of a case. */
export interface CaseFailure {
  /**
   * `promise`: an assertion of the case. `error`: the storage failed at an unexpected point of the case. `timeout`: the
   * case did not end. `setup` and `teardown`: the harness failed, and the storage was not tested. `stopped`: the run
   * was ended before or while the case ran.
   */
  readonly kind: 'promise' | 'error' | 'timeout' | 'setup' | 'teardown' | 'stopped'
  /** Message of the failure. The middle of a long message is removed. */
  readonly message: string
  /** The thrown value. */
  readonly error?: unknown
}

/** Outcome of a case. */
export interface CaseResult {
  readonly id: string
  readonly title: string
  /**
   * `passed`, `failed`: the case ran. `known-gap`: failed, as declared. `gap-closed`: declared to fail, but passed. A
   * closed gap fails the run. `not-proven`: the harness lacks a power or setting. `not-applicable`: the storage does
   * not make the promise. `skipped`: an option excludes the case.
   */
  readonly status: 'passed' | 'failed' | 'known-gap' | 'gap-closed' | 'not-proven' | 'not-applicable' | 'skipped'
  /** Reason for any status other than `passed`. */
  readonly detail?: string
  readonly failure?: CaseFailure
}

/** Outcome of the suite on a backend. */
export interface ConformanceReport {
  readonly name: string
  readonly level: ConformanceLevel
  /** The random seed, with which the run can be repeated. */
  readonly seed?: number
  /** Whether no case failed and no known gap has closed. Cases that are not proven do not matter. */
  readonly ok: boolean
  readonly results: readonly CaseResult[]
}

/** Format of a printed report. */
export interface FormatReportOptions {
  /** Print a line for every case instead of one for every area. Defaults to `false`. */
  readonly everyCase?: boolean
}

/**
 * Print a report as Markdown for a backend's README: a table of areas, then all cases that did not pass. Equal results
 * give equal text, because the report has no dates and durations.
 */
export function formatReport(report: ConformanceReport, options: FormatReportOptions = {}): string {
  const results = report.results.filter(({ status }) => status !== 'skipped')
  const lines = [summary(report, results), '', ...(options.everyCase === true ? caseRows(results) : areaRows(results))]
  for (const [status, heading] of DETAILS) {
    const reasons = Map.groupBy(
      results.filter((result) => result.status === status),
      reasonOf,
    )
    if (reasons.size === 0) continue
    lines.push('', `${heading}:`, '')
    for (const [reason, cases] of reasons)
      lines.push(`- ${oneLine(reason)}: ${cases.map(({ id }) => `\`${id}\``).join(', ')}`)
  }
  if (!report.ok && report.seed !== undefined) lines.push('', `Seed ${report.seed} repeats the run.`)
  return `${lines.join('\n')}\n`
}

/** Describe a failed case: its failure, its promise, and a mistake that backends often make. */
export function explainFailure({ id, title, detail = 'failed', failure }: CaseResult): string {
  const isOfHarness = failure?.kind === 'setup' || failure?.kind === 'teardown'
  const ofArea = LIKELY_MISTAKES[id.slice(0, id.indexOf('/'))]
  const mistake = isOfHarness ? undefined : DRIVER_THREW.test(detail) ? THROWING_DRIVER : ofArea
  return `${detail} (promised: ${title}${mistake === undefined ? '' : `; likely mistake: ${mistake}`})`
}

/** An error that a driver has thrown, as `createStorage` reports it. */
const DRIVER_THREW = /\bThe storage could not [a-z]+/
const THROWING_DRIVER = 'the driver throws for a missing entry: read must return undefined, and remove false'

/** Frequent mistakes of backends, by the area of a case. */
const LIKELY_MISTAKES: Readonly<Record<string, string>> = {
  abort: 'the signal is not passed on, or is checked only before the work',
  age: 'touch is missing, the age counts from storing instead of the last use, or expired entries are still found',
  clear: 'only one page of entries is removed, or the prefix matches other scopes too',
  concurrency: 'a read and a write have an await between them, so they are not atomic',
  content: 'a buffer is kept or returned instead of copied, or content is cut or decoded as text',
  'content-type': 'the type is parsed and written again, or kept in one place for several entries',
  corrupt: 'the number of read bytes is not compared with the stored size',
  delete: 'a part of the entry, or its cached description, stays',
  durability: 'data is kept only in memory, or is written after store() has resolved',
  error: 'an error of the backend is passed on unchanged, or a wrapper loses fields of the error',
  gc: 'an entry is checked and removed in two steps, for example without evict, or entries outside the scope are collected',
  harness: 'create() opens the same data twice, or a driver throws for a missing entry instead of returning undefined',
  instances:
    'write returns true for an existing entry, or an instance caches data that another instance has changed since',
  key: 'the key is used as a name, cut, or normalized',
  kill: 'an entry is visible before it is complete',
  lifecycle: 'closing one object closes a connection that other objects use',
  list: 'pages are joined wrongly, or an option is ignored',
  locate: 'the location is made from the reference alone, without looking for the entry or quoting its name',
  metadata: 'metadata is shared with the caller, encoded lossily, or lost by another method of storing',
  open: 'content is cached by its reference alone, or for longer than its entry exists',
  outage: 'a failure of the backend is reported as a missing entry, or is ignored',
  quota: 'touch is missing, removed bytes are still counted, or only one of several parallel stores is counted',
  range: 'offsets are wrong at the boundaries of chunks',
  reference: 'the reference is parsed or normalized instead of compared unchanged',
  scope:
    'segments are joined with a separator that they may contain, are normalized, or are matched by a prefix or a pattern',
  stat: 'touch is missing, or the description is cached or created again at each use',
  store: 'write returns true for an existing entry, or the reference lacks a part of key, content, type and scope',
  stream: 'parts are written into the entry itself, or are not removed when the stream fails',
  turns: 'not every method counts as use, or turns are counted for all scopes at once',
  undo: 'write returns true for an existing entry, or the last use is not compared with usedAt of the receipt',
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
  const described = parts.map(([number, label]) => `${number} ${number === 1 ? label : label.replace('gap', 'gaps')}`)
  return `\`${name}\`, level \`${level}\`: ${described.join(', ')}.`
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

/** Format a table like Markdown formatters do, so that formatting a README does not change it. */
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

function reasonOf(result: CaseResult): string {
  const { status, detail = 'no reason given', failure } = result
  return status === 'failed' && failure?.kind !== 'stopped' ? explainFailure(result) : detail
}

const count = (results: readonly CaseResult[], status: Status): number =>
  results.filter((result) => result.status === status).length

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
