import type { HitSink, MatchSink } from './hit-sink.ts'

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
