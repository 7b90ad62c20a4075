export type BlockKind = 'text' | 'heading' | 'item' | 'row' | 'code' | 'quote'

/** A block of text: a paragraph, a heading, a list item, a table row. */
export interface PageBlock {
  readonly kind: BlockKind
  /** 1 to 6 for a heading, list depth from 1 for an item, otherwise 0. */
  readonly level: number
  readonly text: string
  readonly line: number
  /** Index in {@link Page.elements}. */
  readonly element: number
  readonly linkUnits: number
}

/** An element with text. */
export interface PageElement {
  /** Index in {@link Page.elements}; -1 for the page itself. */
  readonly parent: number
  /** Bits, for example `MARK_MAIN`. */
  readonly marks: number
  /** First block and the one after the last, as indices of {@link Page.blocks}. */
  readonly firstBlock: number
  endBlock: number
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
