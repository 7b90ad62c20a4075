import { BoundedMap, countLineEnds, LINE_BLOCK_BYTES } from '@spillway/text/internal'
import type { IndexedBlocks } from '../content/content-source.ts'

const LINE_FEED = 10
/** Blocks that are held: what follows one another is mostly found close together. */
const MAX_HELD = 4

/** Where a line lies. Offsets are bytes of the content. */
export interface FoundLine {
  /** From 1. */
  readonly number: number
  readonly start: number
  /** Where its LF is, or where the content ends. */
  readonly end: number
}

/** Finds lines by the index of a content, reading only the blocks in which they begin and end. */
export class LineFinder {
  readonly #blocks: IndexedBlocks
  readonly #held = new BoundedMap<number, Uint8Array>(MAX_HELD)
  /** How many line ends a block has before a byte of it, as far as was counted last. */
  #counted = { block: -1, at: 0, lineEnds: 0 }

  constructor(blocks: IndexedBlocks) {
    this.#blocks = blocks
  }

  /** Return where a line begins, from line 1 to one after the last, which begins at the end. */
  async startOfLine(line: number): Promise<number> {
    if (line <= 1) return 0
    const { index } = this.#blocks
    const block = index.blockOfLine(line)
    const bytes = await this.#block(block)
    let at = -1
    for (let left = line - 1 - index.lineEndsBefore(block); left > 0; left--) at = bytes.indexOf(LINE_FEED, at + 1)
    return block * LINE_BLOCK_BYTES + at + 1
  }

  /** Return the number of the line that a byte lies in, from 1; see {@link lineAt}. */
  async numberAt(offset: number): Promise<number> {
    const { index } = this.#blocks
    const block = Math.floor(offset / LINE_BLOCK_BYTES)
    const at = offset - block * LINE_BLOCK_BYTES
    if (at === 0) return index.lineEndsBefore(block) + 1
    const bytes = await this.#block(block)
    const from = this.#counted.block === block && this.#counted.at <= at ? this.#counted : { at: 0, lineEnds: 0 }
    const lineEnds = from.lineEnds + countLineEnds(bytes, from.at, Math.min(at, bytes.length))
    this.#counted = { block, at, lineEnds }
    return index.lineEndsBefore(block) + lineEnds + 1
  }

  /** Return the line that a byte lies in; the LF of a line is part of it. Fast where bytes are asked for in ascending order. */
  async lineAt(offset: number): Promise<FoundLine> {
    const block = Math.floor(offset / LINE_BLOCK_BYTES)
    const at = offset - block * LINE_BLOCK_BYTES
    const number = await this.numberAt(offset)
    const bytes = await this.#block(block)
    const before = at === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, at - 1)
    const start = before >= 0 ? block * LINE_BLOCK_BYTES + before + 1 : await this.startOfLine(number)
    return { number, start, end: await this.endFrom(offset) }
  }

  /** Return the line that is `count` lines before another, or the first. */
  async before({ number, start }: FoundLine, count: number): Promise<FoundLine> {
    const first = Math.max(1, number - count)
    const block = Math.floor(start / LINE_BLOCK_BYTES)
    const base = block * LINE_BLOCK_BYTES
    const bytes = await this.#block(block)
    let at = start - base
    // The LF before each of the lines.
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

  /** Return where the first LF at or after a byte is, or the end of the content. */
  async endFrom(offset: number): Promise<number> {
    const { index } = this.#blocks
    const first = Math.floor(offset / LINE_BLOCK_BYTES)
    if (first >= index.blocks) return index.size
    const here = (await this.#block(first)).indexOf(LINE_FEED, offset - first * LINE_BLOCK_BYTES)
    if (here >= 0) return first * LINE_BLOCK_BYTES + here
    for (let block = first + 1; block < index.blocks; block++) {
      if (index.lineEndsIn(block) === 0) continue
      return block * LINE_BLOCK_BYTES + (await this.#block(block)).indexOf(LINE_FEED)
    }
    return index.size
  }

  /** Return the line after another, or `undefined` after the last. */
  async next({ number, end }: FoundLine): Promise<FoundLine | undefined> {
    const start = end + 1
    return start >= this.#blocks.index.size ? undefined : { number: number + 1, start, end: await this.endFrom(start) }
  }

  /** Return the bytes of a line and its LF where they lie in a block that is held. */
  bytesOf({ start, end }: FoundLine): Uint8Array | undefined {
    const block = Math.floor(start / LINE_BLOCK_BYTES)
    const base = block * LINE_BLOCK_BYTES
    return end < base + LINE_BLOCK_BYTES ? this.#held.get(block)?.subarray(start - base, end + 1 - base) : undefined
  }

  async #block(number: number): Promise<Uint8Array> {
    const held = this.#held.get(number)
    if (held !== undefined) return held
    const bytes = await this.#blocks.block(number)
    this.#held.set(number, bytes)
    return bytes
  }
}
