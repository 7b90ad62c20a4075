import { detach } from '../content/detach.ts'
import { lineEnd } from '../content/line-batch.ts'
import type { LineBatch } from '../content/line-batch.ts'

/** Where a match lies in its line, in UTF-16 units from 0. */
export interface LineMatch {
  readonly start: number
  readonly end: number
}

/** A line as far as it is kept for the answer: all of it, its beginning, or what surrounds its match. */
export interface LineView {
  /** From 1. */
  readonly number: number
  /** UTF-16 units of the whole line. */
  readonly length: number
  readonly text: string
  /** Where `text` begins in the line. */
  readonly offset: number
  readonly match?: LineMatch | undefined
}

/** Take line `index` of a batch that holds the whole of it, and keep at most `keep` units. */
export function viewLine(batch: LineBatch, index: number, keep: number, match?: LineMatch): LineView {
  const start = batch.lineStarts[index]!
  const length = lineEnd(batch, index) - start
  const offset = match === undefined ? 0 : windowStart(match, length, keep)
  const text = detach(batch.text.slice(start + offset, start + Math.min(length, offset + keep)))
  const number = batch.firstLine + index
  return { number, length, text, offset, match }
}

/** Puts together a line that spans batches. */
export class LongLine {
  readonly #number: number
  readonly #keep: number
  readonly #head: string
  #hit: { readonly text: string; readonly offset: number; readonly match: LineMatch } | undefined

  /** @param first - The batch that begins the line. */
  constructor(first: LineBatch, keep: number) {
    this.#number = first.firstLine
    this.#keep = keep
    this.#head = detach(first.text.slice(0, keep))
  }

  /** Note the match of a part of the line; only the first one of the line counts. */
  add(part: LineBatch, hit: LineMatch): void {
    if (this.#hit !== undefined) return
    if (part.until !== undefined && hit.start >= part.until) return
    const length = lineEnd(part, 0)
    const offset = windowStart(hit, length, this.#keep)
    this.#hit = {
      text: detach(part.text.slice(offset, Math.min(length, offset + this.#keep))),
      offset: part.column + offset,
      match: { start: part.column + hit.start, end: part.column + hit.end },
    }
  }

  /** Return the line, of which `last` is the last part. */
  end(last: LineBatch): LineView {
    const length = last.column + lineEnd(last, 0)
    const kept = this.#hit ?? { text: this.#head.slice(0, length), offset: 0 }
    return { number: this.#number, length, ...kept }
  }
}

/** Where a window of `keep` units begins that shows a match in the middle, or its beginning where it is longer. */
export function windowStart(match: LineMatch, length: number, keep: number): number {
  if (length <= keep) return 0
  const around = Math.max(keep - (match.end - match.start), keep / 4)
  const start = match.start - Math.floor(around / 2)
  return Math.max(0, Math.min(start, length - keep))
}
