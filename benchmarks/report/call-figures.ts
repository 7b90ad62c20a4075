import { besideHighest, besideLowest, type Comparison } from './comparison.ts'
import { worst, type Section } from './section.ts'

/** Figures of calls that clients make during some time. */
export interface CallRates {
  readonly perSecond: number
  /** In milliseconds. */
  readonly p99: number
}

/** Failed calls, and results that could not be read afterwards. */
export interface CallFaults {
  readonly failed: number
  readonly lost: number
}

/** Compare calls with the same calls of a bare server, if it was measured. */
export function compareRates(
  what: string,
  { perSecond, p99 }: CallRates,
  name: string,
  bare: readonly CallRates[],
): Comparison[] {
  const others = (key: keyof CallRates): { name: string; value: number }[] =>
    bare.map((rates) => ({ name, value: rates[key] }))
  return [
    { what: `${what}: per second`, unit: '', ours: perSecond, floor: besideHighest(perSecond, others('perSecond')) },
    { what: `${what}: p99`, unit: 'ms', ours: p99, floor: besideLowest(p99, others('p99')) },
  ]
}

/** Create bounds for failed calls and lost results. */
export function boundFaults<Row extends CallFaults>(
  rows: readonly Row[],
  where: (row: Row) => string,
): Section['bounds'] {
  const bound = (title: string, key: keyof CallFaults): Section['bounds'][number] =>
    worst(
      title,
      0,
      rows.map((row) => ({ value: row[key], where: where(row) })),
    )
  return [bound('failed calls', 'failed'), bound('lost results', 'lost')]
}
