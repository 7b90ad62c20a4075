import { HashCounts } from './hash-counts.ts'
import type { LineWords } from './line-words.ts'

/** A kind or shape is new for so many lines. */
const NEW_LINES = 2
/** Lines whose mean tells how much is new at some place in a text, about. */
const WINDOW = 64

/**
 * Counts lines by how they begin, and tells how much of a surprise each is: a line unlike any before it surprises where
 * hundreds of lines were like others, and not at the start of a text, where all are new.
 */
export class LineNovelty {
  readonly #kinds = new HashCounts()
  readonly #shapes = new HashCounts()
  /** Mean share of new lines lately. */
  #newness = 1

  /** Count a line. Returns its surprise in bits, from 0 to 10. */
  add(words: LineWords): number {
    const kinds = this.#kinds.add(words.kind)
    const shapes = this.#shapes.add(words.shape)
    const isNew = kinds !== 0 && kinds <= NEW_LINES && shapes !== 0 && shapes <= NEW_LINES
    const surprise = isNew ? -Math.log2(this.#newness + 1 / 1_024) : 0
    this.#newness += ((isNew ? 1 : 0) - this.#newness) / WINDOW
    return surprise < 0 ? 0 : surprise
  }

  /** How many lines so far begin as this one does, or look like it, whichever are more. */
  alike(kind: number, shape: number): number {
    return Math.max(this.#kinds.get(kind), this.#shapes.get(shape), 1)
  }
}
