/** What a block of text is written as. */
export type BlockKind = 'text' | 'heading' | 'item' | 'row' | 'code' | 'quote'

/** A run of text of a page that stands by itself: a paragraph, a heading, an item of a list, a row of a table. */
export interface PageBlock {
  readonly kind: BlockKind
  /** Of a heading, 1 to 6; of an item, how deep its list is nested, from 1; otherwise 0. */
  readonly level: number
  readonly text: string
  /** The line of the source that it begins in, 1-based. */
  readonly line: number
}
