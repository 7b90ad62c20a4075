import type { SearchBlock } from './search-blocks.ts'

/**
 * What a scanner says when it pauses: something to wait for, or how many bytes of the block are searched, up to the
 * start of a line. What it has found by then lies before.
 */
type ScanStep = Promise<void> | number

/** The work of a scanner on a block; it returns where it was stopped for want of time, in bytes of the block. */
export type Scan = Generator<ScanStep, number | undefined, void>

/**
 * Finds the matches of one pattern, block by block.
 *
 * Work in place pauses: whoever drives it looks at the clock and at the event loop whenever it yields a number, and waits
 * where it yields a promise. Between two yields lie at most some 50 ms, whatever the pattern and the content are.
 */
export interface Scanner {
  scan(block: SearchBlock, sink: MatchSink): Scan
}

/** Steps of a backtracking engine, or bytes times length of a literal, that are done without a pause: 50 ms or so. */
export const MAX_STEPS = 33_554_432

/** Bytes that are decoded as one text: V8 makes strings of this size fast, and much larger ones slowly. */
export const PIECE_BYTES = 65_536

/** The line of a part of a very long line, as sinks tell lines apart: parts come alone, so any number below 0 will do. */
export const PART_LINE = -2

/** A hit: a matching line, or one of the matches in a very long line. Offsets are bytes of the content. */
export interface Hit {
  /** Which of the patterns matched, from 0: the one whose match begins first. */
  readonly pattern: number
  readonly start: number
  readonly end: number
}

/** Which hits are kept. */
export interface KeepOptions {
  /** Hits that are passed over before any is kept. */
  readonly skip: number
  /** Hits that are kept, at most; all are counted. */
  readonly limit: number
  /** Keep the last hits instead of the first; `skip` then counts from the end. */
  readonly fromEnd: boolean
}

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

interface RecordedMatch {
  readonly pattern: number
  readonly start: number
  readonly end: number
  readonly line: number
  readonly isLong: boolean
}

/** Records the matches that one of several patterns has in a block, to be merged with those of the others. */
export class RecordingSink implements MatchSink {
  readonly wantsPositions = true
  readonly #pattern: number
  #matches: RecordedMatch[] = []
  #lines = 0
  #line = -1

  constructor(pattern: number) {
    this.#pattern = pattern
  }

  /** Matching lines in what was taken so far. */
  get lines(): number {
    return this.#lines
  }

  add(start: number, end: number, line: number, isLong: boolean): void {
    this.#matches.push({ pattern: this.#pattern, start, end, line, isLong })
  }

  count(): void {
    throw new Error('A recording sink takes matches with their positions only.')
  }

  /** Return the matches since the last call that begin before `until`, and drop the others. */
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
 * Move what several patterns found in a block, up to the byte `until`, into one sink: a line that several match is one
 * hit, of the pattern whose match begins first; in a long line each match is one, unless another begins at the same place.
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
