/** The number of line ends in each block of a content, for finding lines. */
export interface LineBlocks {
  readonly size: number
  readonly lines: number
  readonly blocks: readonly (readonly [start: number, lineEnds: number])[]
  readonly omitted?: { readonly lines: number; readonly afterLine: number }
}

/** A line, or a part of content without short lines. */
export interface ReadLine {
  /** The number of the line, or the offset of the part. */
  readonly number: number
  readonly text: string
  /** Whether the text is only the start of the line. */
  readonly isCut: boolean
}

const MAX_READ_BYTES = 4_194_304
const MAX_LINE_BYTES = 16_384
const MAX_KEPT = 20_000
/** Average line length above which content is shown in parts. */
const LONG_LINE_BYTES = 8_192
const PART_BYTES = 128
const LINE_FEED = 10
const RETURN = 13

type ReadBytes = (start: number, end: number) => Promise<Uint8Array>

/** Reads lines of content of any size with range reads, and caches the latest lines. */
export class LineReader {
  readonly #blocks: LineBlocks
  readonly #before: readonly number[]
  readonly #read: ReadBytes
  readonly #kept = new Map<number, ReadLine>()
  /** Number of rows in the list: lines, or parts. */
  readonly rows: number
  readonly hasLines: boolean

  constructor(blocks: LineBlocks, read: ReadBytes) {
    const { size, lines, omitted } = blocks
    const present = lines - (omitted?.lines ?? 0)
    this.#blocks = blocks
    this.#read = read
    this.hasLines = size <= LONG_LINE_BYTES * Math.max(1, present)
    this.rows = this.hasLines ? present : Math.ceil(size / PART_BYTES)
    let sum = 0
    this.#before = blocks.blocks.map(([, lineEnds]) => (sum += lineEnds) - lineEnds)
  }

  /** Return a row that is loaded; `undefined` if it is not. */
  row(index: number): ReadLine | undefined {
    return this.#kept.get(index)
  }

  rowOf(line: number): number {
    const { lines = 0, afterLine = line } = this.#blocks.omitted ?? {}
    return this.hasLines ? (line - 1 < afterLine ? line : Math.max(afterLine + 1, line - lines)) - 1 : 0
  }

  /** Load rows that are not cached. */
  async load(first: number, last: number): Promise<void> {
    if (this.#kept.size > MAX_KEPT) this.#kept.clear()
    for (let row = first; row <= last; row++) {
      if (this.#kept.has(row)) continue
      // If lines are long, one read may end before the last row.
      await (this.hasLines ? this.#loadLines(row, last) : this.#loadParts(row, last))
      if (!this.#kept.has(row)) return
    }
  }

  async #loadLines(first: number, last: number): Promise<void> {
    const { blocks, size } = this.#blocks
    const begin = this.#blockOf(first)
    const end = this.#blockOf(last + 1)
    const start = blocks[begin]?.[0] ?? 0
    const bytes = await this.#read(start, Math.min(blocks[end + 1]?.[0] ?? size, start + MAX_READ_BYTES))
    let row = this.#before[begin] ?? 0
    for (let at = 0; at < bytes.length && row <= last; row++) {
      const found = bytes.indexOf(LINE_FEED, at)
      const lineEnd = found < 0 ? bytes.length : found
      if (row >= first) this.#keepLine(row, bytes.subarray(at, lineEnd), found < 0 && start + lineEnd < size)
      at = lineEnd + 1
    }
  }

  async #loadParts(first: number, last: number): Promise<void> {
    const begin = first * PART_BYTES
    const bytes = await this.#read(begin, Math.min(this.#blocks.size, (last + 1) * PART_BYTES))
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const text = new TextDecoder().decode(bytes.subarray(at, at + PART_BYTES))
      this.#kept.set((begin + at) / PART_BYTES, { number: begin + at, text, isCut: false })
    }
  }

  #keepLine(row: number, bytes: Uint8Array, goesOn: boolean): void {
    const { lines = 0, afterLine = Infinity } = this.#blocks.omitted ?? {}
    const length = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length
    const text = new TextDecoder().decode(bytes.subarray(0, Math.min(length, MAX_LINE_BYTES)))
    const number = row + 1 + (row >= afterLine ? lines : 0)
    this.#kept.set(row, { number, text, isCut: goesOn || length > MAX_LINE_BYTES })
  }

  /** Find the block with the line end before a row: the last block with fewer than `row` line ends before it. */
  #blockOf(row: number): number {
    let [low, high] = [0, this.#before.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#before[middle]! < row) low = middle
      else high = middle - 1
    }
    return low
  }
}
