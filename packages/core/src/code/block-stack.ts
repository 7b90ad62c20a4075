/** How far down a stack is searched for the block that a brace closes. */
const DEEPEST_SEARCH = 64
/** Blocks that stand in each other; deeper ones count as the deepest. */
const DEEPEST = 100_000

/** A block that a scanner stands in. */
export interface Block {
  /** How far the line with its brace is indented, and that with the beginning of its statement. */
  readonly indent: number
  readonly headIndent: number
  /** How far in the first word of the line with its brace stands, behind `?` or `:`. */
  readonly wordIndent: number
  /** Lists that were open where it began. */
  readonly lists: number
}

/** The blocks that a scanner stands in, and whether one of them is left out. */
export class BlockStack {
  readonly #blocks: Block[] = []
  /** The height below which everything is kept. */
  #hiddenAt = Infinity

  get height(): number {
    return this.#blocks.length
  }

  /** Whether one of the blocks is left out. */
  get hidden(): boolean {
    return this.#hiddenAt < Infinity
  }

  /** Lists that were open where the innermost block began. */
  get lists(): number {
    return this.#blocks.at(-1)?.lists ?? 0
  }

  push(block: Block): void {
    if (this.#blocks.length < DEEPEST) this.#blocks.push(block)
  }

  /** Leave out the innermost block. */
  hide(): void {
    this.#hiddenAt = this.#blocks.length
  }

  /**
   * Close a block, and return whether that ends the one that is left out.
   *
   * @param indent - How far the brace is indented, where it begins its line: it closes the block that begins there then.
   */
  close(indent: number | undefined): boolean {
    const top = this.#blocks.at(-1)
    if (top === undefined) return false
    if (indent === undefined) return this.cut(this.#blocks.length - 1)
    const lowest = Math.max(0, this.#blocks.length - DEEPEST_SEARCH)
    for (let at = this.#blocks.length - 1; at >= lowest; at--) {
      const block = this.#blocks[at]!
      if (block.indent === indent || block.headIndent === indent || block.wordIndent === indent) return this.cut(at)
    }
    // A brace that stands further in than the block would not close it: its own was missed.
    return indent > Math.max(top.wordIndent, top.headIndent) ? false : this.cut(this.#blocks.length - 1)
  }

  /** Close blocks down to a height, and return whether that ends the one that is left out. */
  cut(height: number): boolean {
    this.#blocks.length = Math.min(this.#blocks.length, height)
    if (this.#blocks.length >= this.#hiddenAt) return false
    this.#hiddenAt = Infinity
    return true
  }
}
