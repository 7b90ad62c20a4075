import { formatCount } from '@spillway/text/internal'
import type { PreviewOptions } from '../previewer.ts'

/**
 * Writes the marks that stand in one preview for the lines it does not show.
 *
 * Each says how many lines it hides; the first also says which call shows them, and by that how the others are shown: the
 * numbers of the lines beside a gap tell its ends.
 */
export class GapMarks {
  readonly #showLines: ((start: number, end: number) => string | undefined) | undefined
  readonly #counted: (count: number) => string
  #called = false

  /** @param counted - Says how many are hidden; lines, if absent. */
  constructor(
    { showLines }: { readonly showLines?: ((start: number, end: number) => string | undefined) | undefined },
    counted = (count: number): string => countOf(count, 'line'),
  ) {
    this.#showLines = showLines
    this.#counted = counted
  }

  /**
   * Write the mark of the lines from `start` to `end`, 1-based and inclusive: `[… 12 lines]`.
   *
   * @param kinds - What is among them, such as `3 errors`; may be empty.
   */
  write(start: number, end: number, kinds = ''): string {
    const lines = this.#counted(end - start + 1)
    const call = this.#called ? undefined : this.#showLines?.(start, end)
    this.#called = true
    return `[… ${lines}${kinds === '' ? '' : `, ${kinds}`}${call === undefined ? '' : `: ${call}`}]`
  }
}

/** Write a number with what it counts: `1 line`, `12,000 lines`. */
export function countOf(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`
}

/** UTF-16 units of hidden text from which its line may be too long for one answer, which shows a line from its start. */
const LONG_GAP = 400

/**
 * Write the call that shows what is hidden from the line `start` to `end`: by lines, or by the text that it begins with
 * where it is a long part of one line.
 */
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

/** How many of some ascending numbers are from `from` to `to`. */
export function countBetween(numbers: readonly number[], from: number, to: number): number {
  return firstAtLeast(numbers, to + 1) - firstAtLeast(numbers, from)
}

/** Say of a gap how many things begin in it, by the ascending numbers of their lines; nothing where none does. */
export function hiddenOf(starts: readonly number[], noun: string, from: number, to: number): string[] {
  const hidden = countBetween(starts, from, to)
  return hidden === 0 ? [] : [countOf(hidden, noun)]
}

function firstAtLeast(numbers: readonly number[], least: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}

/** UTF-16 units of a column's name in an example, at most. */
const LONGEST_EXAMPLE = 40

/** Write a statement that counts the values of a column of `t`; `undefined` if there is no SQL, or no name to write. */
export function sqlExample(
  { showSql }: Pick<PreviewOptions, 'showSql'>,
  column: string | undefined,
): string | undefined {
  if (column === undefined || column === '' || column.length > LONGEST_EXAMPLE || column.includes('"')) return undefined
  return showSql?.(`SELECT "${column}", count(*) FROM t GROUP BY 1`)
}

/** Add a statement over the rows to the call that shows hidden ones. */
export function withSqlExample(options: PreviewOptions, column: string | undefined): PreviewOptions {
  const example = sqlExample(options, column)
  const { showLines } = options
  if (example === undefined || showLines === undefined) return options
  return { ...options, showLines: (start, end) => `${showLines(start, end)}; ${example}` }
}
