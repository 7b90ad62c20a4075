/** The most bytes of a plain block: whoever reads any of them takes memory for all, whatever a backend says there is. */
export const MAX_BLOCK_BYTES = 16_777_216

/** Where the blocks of compressed content lie: content cut into blocks of equal size, each compressed on its own. */
export class BlockTable {
  /** Bytes of the plain content. */
  readonly size: number
  /** Bytes of a plain block; the last may be shorter. */
  readonly blockBytes: number
  /** Where each compressed block begins, and at the end where the last one ends. */
  readonly #starts: Float64Array

  private constructor(size: number, blockBytes: number, starts: Float64Array) {
    this.size = size
    this.blockBytes = blockBytes
    this.#starts = starts
  }

  /** Make the table of content from the compressed lengths of its blocks; `undefined` where they cannot be those. */
  static of(size: number, blockBytes: number, lengths: ArrayLike<number>): BlockTable | undefined {
    if (!isCount(size) || !isBlockSize(blockBytes) || lengths.length !== Math.ceil(size / blockBytes)) return undefined
    const starts = new Float64Array(lengths.length + 1)
    for (let block = 0; block < lengths.length; block++) {
      const length = lengths[block]!
      if (!isCount(length)) return undefined
      starts[block + 1] = starts[block]! + length
    }
    return new BlockTable(size, blockBytes, starts)
  }

  get blocks(): number {
    return this.#starts.length - 1
  }

  /** Bytes of all compressed blocks. */
  get compressedBytes(): number {
    return this.#starts[this.blocks]!
  }

  /** Where a compressed block begins; for the block after the last, where that ends. */
  start(block: number): number {
    return this.#starts[block]!
  }

  /** Bytes of a compressed block. */
  compressedLength(block: number): number {
    return this.#starts[block + 1]! - this.#starts[block]!
  }

  /** Bytes of a plain block. */
  plainLength(block: number): number {
    return Math.min(this.blockBytes, this.size - block * this.blockBytes)
  }
}

/** Whether plain blocks can have so many bytes. */
export const isBlockSize = (value: unknown): value is number => isCount(value) && value <= MAX_BLOCK_BYTES

/** Whether something can be a number of bytes, of which there is at least one. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
