import { BoundedMap, type LineRange } from '@spillway/text/internal'
import { countLineEnds } from '@spillway/text/internal/lines'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import { withLineIndex, type ContentSource, type IndexedBlocks } from '../content/content-source.ts'

const LINE_FEED = 10
/** Number of blocks to cache, because adjacent lines are usually requested together. */
const MAX_HELD = 4

export interface FoundLine {
  readonly number: number
  readonly start: number
  readonly end: number
}

/** Finds lines with the line index of a content. Reads only the blocks in which the lines start and end. */
export class LineFinder {
  readonly #blocks: IndexedBlocks
  readonly #held = new BoundedMap<number, Uint8Array>(MAX_HELD)
  /** The last position that was counted, with the number of line ends before it in its block. */
  #counted = { block: -1, at: 0, lineEnds: 0 }

  constructor(blocks: IndexedBlocks) {
    this.#blocks = blocks
  }

  /** Return the start of a line. The number may be one after the last line, which starts at the end. */
  async startOfLine(number: number): Promise<number> {
    const { index } = this.#blocks
    const line = index.presentLine(number)
    if (line <= 1) return 0
    const block = index.blockOfLine(line)
    const bytes = await this.#block(block)
    let at = -1
    for (let left = line - 1 - index.lineEndsBefore(block); left > 0; left--) at = bytes.indexOf(LINE_FEED, at + 1)
    return index.startOf(block) + at + 1
  }

  async numberAt(offset: number): Promise<number> {
    const { index } = this.#blocks
    const block = index.blockAt(offset)
    const at = offset - index.startOf(block)
    const omitted = index.omittedBefore(offset)
    if (at === 0) return index.lineEndsBefore(block) + 1 + omitted
    const bytes = await this.#block(block)
    const from = this.#counted.block === block && this.#counted.at <= at ? this.#counted : { at: 0, lineEnds: 0 }
    const lineEnds = from.lineEnds + countLineEnds(bytes, from.at, Math.min(at, bytes.length))
    this.#counted = { block, at, lineEnds }
    return index.lineEndsBefore(block) + lineEnds + 1 + omitted
  }

  /** Return the line that contains a byte. The LF belongs to its line. Fast for ascending bytes. */
  async lineAt(offset: number): Promise<FoundLine> {
    const { index } = this.#blocks
    const block = index.blockAt(offset)
    const at = offset - index.startOf(block)
    const number = await this.numberAt(offset)
    const bytes = await this.#block(block)
    const before = at === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, at - 1)
    const start = before >= 0 ? index.startOf(block) + before + 1 : await this.startOfLine(number)
    return { number, start, end: await this.endFrom(offset) }
  }

  /** Return the line `count` lines earlier. Stops at the first line, and after omitted lines. */
  async before({ number, start }: FoundLine, count: number): Promise<FoundLine> {
    const { index } = this.#blocks
    const { omitted } = index
    const isAfter = omitted !== undefined && start >= omitted.offset
    const first = Math.max(1, number - count, isAfter ? omitted.afterLine + omitted.lines + 1 : 1)
    const block = index.blockAt(start)
    const base = index.startOf(block)
    const bytes = await this.#block(block)
    let at = start - base
    // Number of LFs to find backwards: one before each line.
    let left = number - first + 1
    while (left > 0) {
      const lineFeed = at === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, at - 1)
      if (lineFeed < 0) break
      at = lineFeed
      left--
    }
    const from = first === 1 ? 0 : left === 0 ? base + at + 1 : await this.startOfLine(first)
    return { number: first, start: from, end: await this.endFrom(from) }
  }

  async endFrom(offset: number): Promise<number> {
    const { index } = this.#blocks
    if (offset >= index.size) return index.size
    const first = index.blockAt(offset)
    const here = (await this.#block(first)).indexOf(LINE_FEED, offset - index.startOf(first))
    if (here >= 0) return index.startOf(first) + here
    for (let block = first + 1; block < index.blocks; block++) {
      if (index.lineEndsIn(block) === 0) continue
      return index.startOf(block) + (await this.#block(block)).indexOf(LINE_FEED)
    }
    return index.size
  }

  /** Return the next line, or `undefined` after the last line and before omitted lines. */
  async next({ number, end }: FoundLine): Promise<FoundLine | undefined> {
    const start = end + 1
    const { size, omitted } = this.#blocks.index
    return start >= size || start === omitted?.offset
      ? undefined
      : { number: number + 1, start, end: await this.endFrom(start) }
  }

  bytesOf({ start, end }: FoundLine): Uint8Array | undefined {
    const { index } = this.#blocks
    const block = index.blockAt(start)
    const base = index.startOf(block)
    return end < index.startOf(block + 1) ? this.#held.get(block)?.subarray(start - base, end + 1 - base) : undefined
  }

  async #block(number: number): Promise<Uint8Array> {
    const held = this.#held.get(number)
    if (held !== undefined) return held
    const bytes = await this.#blocks.block(number)
    this.#held.set(number, bytes)
    return bytes
  }
}

export interface LineSpan extends ByteSpan {
  readonly range: LineRange
  readonly lines: number
}

/** Find the bytes of a range of lines. Returns `undefined` if the range starts after the end of the content. */
export async function findLineSpan(source: ContentSource, range: LineRange): Promise<LineSpan | undefined> {
  return await withLineIndex(source, async (blocks) => {
    const { lines } = blocks.index
    if (range.start > lines) return undefined
    const last = Math.min(range.end, lines)
    const finder = new LineFinder(blocks)
    const start = await finder.startOfLine(range.start)
    const end = last === lines ? source.size : await finder.startOfLine(last + 1)
    return { start, end, range: { start: range.start, end: last }, lines }
  })
}

export const lineOfByte = (source: ContentSource, offset: number): Promise<number> =>
  withLineIndex(source, (blocks) => new LineFinder(blocks).numberAt(offset))
