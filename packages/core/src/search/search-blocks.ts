import { concatBytes } from '@spillway/text/internal'
import type { ContentSource } from '../content/content-source.ts'
import { MAX_WHOLE_BYTES } from '../storage/cached-content.ts'
import { decodedText } from './decoded-text.ts'
import type { DecodedText } from './decoded-text.ts'

/** Bytes of a line that are searched as one text, at most; longer lines are searched in parts. */
const MAX_LINE_BYTES = 1_048_576
/** Bytes that two parts of one line share: a match up to this length is found wherever it lies. */
const OVERLAP = 65_536
/** Bytes before a part that look-behind and word edges may see. */
const LOOK_BACK = 1_024

const LINE_FEED = 10
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Where a block lies within a line that is longer than {@link MAX_LINE_BYTES}. */
export interface LinePart {
  /** Where the bytes begin that the block before did not have. */
  readonly from: number
  /** Matches that begin here or later are found in the next block; the end of the bytes in the last part. */
  readonly until: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Whole lines, the last one with its LF unless the content ends without one, or a part of one very long line. */
export interface SearchBlock {
  readonly bytes: Uint8Array
  /** Where `bytes` begin in the content. */
  readonly offset: number
  readonly part?: LinePart
  /** All of the content as text, where that is remembered. */
  readonly decoded?: DecodedText | undefined
}

/**
 * Divide content into blocks of whole lines of up to 1 MiB; only lines that lie across what is read at once are copied.
 *
 * A byte order mark at the start is left out.
 */
export async function* searchBlocks(source: ContentSource, start: number, end: number): AsyncGenerator<SearchBlock> {
  // What there is of a line that is not complete yet, and where it begins in the content.
  let pieces: Uint8Array[] = []
  let carried = 0
  let offset = start
  let inParts = false

  function takeLine(isLast: boolean): SearchBlock {
    const bytes = concatBytes(pieces, carried)
    const block = { bytes, offset }
    const part = { from: inParts ? LOOK_BACK : 0, isFirst: !inParts, isLast }
    const until = isLast ? carried : carried - OVERLAP
    // The next part begins with what this one shares with it.
    pieces = isLast ? [] : [bytes.subarray(until - LOOK_BACK)]
    offset += isLast ? carried : until - LOOK_BACK
    carried = isLast ? 0 : OVERLAP + LOOK_BACK
    const wasInParts = inParts
    inParts = !isLast
    return wasInParts || !isLast ? { ...block, part: { ...part, until } } : block
  }

  for await (const { block, decoded } of read(source, start, end)) {
    let at = 0
    if (offset === 0 && carried === 0 && BYTE_ORDER_MARK.every((byte, index) => block[index] === byte)) {
      offset = at = BYTE_ORDER_MARK.length
    }
    while (at < block.length) {
      if (carried === 0) {
        const cut = block.lastIndexOf(LINE_FEED, Math.min(at + MAX_LINE_BYTES, block.length) - 1) + 1
        if (cut > at) {
          yield { bytes: block.subarray(at, cut), offset, decoded }
          offset += cut - at
          at = cut
          continue
        }
      }
      const lineFeed = block.indexOf(LINE_FEED, at)
      const lineEnd = lineFeed < 0 ? block.length : lineFeed + 1
      const taken = Math.min(lineEnd - at, MAX_LINE_BYTES - carried)
      // A copy: the memory of a block may be used again for the next.
      pieces.push(block.slice(at, at + taken))
      carried += taken
      at += taken
      if (lineFeed >= 0 && at === lineEnd) yield takeLine(true)
      else if (carried === MAX_LINE_BYTES) yield takeLine(false)
    }
  }
  if (carried > 0) yield takeLine(true)
}

interface ReadBlock {
  readonly block: Uint8Array
  readonly decoded?: DecodedText | undefined
}

/** Read what is remembered as a whole at once, and larger content block by block. */
async function* read(source: ContentSource, start: number, end: number): AsyncGenerator<ReadBlock> {
  if (source.size <= MAX_WHOLE_BYTES) {
    const block = await source.read(start, end - start)
    yield { block, decoded: block.length === source.size ? decodedText(block) : undefined }
  } else {
    for await (const block of source.blocks(start, end, { transient: true })) yield { block }
  }
}
