import { detach } from '../../content/detach.ts'

/** Rows that are always kept of the beginning and of the end. */
const ENDS = 16
/** UTF-16 units that are kept of a row at most. */
const LONGEST_ROW = 4_096
/** UTF-16 units that are kept of all rows, with what each row takes besides. */
const MOST_UNITS = 2_000_000
const ROW_UNITS = 24

/** A row of a table as it stands in the text. */
export interface SampledRow {
  /** Its place among the rows, from 0. */
  readonly index: number
  /** The number of its first line, 1-based. */
  readonly line: number
  readonly text: string
  /** Whether `text` is only its beginning. */
  readonly cut: boolean
}

/**
 * Keeps rows within a bound: all of them, or the first, the last and between them every second, every fourth and so on.
 * What it keeps depends on the rows alone.
 */
export class RowSample {
  #kept: SampledRow[] = []
  #last: SampledRow[] = []
  #units = 0
  #stride = 1
  #rows = 0

  /** Rows that were added. */
  get rows(): number {
    return this.#rows
  }

  /** Add the row that stands in `text` from `start` to `end`. */
  add(text: string, start: number, end: number, line: number): void {
    const index = this.#rows++
    const cut = end - start > LONGEST_ROW
    const row = text.slice(start, cut ? start + LONGEST_ROW : end)
    if (index % this.#stride === 0 || index < ENDS) {
      this.#kept.push({ index, line, text: detach(row), cut })
      this.#units += row.length + ROW_UNITS
      while (this.#units > MOST_UNITS) this.#thin()
    }
    this.#last.push({ index, line, text: row, cut })
    if (this.#last.length > 4 * ENDS) this.#last = this.#last.slice(-ENDS)
  }

  /** The rows that were kept, in their order. */
  finish(): SampledRow[] {
    const last = this.#last.slice(-ENDS).map((row) => ({ ...row, text: detach(row.text) }))
    const first = last[0]?.index ?? 0
    return [...this.#kept.filter(({ index }) => index < first), ...last]
  }

  #thin(): void {
    this.#stride *= 2
    this.#kept = this.#kept.filter(({ index }) => index % this.#stride === 0 || index < ENDS)
    this.#units = this.#kept.reduce((units, { text }) => units + text.length + ROW_UNITS, 0)
  }
}
