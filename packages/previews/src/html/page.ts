import type { PageBlock as WrittenBlock } from './page-block.ts'

export interface PageBlock extends WrittenBlock {
  /** Index in {@link Page.elements}. */
  readonly element: number
  /** UTF-16 units of links. */
  readonly linkUnits: number
}

/** An element with text, with sums over all its descendants. */
export interface PageElement {
  /** Index in {@link Page.elements}; -1 for the page itself. */
  readonly parent: number
  /** Bits, for example `MARK_MAIN`. */
  readonly marks: number
  /** First block and the one after the last, as indices of {@link Page.blocks}. */
  readonly firstBlock: number
  endBlock: number
  /** UTF-16 units of text and of links; scripts without spaces count threefold. */
  units: number
  linkUnits: number
  links: number
  prose: number
}

/** Text of a page in order, and its elements: the page first, parents before children. */
export interface Page {
  readonly title: string
  readonly blocks: readonly PageBlock[]
  readonly elements: readonly PageElement[]
  readonly lines: number
  /** Whether the end of a very large page is left out. */
  readonly isPart: boolean
}
