import type { Item } from '../layout/preview-model.ts'

/** The parts of a preview of Markdown, by their indices. */
export const HEADINGS = 0
export const TEXT = 1
export const CODE = 2

/** What was read of a text in Markdown. */
export interface MarkdownOutline {
  readonly items: Item[]
  /** The numbers of the lines with headings. */
  readonly headings: readonly number[]
}
