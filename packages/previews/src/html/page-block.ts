export type BlockKind = 'text' | 'heading' | 'item' | 'row' | 'code' | 'quote'

/** A block of text: a paragraph, a heading, a list item, a table row. */
export interface PageBlock {
  readonly kind: BlockKind
  /** 1 to 6 for a heading, list depth from 1 for an item, otherwise 0. */
  readonly level: number
  readonly text: string
  readonly line: number
}
