import type { KeptLine } from './kept-line.ts'

const MOST_LINES = 4_096
const MOST_UNITS = 524_288

/** Keeps lines up to a number and a size; beyond, those of the lowest rank go, the later ones first. */
export class LinePool {
  #lines: KeptLine[] = []
  #units = 0
  #floor = -Infinity

  /** The highest rank that is not worth adding any more: as many lines as fit rank at least as high. */
  get floor(): number {
    return this.#floor
  }

  get lines(): readonly KeptLine[] {
    return this.#lines
  }

  /** Add a line; lines must come in order. */
  add(line: KeptLine): void {
    this.#lines.push(line)
    this.#units += line.raw.length + line.rawEnd.length
    while (this.#lines.length > MOST_LINES || this.#units > MOST_UNITS) this.#halve()
  }

  /** Keep half of the lines: those of the highest ranks, and of the lowest rank among them the first. */
  #halve(): void {
    const ranks = Float64Array.from(this.#lines, (line) => line.rank).toSorted()
    const floor = ranks[ranks.length >> 1]!
    let spare = (ranks.length >> 1) - ranks.reduce((count, rank) => count + (rank > floor ? 1 : 0), 0)
    this.#units = 0
    this.#floor = floor
    this.#lines = this.#lines.filter((line) => {
      if (line.rank < floor || (line.rank === floor && spare-- <= 0)) return false
      this.#units += line.raw.length + line.rawEnd.length
      return true
    })
  }
}
