import type { ByteSpan, SearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { searchBlocks } from './search-blocks.ts'
import { textScanner, type MatchSink, type Scan } from './text-scanner.ts'
import { WorkClock } from './work-clock.ts'

interface KeepOptions {
  readonly skip: number
  readonly limit: number
  /** Keep the last hits. `skip` then counts from the end. */
  readonly fromEnd: boolean
}

/** Waits for work on another thread, so that a service can serve other requests. */
export type Pause = <Result>(waiting: Promise<Result>) => Promise<Result>

export interface SearchOptions extends KeepOptions {
  /** Part of the content to search. Defaults to the whole content. */
  readonly span?: ByteSpan | undefined
  /** Milliseconds of matching, plus 20 for each million bytes. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  /** Called whenever the search waits for an engine in a worker. */
  readonly pause?: Pause | undefined
}

export interface SearchResult {
  readonly lines: number
  /** Number of hits, which is larger than `lines` if very long lines have several hits. */
  readonly total: number
  /** Positions of matching lines, in bytes of the content. In very long lines, these are positions of matches. */
  readonly hits: readonly ByteSpan[]
  /** Progress in bytes of the content. After an early stop, the start of a line. */
  readonly searchedTo: number
  readonly stopped?: 'deadline'
}

/** Search lines in bounded memory, without blocking. Rejects with a `PatternError`, or with `aborted`. */
export async function searchLines(
  source: ContentSource,
  pattern: SearchPattern,
  options: SearchOptions,
): Promise<SearchResult> {
  const { start, end } = options.span ?? { start: 0, end: source.size }
  const clock = new WorkClock(options.deadlineMs, options.signal, source.caller)
  const scan = textScanner(pattern, { ...options, caller: source.caller })
  const sink = new HitSink(options)
  const resultAt = (searchedTo: number) => ({ lines: sink.lines, total: sink.total, hits: sink.hits(), searchedTo })
  for await (const block of searchBlocks(source, start, end)) {
    clock.start((block.bytes.length / 1e6) * MS_PER_MILLION_BYTES)
    const stopped = await runScan(scan(block, sink), clock, options.pause)
    clock.stop()
    const searchedTo = block.offset + (stopped ?? 0)
    if (stopped !== undefined && searchedTo < end) return { ...resultAt(searchedTo), stopped: 'deadline' }
  }
  return resultAt(end)
}

async function runScan(scan: Scan, clock: WorkClock, pause: Pause | undefined): Promise<number | undefined> {
  for (;;) {
    const { value: step, done } = scan.next()
    if (done === true) return step
    if (typeof step !== 'number') await clock.wait(pause === undefined ? step : pause(step))
    else if (clock.isSpent) return step
    else if (clock.needsPause) await clock.pause()
  }
}

/** Additional milliseconds for each million bytes, so that the total time is linear in the content. */
const MS_PER_MILLION_BYTES = 20

class HitSink implements MatchSink {
  readonly #options: KeepOptions
  readonly #hits: ByteSpan[] = []
  #line = -1
  lines = 0
  total = 0

  constructor(options: KeepOptions) {
    this.#options = options
  }

  get wantsPositions(): boolean {
    const { fromEnd, skip, limit } = this.#options
    return fromEnd ? limit > 0 : this.total < skip + limit
  }

  hits(): readonly ByteSpan[] {
    const { fromEnd, skip, limit } = this.#options
    return fromEnd ? this.#hits.slice(0, Math.max(0, this.#hits.length - skip)).slice(-limit) : this.#hits
  }

  add(start: number, end: number, line: number): void {
    this.total++
    if (line !== this.#line) this.lines++
    this.#line = line
    const { fromEnd, skip, limit } = this.#options
    if (limit === 0 || (!fromEnd && (this.total <= skip || this.total > skip + limit))) return
    this.#hits.push({ start, end })
    // Older hits are dropped only at twice the needed number, so that dropping is cheap.
    if (fromEnd && this.#hits.length >= 2 * (skip + limit)) this.#hits.splice(0, this.#hits.length - skip - limit)
  }

  count(lines: number, hits: number): void {
    this.lines += lines
    this.total += hits
  }
}
