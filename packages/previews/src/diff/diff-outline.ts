import type { Item } from '../layout/preview-model.ts'

/** The parts of a preview of a diff, by their indices. */
export const FILES = 0
export const CHANGES = 1
export const WORDS = 2

/** What was read of a diff. */
export interface DiffOutline {
  readonly items: Item[]
  readonly commits: number
  readonly files: number
  readonly added: number
  readonly removed: number
  /** Files of which only statistics are given. */
  readonly statFiles: number
  /** Numbers of the first lines of files, and of hunks. */
  readonly fileStarts: readonly number[]
  readonly hunkStarts: readonly number[]
}
