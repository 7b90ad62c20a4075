import { countOf, estimateTokens } from '@spillway/text/internal'
import type { PreviewOptions } from '../previewer.ts'

/**
 * Writes marks for hidden lines.
 *
 * Each mark has the number of hidden lines. The first mark whose lines one call can show also has that call, as an
 * example for the others.
 */
export type WriteGap = (start: number, end: number, kinds?: string) => string

export function gapMarks(
  { showLines }: { readonly showLines?: ((start: number, end: number) => string | undefined) | undefined },
  counted = (count: number): string => countOf(count, 'line'),
): WriteGap {
  let called = false

  /**
   * Writes `[… 12 lines]` for lines from `start` to `end`, 1-based and inclusive.
   *
   * @param kinds - Kinds of hidden lines, for example `3 errors`. May be empty.
   */
  function write(start: number, end: number, kinds = ''): string {
    const lines = counted(end - start + 1)
    const call = called ? undefined : showLines?.(start, end)
    called ||= call !== undefined
    return `[… ${lines}${kinds === '' ? '' : `, ${kinds}`}${call === undefined ? '' : `: ${call}`}]`
  }

  return write
}

/** Estimates the tokens of the call in a gap, by a call for ten lines. */
export const callTokensOf = ({ showLines }: Pick<PreviewOptions, 'showLines'>): number =>
  estimateTokens(showLines?.(1_000, 1_009) ?? '')

/** Largest number of hidden UTF-16 units of one line that fit an answer in any case. */
const LONG_GAP = 400

/** Return a call that shows hidden lines. For a long part of one line, the call searches for its first words. */
export function showGap(
  { showLines, showText }: Pick<PreviewOptions, 'showLines' | 'showText'>,
  {
    start,
    end,
    units,
    beginning,
  }: { readonly start: number; readonly end: number; readonly units: number; readonly beginning: string },
): string | undefined {
  return start >= end && units > LONG_GAP && beginning !== '' && showText !== undefined
    ? showText(beginning)
    : showLines?.(start, Math.max(start, end))
}

/** `numbers` must be ascending. */
export function countBetween(numbers: readonly number[], from: number, to: number): number {
  const own = (number: number): number => number
  return firstAtLeast(numbers, to + 1, own) - firstAtLeast(numbers, from, own)
}

/** `starts` must be ascending. Returns an empty list if no item starts in the gap. */
export function hiddenOf(starts: readonly number[], noun: string, from: number, to: number): string[] {
  const hidden = countBetween(starts, from, to)
  return hidden === 0 ? [] : [countOf(hidden, noun)]
}

/** Return the index of the first item with at least the number `least`. The numbers must be ascending. */
export function firstAtLeast<Item>(items: readonly Item[], least: number, numberOf: (item: Item) => number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numberOf(items[middle]!) < least) low = middle + 1
    else high = middle
  }
  return low
}

/** Longest column name to use in an example, in UTF-16 units. */
const LONGEST_EXAMPLE = 40

/** Returns `undefined` if SQL is not available, or the column name is missing or unsuitable. */
export function sqlExample(
  { showSql }: Pick<PreviewOptions, 'showSql'>,
  column: string | undefined,
): string | undefined {
  if (column === undefined || column === '' || column.length > LONGEST_EXAMPLE || column.includes('"')) return undefined
  return showSql?.(`SELECT "${column}", count(*) FROM t GROUP BY 1`)
}

export function withSqlExample(options: PreviewOptions, column: string | undefined): PreviewOptions {
  const example = sqlExample(options, column)
  const { showLines } = options
  if (example === undefined || showLines === undefined) return options
  return { ...options, showLines: (start, end) => [showLines(start, end) ?? [], example].flat().join('; ') }
}
