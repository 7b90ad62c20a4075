import { formatCount } from '@spillway/text/internal'
import type { CellBatch } from '@spillway/text/internal/engines'
import type { TableRow, TableSink } from '@spillway/text/internal/tables'

/** Columns that SQLite takes, at most. */
const MAX_COLUMNS = 2_000
/** Bytes and cells of a batch; one row is in one batch. */
const BATCH_BYTES = 1_048_576
const BATCH_CELLS = 131_072
/** Rows of a table, at most. */
export const MAX_ROWS = 5_000_000

const encoder = new TextEncoder()

/** Takes the rows of a text and packs their cells for the engine. */
export class CellBatches implements TableSink {
  #headers: readonly string[] = []
  readonly #names: string[] = []
  readonly #used = new Set<string>()
  #bytes = new Uint8Array(BATCH_BYTES)
  #size = 0
  #lengths = new Int32Array(BATCH_CELLS)
  #cells = 0
  #width = 0
  #ready: CellBatch[] = []
  #isOther = false
  #rows = 0
  #otherRows = 0
  #cutCells = 0

  /** Whether the table has more rows than are loaded. */
  get isOver(): boolean {
    return this.#rows > MAX_ROWS
  }

  begin(names: readonly string[]): void {
    if (this.#headers.length === 0) this.#headers = names
    // Of several tables, those count that have the columns of the first.
    this.#isOther = names.length !== this.#headers.length || names.some((name, at) => name !== this.#headers[at])
  }

  row(row: TableRow): void {
    if (this.#isOther) this.#otherRows++
    else if (++this.#rows <= MAX_ROWS) this.#add(row)
  }

  /** Take the batches that are full; with `all`, the last one too. */
  take(all = false): readonly CellBatch[] {
    if (all) this.#flush()
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  /** Say what is not in the table. */
  notes(): string[] {
    const notes: string[] = []
    if (this.#otherRows > 0)
      notes.push(`Rows of other tables in this text were left out: ${formatCount(this.#otherRows)}.`)
    if (this.#headers.length > MAX_COLUMNS)
      notes.push(
        `The table has ${formatCount(this.#headers.length)} columns, of which the first ${formatCount(MAX_COLUMNS)} are loaded.`,
      )
    if (this.#cutCells > 0) notes.push(`Cells of which only the beginning is loaded: ${formatCount(this.#cutCells)}.`)
    return notes
  }

  #add(row: TableRow): void {
    const width = Math.min(this.#headers.length, MAX_COLUMNS)
    if (width !== this.#width) {
      this.#flush()
      while (this.#names.length < width) this.#names.push(this.#nameOf(this.#headers[this.#names.length]!))
      this.#width = width
    } else if (this.#size >= BATCH_BYTES || this.#cells + width > BATCH_CELLS) this.#flush()
    for (let column = 0; column < width; column++) {
      const cell = row.cell(column)
      const kind = row.kindOf?.(column)
      if (cell === undefined || (kind !== 'string' && isNull(cell))) {
        this.#lengths[this.#cells++] = -1
        continue
      }
      if (row.isLong === true && cell.length < row.lengthOf(column)) this.#cutCells++
      const start = this.#size
      this.#write(kind === 'boolean' ? (cell === 'true' ? '1' : '0') : cell)
      this.#lengths[this.#cells++] = 2 * (this.#size - start) + (kind === 'string' ? 1 : 0)
    }
  }

  /** Write a cell as UTF-8: ASCII here, as handing over short texts takes longer than copying them. */
  #write(cell: string): void {
    const { length } = cell
    if (this.#size + 3 * length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#size + 3 * length))
      larger.set(this.#bytes.subarray(0, this.#size))
      this.#bytes = larger
    }
    const bytes = this.#bytes
    let size = this.#size
    for (let at = 0; at < length; at++) {
      const code = cell.charCodeAt(at)
      if (code > 127) {
        size += encoder.encodeInto(at === 0 ? cell : cell.slice(at), bytes.subarray(size)).written
        break
      }
      bytes[size++] = code
    }
    this.#size = size
  }

  /** SQL names of columns are the same in any case, so those that are not get a number. */
  #nameOf(header: string): string {
    let name = header
    for (let number = 2; this.#used.has(name.toLowerCase()); number++) name = `${header}_${number}`
    this.#used.add(name.toLowerCase())
    return name
  }

  #flush(): void {
    if (this.#width === 0) {
      this.#width = Math.min(this.#headers.length, MAX_COLUMNS)
      for (const header of this.#headers.slice(0, this.#width)) this.#names.push(this.#nameOf(header))
    }
    const bytes = this.#bytes.slice(0, this.#size)
    this.#ready.push({ names: [...this.#names], bytes, lengths: this.#lengths.slice(0, this.#cells) })
    this.#size = 0
    this.#cells = 0
  }
}

const NULL = /^\s*(?:null|\(null\)|<null>|\\N)?\s*$/i
const MAY_BE_NULL = new Set(Array.from(' \t\n\rnN(<\\', (character) => character.charCodeAt(0)))

/** Whether a cell says that there is nothing: it is blank, or one of the words of databases for that. */
function isNull(cell: string): boolean {
  return cell === '' || (cell.length <= 16 && MAY_BE_NULL.has(cell.charCodeAt(0)) && NULL.test(cell))
}
