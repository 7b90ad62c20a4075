import { formatCount, cleanLine, cutAtGrapheme } from '@spillway/text/internal'
import { unquote } from '@spillway/text/internal/tables'
import { countOf } from '../layout/gap-marks.ts'
import type { ColumnSummary, CountedValue } from './column-summary.ts'

/** UTF-16 units of a value that are shown at most. */
const LONGEST_SHOWN = 40

/**
 * Say what is known of a column, in few words: `0.5…2.25`, `yes ×12, no ×3`, `3 empty`; empty where nothing is.
 *
 * @param most - Values that are listed at most.
 */
export function describeColumn(summary: ColumnSummary, most: number): string {
  const { filled, empty, range, values } = summary
  if (filled === 0) return empty === 0 ? '' : 'all empty'
  const parts: string[] = []
  if (values?.length === 1) parts.push(`${empty === 0 ? 'always' : 'only'} ${shown(values[0]!)}`)
  else if (values !== undefined && (values.length <= most || range === undefined) && filled > values.length)
    parts.push(listed(values, most))
  else if (range !== undefined && filled > 1) parts.push(`${range.least}…${range.greatest}`)
  if (empty > 0) parts.push(`${formatCount(empty)} empty`)
  return parts.join(', ')
}

function listed(values: readonly CountedValue[], most: number): string {
  const sorted = values.toSorted((one, other) => other.count - one.count)
  const named = sorted.slice(0, most).map((value) => `${shown(value)} ×${formatCount(value.count)}`)
  const more = values.length - named.length
  return more > 0 ? [...named, countOf(more, 'more value')].join(', ') : named.join(', ')
}

function shown({ text }: CountedValue): string {
  const clean = cleanLine(unquote(text).replace(/\s+/g, ' '))
  const cut = cutAtGrapheme(clean, LONGEST_SHOWN)
  return cut.length < clean.length ? `${cut}…` : clean
}
