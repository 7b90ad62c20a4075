import type { KeptLine } from './kept-line.ts'
import type { LineWords } from './line-words.ts'

/** Lines remembered; a power of two. */
export const RECENT_LINES = 2_048
const MASK = RECENT_LINES - 1

type Facts = Omit<KeptLine, 'number' | 'raw' | 'rawEnd' | 'hidden' | 'rank' | 'run'>

/** Remembers of the last lines what was found in them, by line number, but not their text. */
export class RecentLines {
  readonly #offsets = new Float64Array(RECENT_LINES)
  readonly #errors = new Float64Array(RECENT_LINES)
  readonly #warnings = new Float64Array(RECENT_LINES)
  readonly #hashes = new Int32Array(RECENT_LINES * 4)
  readonly #surprises = new Float32Array(RECENT_LINES)
  /** Blank lines directly before. */
  readonly #blanks = new Uint32Array(RECENT_LINES)
  /** 1 for a line with telling words, 2 for one that counts as an error, 4 as a warning. */
  readonly #marks = new Uint8Array(RECENT_LINES)

  /** Begin a line: where it stands, and how many errors and warnings there are before it. */
  begin(number: number, offset: number, errors: number, warnings: number): void {
    const slot = number & MASK
    this.#offsets[slot] = offset
    this.#errors[slot] = errors
    this.#warnings[slot] = warnings
    this.#hashes[slot * 4 + 2] = 0
    this.#marks[slot] = 0
  }

  describe(number: number, words: LineWords, surprise: number, blanks: number): void {
    const slot = number & MASK
    this.#hashes[slot * 4] = words.kind
    this.#hashes[slot * 4 + 1] = words.shape
    this.#hashes[slot * 4 + 2] = words.template
    this.#hashes[slot * 4 + 3] = words.crowd
    this.#surprises[slot] = surprise
    this.#blanks[slot] = blanks
    if (words.telling) this.#marks[slot] = 1
  }

  count(number: number, mark: 'error' | 'warning'): void {
    this.#marks[number & MASK]! |= mark === 'error' ? 2 : 4
  }

  offset(number: number): number {
    return this.#offsets[number & MASK]!
  }

  /** The template of a line; 0 for one of blanks. */
  template(number: number): number {
    return this.#hashes[(number & MASK) * 4 + 2]!
  }

  facts(number: number): Facts {
    const slot = number & MASK
    const marks = this.#marks[slot]!
    return {
      kind: this.#hashes[slot * 4]!,
      shape: this.#hashes[slot * 4 + 1]!,
      template: this.#hashes[slot * 4 + 2]!,
      crowd: this.#hashes[slot * 4 + 3]!,
      telling: (marks & 1) !== 0,
      surprise: this.#surprises[slot]!,
      blanksBefore: this.#blanks[slot]!,
      errorsBefore: this.#errors[slot]!,
      warningsBefore: this.#warnings[slot]!,
      errors: (marks & 2) >> 1,
      warnings: (marks & 4) >> 2,
    }
  }
}
