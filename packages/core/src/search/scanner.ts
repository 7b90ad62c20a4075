import type { MatchSink } from './hit-sink.ts'
import type { SearchBlock } from './search-blocks.ts'

/**
 * What a scanner says when it pauses: something to wait for, or how many bytes of the block are searched, up to the
 * start of a line. What it has found by then lies before.
 */
export type ScanStep = Promise<void> | number

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
