import type { Item } from '../layout/preview-model.ts'
import type { RawLine } from '../layout/raw-lines.ts'

/** Indices of the parts of a preview. */
export const KEYS = 0
export const TEXT = 1

/** Factor for sought lines, enough to raise the keys above them. */
export const ASKED_WORTH = 40

export interface ConfigOutline {
  readonly items: Item[]
  readonly summary: string
}

export interface ConfigReader {
  push(line: RawLine): void
  finish(): ConfigOutline
}
