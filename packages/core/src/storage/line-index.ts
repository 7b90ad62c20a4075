/** Bytes of the blocks whose line ends are counted. */
export const LINE_BLOCK_BYTES = 65_536

const LINE_FEED = 10

/**
 * Where the lines of a content begin, sparsely: how many line ends each block of 64 KiB has.
 *
 * Lines end at LF, and a final LF ends the last line. Kept as `EntryInfo.lineIndex`: in base64, a version, the size of the
 * content and one count for each block, as variable-length integers of 7 bits, the low ones first.
 */
export class LineIndex {
  /** Bytes of the content. */
  readonly size: number
  /** Lines of the content, the last one also where nothing ends it. */
  readonly lines: number
  /** Line ends before each block, and at the end those of the whole. */
  readonly #before: Float64Array

  constructor(size: number, counts: readonly number[], endsWithLineFeed: boolean) {
    this.size = size
    this.#before = new Float64Array(counts.length + 1)
    for (let block = 0; block < counts.length; block++) this.#before[block + 1] = this.#before[block]! + counts[block]!
    this.lines = this.#before[counts.length]! + (size === 0 || endsWithLineFeed ? 0 : 1)
  }

  /** Line ends before a block; for the block after the last, those of the whole. */
  lineEndsBefore(block: number): number {
    return this.#before[Math.min(block, this.#before.length - 1)]!
  }

  /** The block in which a line begins, `line` from 1 to `lines`; its first byte may be that of the next block. */
  blockOfLine(line: number): number {
    // Line n begins just after line end n - 1: in the last block that has fewer line ends before it.
    let low = 0
    let high = this.#before.length - 2
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#before[middle]! < line - 1) low = middle
      else high = middle - 1
    }
    return Math.max(0, low)
  }
}

/** Builds a {@link LineIndex} from chunks of any length. */
export class LineIndexBuilder {
  readonly #counts: number[] = []
  #size = 0
  #last: number | undefined

  /** Take the next bytes. */
  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const block = Math.floor(this.#size / LINE_BLOCK_BYTES)
      const end = Math.min(chunk.length, at + (block + 1) * LINE_BLOCK_BYTES - this.#size)
      this.#counts[block] = (this.#counts[block] ?? 0) + countLineEnds(chunk, at, end)
      this.#size += end - at
      at = end
    }
    this.#last = chunk.at(-1) ?? this.#last
  }

  finish(): LineIndex {
    return new LineIndex(this.#size, this.#counts, this.#last === LINE_FEED)
  }
}

/** Count the LF in `bytes` from `start` to `end`. */
export function countLineEnds(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}
