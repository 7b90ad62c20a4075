import type { Item } from '../layout/preview-model.ts'

/** Indexes of the parts of a preview. */
export const FILES = 0
export const CHANGES = 1
export const WORDS = 2

export interface DiffOutline {
  readonly items: Item[]
  readonly commits: number
  readonly files: number
  readonly added: number
  readonly removed: number
  readonly statFiles: number
  /** First lines of files and hunks, 1-based. */
  readonly fileStarts: readonly number[]
  readonly hunkStarts: readonly number[]
}
