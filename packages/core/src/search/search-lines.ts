import type { ByteSpan, SearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { chooseScanner } from './choose-scanner.ts'
import { HitSink } from './hit-sink.ts'
import type { Hit, KeepOptions } from './hit.ts'
import { mergeMatches, RecordingSink } from './recording-sink.ts'
import type { Scan } from './scanner.ts'
import { searchBlocks } from './search-blocks.ts'
import { SearchClock } from './search-clock.ts'

export type { Hit } from './hit.ts'

/** What is searched, and what is kept of it. */
export interface SearchOptions extends KeepOptions {
  /** Whole lines; all of the content by default. */
  readonly span?: ByteSpan | undefined
  /** Milliseconds of matching, apart from 20 for each million bytes. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
}

/** What a search found. */
export interface SearchResult {
  /** Matching lines, for each pattern. */
  readonly counts: readonly number[]
  /** Lines that match one pattern at least. */
  readonly lines: number
  /** Hits in all: more than `lines` where very long lines have several. */
  readonly total: number
  /** Those kept, in the order of the content. */
  readonly hits: readonly Hit[]
  /** How far the search came, in bytes of the content: the end of the span unless it was stopped, else a line's start. */
  readonly searchedTo: number
  /** Set where the time was spent before the end. */
  readonly stopped?: 'deadline'
}

/**
 * Search content line by line, in memory that does not grow with it, and without holding the event loop.
 *
 * Lines end at LF; a CR before it is not part of the line. Rejects with a `PatternError` where a pattern is more than an
 * engine can do, and with `aborted` once the signal has fired.
 */
export async function searchLines(
  source: ContentSource,
  patterns: readonly SearchPattern[],
  options: SearchOptions,
): Promise<SearchResult> {
  const { start, end } = options.span ?? { start: 0, end: source.size }
  const clock = new SearchClock(options.deadlineMs, options.signal)
  const scanners = patterns.map((pattern) => chooseScanner(pattern, options))
  const sink = new HitSink(options)
  const recorders = scanners.length === 1 ? [] : scanners.map((_, index) => new RecordingSink(index))
  let searchedTo = end
  let stopped: number | undefined
  for await (const block of searchBlocks(source, start, end)) {
    clock.start(block.bytes.length)
    for (const [index, scanner] of scanners.entries()) {
      const at = await runScan(scanner.scan(block, recorders[index] ?? sink), clock)
      if (at !== undefined) stopped = Math.min(at, stopped ?? at)
    }
    clock.stop()
    if (recorders.length > 0) mergeMatches(recorders, sink, stopped === undefined ? Infinity : block.offset + stopped)
    if (stopped === undefined) continue
    searchedTo = block.offset + stopped
    break
  }
  const counts = recorders.length === 0 ? [sink.lines] : recorders.map(({ lines }) => lines)
  const found = { counts, lines: sink.lines, total: sink.total, hits: sink.hits(), searchedTo }
  return stopped === undefined ? found : { ...found, stopped: 'deadline' }
}

/** Do the work of a scanner on a block; return where it was stopped for want of time. */
async function runScan(scan: Scan, clock: SearchClock): Promise<number | undefined> {
  for (;;) {
    const { value: step, done } = scan.next()
    if (done === true) return step
    if (typeof step !== 'number') await clock.wait(step)
    else if (clock.isSpent) return step
    else if (clock.needsPause) await clock.pause()
  }
}
