import { table } from '../../report/table.ts'
import { besideLowest, type Comparison } from '../../report/comparison.ts'
import { known } from '../../report/known.ts'
import { worst, type Section } from '../../report/section.ts'
import { largeConversation, smallConversation } from '../cost/conversations.ts'
import { CALL_WAYS, PASS_WAYS } from '../cost/cost-ways.ts'
import { measureCost } from '../measure/measure-cost.ts'
import type { HistoryOptions } from './measured.ts'

const MESSAGES = [10, 100, 1_000]
const RESULTS = [10, 100]
/** Limit of the milliseconds of a call with 1,000 messages in any format. */
const MAX_CALL = 25
const EFFORT = { calls: 101, passes: 7 }
const QUICK = { calls: 3, passes: 1 }

/** Measure the time for shortening histories, and write the tables. */
export async function costSection({ isQuick }: HistoryOptions): Promise<Section> {
  const { calls, passes } = isQuick ? QUICK : EFFORT
  const callTimes: ReadonlyMap<string, number>[] = []
  for (const messages of MESSAGES) callTimes.push(await measureCost(CALL_WAYS, smallConversation(messages), calls))
  const passTimes: ReadonlyMap<string, number>[] = []
  for (const results of RESULTS) passTimes.push(await measureCost(PASS_WAYS, largeConversation(results), passes))
  const text = [
    'Milliseconds that a call of the model takes more while the history is within its limit, by the number of messages: medians. `copies`: where a framework hands over copies instead of the same objects.',
    timesTable(MESSAGES.map(String), callTimes),
    'Milliseconds of a pass over results of 55 KB each, by how many there are.',
    timesTable(RESULTS.map(String), passTimes),
  ].join('\n\n')
  const ours = [...known(callTimes.at(-1))].filter(([name]) => name.startsWith('Spillway'))
  const bound = worst(
    'a call over 1,000 messages within the limit',
    MAX_CALL,
    ours.map(([where, value]) => ({ where, value })),
    'ms',
  )
  const figures = { calls: callTimes.map(Object.fromEntries), passes: passTimes.map(Object.fromEntries) }
  return { text, bounds: [bound], comparisons: compareCosts(figures), figures }
}

/** Compare Spillway's slowest call with 1,000 messages, and its pass over 100 results, with the fastest of others. */
function compareCosts({ calls, passes }: Record<'calls' | 'passes', Record<string, number>[]>): Comparison[] {
  const compare = (what: string, times: Record<string, number>): Comparison => {
    const [others, own] = [false, true].map((isOurs) =>
      Object.entries(times).flatMap(([name, value]) => (name.startsWith('Spillway') === isOurs ? { name, value } : [])),
    )
    const dearest = known(own?.toSorted((one, other) => other.value - one.value)[0])
    return { what, unit: 'ms', ours: dearest.value, other: besideLowest(dearest.value, others ?? []) }
  }
  return [
    compare('a call with 1,000 messages within the limit', known(calls.at(-1))),
    compare('a pass over 100 results of 55 KB', known(passes.at(-1))),
  ]
}

function timesTable(heads: readonly string[], columns: readonly ReadonlyMap<string, number>[]): string {
  const names = [...known(columns[0]).keys()]
  return table(
    ['', ...heads],
    names.map((name) => [name, ...columns.map((times) => milliseconds(known(times.get(name))))]),
  )
}

const milliseconds = (time: number): string => (time < 100 ? String(Number(time.toPrecision(2))) : time.toFixed(0))
