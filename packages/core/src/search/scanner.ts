import type { SearchBlock } from './search-blocks.ts'

/** A promise to wait for, or a progress in bytes of the block: all matches before it are reported. */
type ScanStep = Promise<void> | number
/** Returns the offset in the block at which the deadline stopped the scan, if any. */
export type Scan = Generator<ScanStep, number | undefined, void>

/**
 * Finds the matches of one pattern. The caller checks the clock at each yielded number, and awaits yielded promises. At
 * most about 50 ms pass between two yields.
 */
export interface Scanner {
  scan(block: SearchBlock, sink: MatchSink): Scan
}

/** Steps of a backtracking engine, or bytes times literal length, between two pauses: about 50 ms. */
export const MAX_STEPS = 33_554_432
/** V8 creates strings of this size fast, and much larger ones slowly. */
export const PIECE_BYTES = 65_536
/** Line number of a part of a very long line. Parts come alone, so any negative number is unique. */
export const PART_LINE = -2

/** A matching line, or one match in a very long line. Offsets are bytes of the content. */
export interface Hit {
  /** Index of the matching pattern. Of several, the one whose match begins first. */
  readonly pattern: number
  readonly start: number
  readonly end: number
}

export interface KeepOptions {
  readonly skip: number
  readonly limit: number
  /** Keep the last hits instead of the first; `skip` then counts from the end. */
  readonly fromEnd: boolean
}

/** Receives matches in the order of the content. Offsets are bytes of the content. */
export interface MatchSink {
  /** Whether positions are needed; if not, {@link MatchSink.count} is enough. */
  readonly wantsPositions: boolean
  /** Add the first match of a line, or each match of a long line. `line` only distinguishes lines. */
  add(start: number, end: number, line: number, isLong: boolean): void
  count(lines: number, hits: number): void
}

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
    // Twice the needed size, so that dropping the older hits is cheap.
    if (fromEnd && this.#hits.length >= 2 * (skip + limit)) this.#hits.splice(0, this.#hits.length - skip - limit)
  }

  count(lines: number, hits: number): void {
    this.#lines += lines
    this.#total += hits
  }
}

interface RecordedMatch {
  readonly pattern: number
  readonly start: number
  readonly end: number
  readonly line: number
  readonly isLong: boolean
}

/** Records the matches of one of several patterns in a block, for {@link mergeMatches}. */
export class RecordingSink implements MatchSink {
  readonly wantsPositions = true
  readonly #pattern: number
  #matches: RecordedMatch[] = []
  #lines = 0
  #line = -1

  constructor(pattern: number) {
    this.#pattern = pattern
  }

  get lines(): number {
    return this.#lines
  }

  add(start: number, end: number, line: number, isLong: boolean): void {
    this.#matches.push({ pattern: this.#pattern, start, end, line, isLong })
  }

  count(): void {
    throw new Error('A recording sink accepts only matches with their positions.')
  }

  take(until: number): readonly RecordedMatch[] {
    const matches = this.#matches.filter(({ start }) => start < until)
    this.#matches = []
    for (const { line } of matches) {
      if (line !== this.#line) this.#lines++
      this.#line = line
    }
    return matches
  }
}

/**
 * Merge the matches of several patterns up to the byte `until`. A line is one hit, of the pattern that matches first.
 * In a long line, all matches with different starts are hits.
 */
export function mergeMatches(recorders: readonly RecordingSink[], sink: HitSink, until: number): void {
  const all = recorders
    .flatMap((recorder) => recorder.take(until))
    .toSorted((a, b) => a.start - b.start || a.pattern - b.pattern)
  let previous: RecordedMatch | undefined
  for (const match of all) {
    if (previous?.line === match.line && (!match.isLong || previous.start === match.start)) continue
    previous = match
    sink.add(match.start, match.end, match.line, match.isLong, match.pattern)
  }
}
