export type BlockKind = 'text' | 'heading' | 'item' | 'row' | 'code' | 'quote'

/** A block of text: a paragraph, a heading, a list item, a table row. */
export interface PageBlock {
  readonly kind: BlockKind
  /** 1 to 6 for a heading, the depth from 1 for a list item, otherwise 0. */
  readonly level: number
  readonly text: string
  readonly line: number
  /** Index in {@link Page.elements}. */
  readonly element: number
  readonly linkUnits: number
}

/** An element with text. */
export interface PageElement {
  /** Index in {@link Page.elements}, or -1 for the page itself. */
  readonly parent: number
  /** Bits such as `MARK_MAIN`. */
  readonly marks: number
  /** Index of the element's first block in {@link Page.blocks}, and index after the element's last block. */
  readonly firstBlock: number
  endBlock: number
}

/** Text of a page in order, and its elements. The page itself comes first, and parents come before their children. */
export interface Page {
  readonly title: string
  readonly blocks: readonly PageBlock[]
  readonly elements: readonly PageElement[]
  readonly lines: number
  /** Whether the end of a very large page is missing. */
  readonly isPart: boolean
}
