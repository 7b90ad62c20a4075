import type { KeptLine } from './kept-line.ts'

const MOST_LINES = 1_024
const MOST_UNITS = 262_144

/** Keeps lines up to a number and a size; beyond, those of the lowest rank go, the later ones first. */
export class LinePool {
  #lines: KeptLine[] = []
  #units = 0
  #floor = -1

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
    if (this.#lines.length > MOST_LINES || this.#units > MOST_UNITS) this.#halve()
  }

  #halve(): void {
    const best = this.#lines.toSorted((one, other) => other.rank - one.rank || one.number - other.number)
    const kept: KeptLine[] = []
    this.#units = 0
    for (const line of best) {
      if (kept.length >= MOST_LINES / 2 || this.#units >= MOST_UNITS / 2) break
      this.#units += line.raw.length + line.rawEnd.length
      kept.push(line)
    }
    this.#floor = kept.at(-1)?.rank ?? -1
    this.#lines = kept.toSorted((one, other) => one.number - other.number)
  }
}
