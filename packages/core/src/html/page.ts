/** What a block of text is written as. */
export type BlockKind = 'text' | 'heading' | 'item' | 'row' | 'code' | 'quote'

/** A run of text that stands by itself: a paragraph, a heading, an item of a list, a row of a table. */
export interface PageBlock {
  readonly kind: BlockKind
  /** Of a heading, 1 to 6; of an item, how deep its list is nested, from 1; otherwise 0. */
  readonly level: number
  readonly text: string
  /** The element that it stands in, as an index of {@link Page.elements}. */
  readonly element: number
  /** The line of the source that it begins in, 1-based. */
  readonly line: number
  /** UTF-16 units of the text that are links. */
  readonly linkUnits: number
}

/** An element that has text in it, with what it and all elements below it have. */
export interface PageElement {
  /** An index of {@link Page.elements}; -1 of the page itself. */
  readonly parent: number
  /** What it is by its name and attributes: bits, such as `MARK_MAIN`. */
  readonly marks: number
  /** The first block within, and the one after the last, as indices of {@link Page.blocks}. */
  readonly firstBlock: number
  endBlock: number
  /** UTF-16 units of text, and of text in links; characters written without blanks count threefold. */
  units: number
  linkUnits: number
  links: number
  /** Those of text that reads like prose. */
  prose: number
}

/** The text of a page, in order, and the elements it stands in: the page first, and each element before those within. */
export interface Page {
  /** As its `title` says; may be empty. */
  readonly title: string
  readonly blocks: readonly PageBlock[]
  readonly elements: readonly PageElement[]
  /** Lines of the source. */
  readonly lines: number
  /** Whether blocks at the end of a very large page are left out. */
  readonly isPart: boolean
}
