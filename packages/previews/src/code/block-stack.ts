import type { LineIndent } from './line-indents.ts'

/** How far down a stack is searched for the block that a brace closes. */
const DEEPEST_SEARCH = 64
/** Blocks that stand in each other; deeper ones count as the deepest. */
const DEEPEST = 100_000

/** A block that a scanner stands in: its measures are those of the line with its brace. */
export interface Block extends LineIndent {
  /** How far the line with the beginning of its statement is indented. */
  readonly headIndent: number
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
   * @param line - The line of the brace, where it begins it: it closes the block that begins in the same column then.
   */
  close(line: LineIndent | undefined): boolean {
    const top = this.#blocks.at(-1)
    if (top === undefined) return false
    if (line === undefined) return this.cut(this.#blocks.length - 1)
    const { indent, tabs } = line
    const lowest = Math.max(0, this.#blocks.length - DEEPEST_SEARCH)
    for (let at = this.#blocks.length - 1; at >= lowest; at--) {
      const block = this.#blocks[at]!
      if (block.indent === indent || block.headIndent === indent || block.wordIndent === indent) return this.cut(at)
    }
    // A brace that stands further in than the block would not close it: its own was missed.
    const isOther = tabs === top.tabs && indent > Math.max(top.wordIndent, top.headIndent)
    return isOther ? false : this.cut(this.#blocks.length - 1)
  }

  /** Close blocks down to a height, and return whether that ends the one that is left out. */
  cut(height: number): boolean {
    this.#blocks.length = Math.min(this.#blocks.length, height)
    if (this.#blocks.length >= this.#hiddenAt) return false
    this.#hiddenAt = Infinity
    return true
  }
}
