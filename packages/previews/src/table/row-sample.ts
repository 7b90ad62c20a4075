import { detach } from '@spillway/text/internal'

/** Number of rows at each end that are always kept. */
const ENDS = 16
/** Number of UTF-16 units to keep of a row. */
const LONGEST_ROW = 4_096
/** Number of UTF-16 units to keep of all rows. Each row adds a constant. */
const MOST_UNITS = 2_000_000
const ROW_UNITS = 24

/** A row as it is written in the text. */
export interface SampledRow {
  /** 0-based. */
  readonly index: number
  /** First line of the row, 1-based. */
  readonly line: number
  readonly text: string
}

/**
 * Deterministic sample of rows: all rows, or the first and last rows and every nth row between them, with n a power of
 * 2.
 */
export class RowSample {
  rows = 0
  #kept: SampledRow[] = []
  #last: SampledRow[] = []
  /** Ring of the last rows of this block: place, start, end, line. */
  readonly #ring = new Float64Array(4 * ENDS)
  #inRing = 0
  #units = 0
  #stride = 1

  add(text: string, start: number, end: number, line: number): void {
    const index = this.rows++
    if (index % this.#stride === 0 || index < ENDS) this.#keep(rowOf(index, line, text, start, end))
    else {
      const at = 4 * (this.#inRing++ % ENDS)
      this.#ring[at] = index
      this.#ring[at + 1] = start
      this.#ring[at + 2] = end
      this.#ring[at + 3] = line
    }
  }

  /** Copies the last rows, because the text of the block is freed. */
  endBlock(text: string): void {
    const count = Math.min(this.#inRing, ENDS)
    for (let place = this.#inRing - count; place < this.#inRing; place++) {
      const at = 4 * (place % ENDS)
      const [index = 0, start = 0, end = 0, line = 0] = this.#ring.subarray(at, at + 4)
      this.#last.push(rowOf(index, line, text, start, end))
    }
    this.#inRing = 0
    this.#last = this.#last.slice(-ENDS)
  }

  finish(): SampledRow[] {
    const least = this.rows - ENDS
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

function rowOf(index: number, line: number, text: string, start: number, end: number): SampledRow {
  return { index, line, text: detach(text.slice(start, Math.min(end, start + LONGEST_ROW))) }
}
