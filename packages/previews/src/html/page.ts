import type { PageBlock as WrittenBlock } from './page-block.ts'

/** A block of text, with where it stands. */
export interface PageBlock extends WrittenBlock {
  /** The element that it stands in, as an index of {@link Page.elements}. */
  readonly element: number
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
