/** Finds the cells of a line. */
export interface LineColumns {
  /** The names that the header gives; absent without a header. */
  readonly names: readonly string[] | undefined
  readonly columns: number
  /** What stands between cells that are shown. */
  readonly separator: string
  /**
   * Write the start and the end of each cell of the line that stands in `codes` from `start` to `end`. Returns how many
   * cells it has, or 0 where the line does not fit the columns.
   */
  readonly find: (codes: Uint16Array, start: number, end: number, bounds: Int32Array) => number
}

/** Where a column stands in every line: from `start` on, up to but without `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

const BLANK = 32
const TAB = 9

/** Cells stand below each other, between blanks that all lines share. A longer cell pushes those after it. */
export function spanColumns(spans: readonly Span[], names: readonly string[]): LineColumns {
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    let from = start
    let fits = true
    for (let cell = 0; cell < spans.length; cell++) {
      let to = end
      const next = spans[cell + 1]
      if (next !== undefined) {
        to = Math.min(end, start + next.start)
        if (to < end && to > from && !isBlank(codes[to - 1]!)) {
          // The cell before runs into this one, or this one begins early: the nearest blank parts them.
          let left = to - 1
          while (left > from && !isBlank(codes[left - 1]!)) left--
          let right = to
          while (right < end && !isBlank(codes[right]!)) right++
          const early = start + (spans[cell]?.end ?? 0)
          if (left > from && left >= early) to = left
          else {
            to = right
            if (right >= end && cell + 2 < spans.length) fits = false
          }
        }
      }
      trim(codes, from, Math.max(from, to), bounds, cell)
      from = Math.max(from, to)
    }
    return fits ? spans.length : 0
  }
  return { names, columns: spans.length, separator: ' ', find }
}

/**
 * Cells are words; the last one takes in what follows.
 *
 * @param groups - Of how many words the cells are: one each, if absent.
 * @param least - Cells that a line has at least: all of them, if absent.
 */
export function wordColumns(
  columns: number,
  names: readonly string[] | undefined,
  groups: readonly number[] = [],
  least: number = columns,
): LineColumns {
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    let at = start
    for (let cell = 0; cell < columns; cell++) {
      while (at < end && isBlank(codes[at]!)) at++
      if (at >= end && cell < least) return 0
      const from = at
      if (cell === columns - 1) at = end
      // A cell such as a date may have several words.
      else
        for (let words = groups[cell] ?? 1; words > 0; words--) {
          while (at < end && isBlank(codes[at]!)) at++
          while (at < end && !isBlank(codes[at]!)) at++
        }
      trim(codes, from, at, bounds, cell)
    }
    return columns
  }
  return { names, columns, separator: ' ', find }
}

/**
 * Cells stand between bars, as in Markdown and in the boxes of database clients.
 *
 * @param framed - Whether bars stand also before the first and behind the last cell.
 */
export function barColumns(names: readonly string[], bar: string, framed: boolean): LineColumns {
  const code = bar.charCodeAt(0)
  const columns = names.length
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    let from = start
    let to = end
    if (framed) {
      while (from < to && isBlank(codes[from]!)) from++
      while (to > from && isBlank(codes[to - 1]!)) to--
      if (from < to && codes[from] === code) from++
      if (to > from && codes[to - 1] === code) to--
    }
    let cell = 0
    for (let at = from; at <= to; at++) {
      // Markdown escapes a bar inside a cell.
      if (at < to && (codes[at] !== code || codes[at - 1] === 92)) continue
      if (cell < columns) trim(codes, from, at, bounds, cell)
      cell++
      from = at + 1
    }
    return cell === columns ? columns : 0
  }
  return { names, columns, separator: bar, find }
}

function isBlank(code: number): boolean {
  return code === BLANK || code === TAB
}

function trim(codes: Uint16Array, start: number, end: number, bounds: Int32Array, cell: number): void {
  let from = start
  let to = end
  while (from < to && isBlank(codes[from]!)) from++
  while (to > from && isBlank(codes[to - 1]!)) to--
  bounds[2 * cell] = from
  bounds[2 * cell + 1] = to
}
