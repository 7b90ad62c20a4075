import { detach } from '@spillway/text/internal'

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
  /** Lines that it has in the text; as many as `text` has, if absent. */
  readonly lines?: number | undefined
  /** Whether `text` is only its beginning. */
  readonly cut: boolean
}

/**
 * Keeps rows within a bound: all of them, or the first, the last and between them every second, every fourth and so on.
 * What it keeps depends on the rows alone.
 */
export class RowSample {
  #kept: SampledRow[] = []
  /** The last rows of the blocks before this one. */
  #last: SampledRow[] = []
  /** Of the last rows of this block: place, start, end, line and lines, one after the other, written in a ring. */
  readonly #ring = new Float64Array(5 * ENDS)
  #inRing = 0
  #units = 0
  #stride = 1
  #rows = 0

  /** Rows that were added. */
  get rows(): number {
    return this.#rows
  }

  /** Add the row that stands in the text of this block from `start` to `end`. */
  add(text: string, start: number, end: number, line: number, lines?: number): void {
    const index = this.#rows++
    if (index % this.#stride === 0 || index < ENDS) this.#keep(rowOf(index, line, text, start, end, lines))
    else {
      const at = 5 * (this.#inRing++ % ENDS)
      this.#ring[at] = index
      this.#ring[at + 1] = start
      this.#ring[at + 2] = end
      this.#ring[at + 3] = line
      this.#ring[at + 4] = lines ?? 0
    }
  }

  /** Add a row of which only the beginning is known. */
  addLong(text: string, line: number): void {
    this.#keep({ index: this.#rows++, line, text, cut: true })
  }

  /** Take over the last rows of this block before its text is let go. */
  endBlock(text: string): void {
    const count = Math.min(this.#inRing, ENDS)
    for (let place = this.#inRing - count; place < this.#inRing; place++) {
      const at = 5 * (place % ENDS)
      const [index = 0, start = 0, end = 0, line = 0, lines = 0] = this.#ring.subarray(at, at + 5)
      this.#last.push(rowOf(index, line, text, start, end, lines === 0 ? undefined : lines))
    }
    this.#inRing = 0
    this.#last = this.#last.slice(-ENDS)
  }

  /** The rows that were kept, in their order. */
  finish(): SampledRow[] {
    const least = this.#rows - ENDS
    const last = this.#last.filter(({ index }) => index >= least)
    return [...this.#kept, ...last].toSorted((one, other) => one.index - other.index)
  }

  #keep(row: SampledRow): void {
    this.#kept.push(row)
    this.#units += row.text.length + ROW_UNITS
    while (this.#units > MOST_UNITS) this.#thin()
  }

  #thin(): void {
    this.#stride *= 2
    const dropped = this.#kept.filter(({ index }) => !this.#keeps(index))
    this.#kept = this.#kept.filter(({ index }) => this.#keeps(index))
    this.#last = [...this.#last, ...dropped.slice(-ENDS)].toSorted((one, other) => one.index - other.index).slice(-ENDS)
    this.#units = this.#kept.reduce((units, { text }) => units + text.length + ROW_UNITS, 0)
  }

  #keeps(index: number): boolean {
    return index % this.#stride === 0 || index < ENDS
  }
}

function rowOf(
  index: number,
  line: number,
  text: string,
  start: number,
  end: number,
  lines: number | undefined,
): SampledRow {
  const cut = end - start > LONGEST_ROW
  return { index, line, text: detach(text.slice(start, cut ? start + LONGEST_ROW : end)), lines, cut }
}
