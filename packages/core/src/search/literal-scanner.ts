import { findBytes, singleByteText, LONG_LINE_LENGTH } from '@spillway/text/internal'
import { escapeExpression, countLines, matchLines } from '@spillway/text/internal/patterns'
import type { MatchSink } from './hit-sink.ts'
import { MAX_STEPS, PART_LINE, PIECE_BYTES } from './scanner.ts'
import type { Scan, Scanner } from './scanner.ts'
import type { SearchBlock } from './search-blocks.ts'

/** So many hits within {@link PIECE_BYTES} are found faster in a text than one by one in the bytes. */
const DENSE_HITS = 128

const LINE_FEED = 10

/** Finds a text of fixed bytes, without decoding what it does not match. */
export class LiteralScanner implements Scanner {
  readonly #needle: Uint8Array
  readonly #regex: RegExp
  /** Bytes looked through without a pause: the search of a hostile text takes this times the length of the literal. */
  readonly #stride: number
  /** Where the last match in the parts of a line ends, in bytes of the content: no other may begin before. */
  #reached = 0

  /** @param literal - Without LF, not empty. */
  constructor(literal: string) {
    this.#needle = new TextEncoder().encode(literal)
    const { length } = this.#needle
    this.#regex = new RegExp(escapeExpression(singleByteText(this.#needle, 0, length)), 'g')
    this.#stride = Math.max(PIECE_BYTES, Math.floor(MAX_STEPS / length))
  }

  *scan(block: SearchBlock, sink: MatchSink): Scan {
    const { bytes, offset, part } = block
    const until = part?.until ?? bytes.length
    if (part?.isFirst === true) this.#reached = 0
    let at = part === undefined ? 0 : Math.max(part.from, this.#reached - offset)
    let since = at
    let hits = 0
    while (at < until) {
      if (hits >= DENSE_HITS && part === undefined) {
        // Where hits were dense, the next piece is searched as text as long as that goes on.
        const piece = at - since < PIECE_BYTES ? this.#scanText(block, at, sink) : undefined
        hits = piece?.hits ?? 0
        since = at = piece?.end ?? at
        yield at
        continue
      }
      const reach = Math.min(bytes.length, at + this.#stride + this.#needle.length - 1)
      const found = findBytes(reach === bytes.length ? bytes : bytes.subarray(0, reach), this.#needle, at)
      if (found >= until || (found < 0 && reach === bytes.length)) return undefined
      if (found < 0) {
        at = reach - this.#needle.length + 1
        yield lineStart(bytes, at)
      } else if (part === undefined) {
        at = this.#takeLine(bytes, offset, found, since, sink)
      } else {
        at = found + this.#needle.length
        this.#reached = offset + at
        sink.add(offset + found, this.#reached, PART_LINE, true)
      }
      hits++
    }
    return undefined
  }

  /** Take the hits of the line that one was found in; return where the next line begins. */
  #takeLine(bytes: Uint8Array, offset: number, found: number, since: number, sink: MatchSink): number {
    const end = found + this.#needle.length
    const lineFeed = bytes.indexOf(LINE_FEED, end)
    const lineEnd = lineFeed < 0 ? bytes.length : lineFeed
    const isLong = lineEnd - since > LONG_LINE_LENGTH && lineEnd - lineStart(bytes, found) > LONG_LINE_LENGTH
    sink.add(offset + found, offset + end, offset + lineEnd, isLong)
    if (isLong) {
      for (let next = findBytes(bytes, this.#needle, end); next >= 0 && next < lineEnd;) {
        const nextEnd = next + this.#needle.length
        sink.add(offset + next, offset + nextEnd, offset + lineEnd, true)
        next = findBytes(bytes, this.#needle, nextEnd)
      }
    }
    return lineEnd + 1
  }

  /** Search the lines of the next piece as text, with one UTF-16 unit for each byte. */
  #scanText(
    { bytes, offset, decoded }: SearchBlock,
    start: number,
    sink: MatchSink,
  ): { readonly end: number; readonly hits: number } | undefined {
    const cut = bytes.lastIndexOf(LINE_FEED, Math.min(start + PIECE_BYTES, bytes.length) - 1)
    if (cut < start) return undefined
    const end = cut + 1
    // Of text that is remembered only this span is looked at, which costs less than taking it out.
    const text = decoded?.text ?? singleByteText(bytes, start, cut)
    const span = decoded === undefined ? undefined : { start: offset + start, end: offset + cut }
    if (!sink.wantsPositions) {
      const { lines, hits } = countLines(this.#regex, text, span)
      sink.count(lines, hits)
      return { end, hits }
    }
    const base = decoded === undefined ? offset + start : 0
    let hits = 0
    matchLines(
      this.#regex,
      text,
      (from, to, first, last) => {
        hits++
        sink.add(base + from, base + to, base + last, last - first > LONG_LINE_LENGTH)
      },
      span,
    )
    return { end, hits }
  }
}

function lineStart(bytes: Uint8Array, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1
}
