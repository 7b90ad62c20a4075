import { besideLowest, type Comparison } from '../report/comparison.ts'

/** Figures of one implementation with one input; without a median if it failed. */
interface PerfRow {
  readonly impl: string
  readonly input: string
  readonly median?: number
  readonly bytes?: number
}

/** Compare the time of a preview per megabyte with the time to count and cut the first tokens, and with Strands. */
export function comparePerf(rows: readonly PerfRow[]): Comparison[] {
  return rows.flatMap(({ impl, input, median, bytes = 0 }) => {
    if (impl !== 'ours' || median === undefined) return []
    const perMegabyte = (name: string): number | undefined => {
      const row = rows.find((one) => one.impl === name && one.input === input)
      return row?.median === undefined ? undefined : row.median / (bytes / 1e6)
    }
    const ours = median / (bytes / 1e6)
    const floor = besideLowest(ours, [{ name: 'first tokens, counted', value: perMegabyte('head') }])
    const other = besideLowest(ours, [{ name: 'Strands', value: perMegabyte('strands') }])
    return [{ what: `preview of the ${input}, for each MB`, unit: 'ms', ours, floor, other }]
  })
}
