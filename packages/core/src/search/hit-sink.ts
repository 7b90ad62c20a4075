import type { Hit, KeepOptions } from './hit.ts'

/** Where a scanner puts what it finds, in the order of the content. Offsets are bytes of the content. */
export interface MatchSink {
  /** Whether matches must come with where they are; else {@link MatchSink.count} is enough. */
  readonly wantsPositions: boolean
  /** Take a match: the first of its line, or of a long line each. `line` is a number that tells the line from others. */
  add(start: number, end: number, line: number, isLong: boolean): void
  /** Count matching lines, and the hits that they have. */
  count(lines: number, hits: number): void
}

/** Counts hits and keeps the first or the last of them. */
export class HitSink implements MatchSink {
  readonly #options: KeepOptions
  readonly #hits: Hit[] = []
  #lines = 0
  #total = 0
  #line = -1

  constructor(options: KeepOptions) {
    this.#options = options
  }

  get lines(): number {
    return this.#lines
  }

  get total(): number {
    return this.#total
  }

  get wantsPositions(): boolean {
    const { fromEnd, skip, limit } = this.#options
    return fromEnd ? limit > 0 : this.#total < skip + limit
  }

  /** Those to keep, in the order of the content. */
  hits(): readonly Hit[] {
    const { fromEnd, skip, limit } = this.#options
    return fromEnd ? this.#hits.slice(0, Math.max(0, this.#hits.length - skip)).slice(-limit) : this.#hits
  }

  add(start: number, end: number, line: number, _isLong: boolean, pattern = 0): void {
    this.#total++
    if (line !== this.#line) this.#lines++
    this.#line = line
    const { fromEnd, skip, limit } = this.#options
    if (!fromEnd && (this.#total <= skip || this.#total > skip + limit)) return
    if (limit === 0) return
    this.#hits.push({ pattern, start, end })
    // Twice as many as are needed, so that dropping the older ones costs little.
    if (fromEnd && this.#hits.length >= 2 * (skip + limit)) this.#hits.splice(0, this.#hits.length - skip - limit)
  }

  count(lines: number, hits: number): void {
    this.#lines += lines
    this.#total += hits
  }
}
