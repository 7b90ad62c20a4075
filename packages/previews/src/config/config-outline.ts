import type { Item } from '../layout/preview-model.ts'
import type { RawLine } from '../layout/raw-lines.ts'

/** The parts of a preview of configuration, by their indices. */
export const KEYS = 0
export const TEXT = 1

/** How much more a line is worth for what the agent looks for: enough for the keys that it stands below. */
export const ASKED_WORTH = 40

/** What was read of configuration. */
export interface ConfigOutline {
  readonly items: Item[]
  /** What there is of it, such as `12 documents`. */
  readonly summary: string
}

/** Reads the lines of configuration. */
export interface ConfigReader {
  push(line: RawLine): void
  finish(): ConfigOutline
}
