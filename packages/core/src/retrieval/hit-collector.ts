import { LongLine, viewLine } from './line-view.ts'
import type { LineMatch, LineView } from './line-view.ts'
import type { LineBatch } from '../content/line-batch.ts'

/** What a {@link HitCollector} keeps. */
export interface CollectorOptions {
  /** Lines kept before and after each hit. */
  readonly contextLines: number
  /** UTF-16 units kept of a line. */
  readonly keep: number
  /** UTF-16 units kept in all: more than an answer can hold. Further hits are only counted. */
  readonly limit: number
}

/** Counts matching lines, and keeps the first of them with the lines around them. */
export class HitCollector {
  readonly #options: CollectorOptions
  readonly #views: LineView[] = []
  #size = 0
  #hits = 0
  #firstLeftOut: number | undefined
  #lastHit = -Infinity
  #lastKept = 0
  /** The lines just before the current batch. */
  #before: LineView[] = []
  #long: LongLine | undefined

  constructor(options: CollectorOptions) {
    this.#options = options
  }

  /** Matching lines so far. */
  get hits(): number {
    return this.#hits
  }

  /** Lines kept: hits have a `match`. */
  get views(): readonly LineView[] {
    return this.#views
  }

  /** Number of the first hit that was not kept. */
  get firstLeftOut(): number | undefined {
    return this.#firstLeftOut
  }

  /** Take the next batch of lines and its matches, as a `PatternMatcher` returns them. */
  add(batch: LineBatch, matches: Uint32Array): void {
    let next = 0
    let first: LineView | undefined
    if (batch.column > 0 || batch.until !== undefined) {
      this.#long ??= new LongLine(batch, this.#options.keep)
      if (matches[0] === 0) {
        this.#long.add(batch, matchAt(matches, 0))
        next = 3
      }
      if (batch.until !== undefined) return
      first = this.#long.end(batch)
      this.#long = undefined
    }
    const line = (index: number, match?: LineMatch): LineView =>
      index === 0 && first !== undefined ? first : viewLine(batch, index, this.#options.keep, match)
    if (first?.match !== undefined) this.#takeHit(batch, 0, line, first.match)
    for (; next < matches.length; next += 3) {
      this.#takeHit(batch, matches[next]!, line, matchAt(matches, next))
    }
    this.#keepAfter(batch, batch.lineStarts.length - 1, line)
    this.#remember(batch, line)
  }

  #takeHit(batch: LineBatch, index: number, line: LineOf, match: LineMatch): void {
    this.#hits++
    const number = batch.firstLine + index
    this.#keepAfter(batch, index - 1, line)
    if (this.#isFull()) {
      this.#firstLeftOut ??= number
      return
    }
    const from = Math.max(number - this.#options.contextLines, this.#lastKept + 1)
    for (const view of this.#before) if (view.number >= from) this.#keep(view)
    for (let before = Math.max(from, batch.firstLine); before < number; before++)
      this.#keep(line(before - batch.firstLine))
    this.#keep(line(index, match))
    this.#lastHit = number
  }

  /** Keep the context after the last hit, up to line `index` of the batch. */
  #keepAfter(batch: LineBatch, index: number, line: LineOf): void {
    const end = Math.min(batch.firstLine + index, this.#lastHit + this.#options.contextLines)
    for (let number = Math.max(this.#lastKept + 1, batch.firstLine); number <= end && !this.#isFull(); number++) {
      this.#keep(line(number - batch.firstLine))
    }
  }

  /** Remember the last lines of a batch: they may be context of a hit in the next. */
  #remember(batch: LineBatch, line: LineOf): void {
    if (this.#isFull()) {
      this.#before = []
      return
    }
    const { contextLines } = this.#options
    const count = Math.min(contextLines, batch.lineStarts.length)
    const last = Array.from({ length: count }, (_, index) => line(batch.lineStarts.length - count + index))
    const all = [...this.#before, ...last]
    this.#before = all.slice(Math.max(0, all.length - contextLines))
  }

  #isFull(): boolean {
    return this.#size >= this.#options.limit
  }

  #keep(view: LineView): void {
    this.#views.push(view)
    this.#size += view.text.length + String(view.number).length + 6
    this.#lastKept = view.number
  }
}

type LineOf = (index: number, match?: LineMatch) => LineView

function matchAt(matches: Uint32Array, at: number): LineMatch {
  return { start: matches[at + 1]!, end: matches[at + 2]! }
}
