import { workMilliseconds, yieldToOthers, type PatternMatcher } from '@spillway/text/internal'
import { createPatternMatcher, singleByteText } from '@spillway/text/internal/engines'
import {
  createLinearMatcher,
  escapeExpression,
  type ByteSpan,
  type ChainLink,
  type LinearMatcher,
  type SearchPattern,
} from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { checkAborted } from '../storage/storage-error.ts'
import { HitSink, mergeMatches, RecordingSink, type Hit, type KeepOptions, type Scan, type Scanner } from './scanner.ts'
import { byteTraits, searchBlocks } from './search-blocks.ts'
import { TextScanner } from './text-scanner.ts'

/** Awaits work outside this thread, so that a service can serve other requests. */
export type Pause = <Result>(waiting: Promise<Result>) => Promise<Result>

export interface SearchOptions extends KeepOptions {
  /** Scan a block. Returns the offset at which the deadline stopped the scan, if any. */
  readonly span?: ByteSpan | undefined
  /** Milliseconds of matching, plus 20 for each million bytes. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  /** Called with each wait for an engine. */
  readonly pause?: Pause | undefined
}

export interface SearchResult {
  readonly counts: readonly number[]
  readonly lines: number
  /** Exceeds `lines` if very long lines have several hits. */
  readonly total: number
  readonly hits: readonly Hit[]
  /** Progress in bytes of the content: the end of the span, or the start of a line after an early stop. */
  readonly searchedTo: number
  /** Set if the deadline stopped the search. */
  readonly stopped?: 'deadline'
}

/**
 * Search content line by line in bounded memory, without blocking the event loop. A CR before an LF is not part of the
 * line. Rejects with a `PatternError` if a pattern exceeds the engine's limits, and with `aborted`.
 */
export async function searchLines(
  source: ContentSource,
  patterns: readonly SearchPattern[],
  options: SearchOptions,
): Promise<SearchResult> {
  const { start, end } = options.span ?? { start: 0, end: source.size }
  const clock = new SearchClock(options.deadlineMs, { signal: options.signal, caller: source.caller })
  const scanners = patterns.map((pattern) => scannerOf(pattern, options, source.caller))
  const sink = new HitSink(options)
  const recorders = scanners.length === 1 ? [] : scanners.map((_, index) => new RecordingSink(index))
  let searchedTo = end
  let stopped: number | undefined
  for await (const block of searchBlocks(source, start, end)) {
    clock.start(block.bytes.length)
    for (const [index, scanner] of scanners.entries()) {
      const at = await runScan(scanner.scan(block, recorders[index] ?? sink), clock, options.pause)
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

async function runScan(scan: Scan, clock: SearchClock, pause: Pause | undefined): Promise<number | undefined> {
  for (;;) {
    const { value: step, done } = scan.next()
    if (done === true) return step
    if (typeof step !== 'number') await clock.wait(pause === undefined ? step : pause(step))
    else if (clock.isSpent) return step
    else if (clock.needsPause) await clock.pause()
  }
}

const SLICE_MS = 8
/** Time for each million bytes, so that the total stays linear in the content. */
const MS_PER_MILLION_BYTES = 20

/** Measures the CPU time of a search on this thread, and yields to the event loop and to other callers. */
export class SearchClock {
  readonly #signal: AbortSignal | undefined
  readonly #caller: unknown
  #left: number
  #begin = 0

  constructor(deadlineMs: number, { signal, caller }: Pick<SearchOptions, 'signal'> & Pick<ContentSource, 'caller'>) {
    this.#left = deadlineMs
    this.#signal = signal
    this.#caller = caller
  }

  start(bytes: number): void {
    checkAborted(this.#signal)
    this.#left += (bytes / 1e6) * MS_PER_MILLION_BYTES
    this.#begin = workMilliseconds()
  }

  get isSpent(): boolean {
    return this.#left <= workMilliseconds() - this.#begin
  }

  get needsPause(): boolean {
    return workMilliseconds() - this.#begin >= SLICE_MS
  }

  async pause(): Promise<void> {
    await this.wait(yieldToOthers(this.#caller))
  }

  /** Wait for something outside the search's time. Rejects like `work`, and with `aborted` after the signal. */
  async wait(work: Promise<void>): Promise<void> {
    this.#left -= workMilliseconds() - this.#begin
    try {
      await work
      checkAborted(this.#signal)
    } catch (error) {
      // An abort takes precedence over any other error.
      checkAborted(this.#signal)
      throw error
    } finally {
      this.#begin = workMilliseconds()
    }
  }

  stop(): void {
    this.#left -= workMilliseconds() - this.#begin
    this.#begin = workMilliseconds()
  }
}

/** Characters that bytes cannot distinguish, or that lines lose before matching. */
const NOT_IN_BYTES = /[\r\n\uFEFF\uFFFD\p{Surrogate}]/u

interface ScannerOptions {
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
}

/** More strings take longer to find in the bytes than an expression in text. */
const MOST_STRINGS = 8

function scannerOf(pattern: SearchPattern, { deadlineMs, signal }: ScannerOptions, caller: unknown): Scanner {
  const { ignoreCase, expression, flags, required = [] } = pattern
  const unicode = flags.includes('u')
  const part = pattern.partExpression ?? expression
  const matcher = (source: string): PatternMatcher =>
    createPatternMatcher(source, { ignoreCase, unicode }, { deadlineMs, caller })
  const engines: { line?: PatternMatcher; part?: PatternMatcher } = {}
  let linear: { readonly matcher: LinearMatcher | undefined } | undefined
  const traits = unicode ? { isSingleByte: false, seesLineEnds: true } : byteTraits(expression)
  // Non-ASCII lower case may have another length, or may be ASCII.
  const chain = ignoreCase && !traits.isSingleByte ? undefined : chainOf(pattern)
  return new TextScanner({
    line: new RegExp(expression, `${flags}g`),
    text: new RegExp(pattern.textExpression, `${pattern.textFlags}g`),
    part: new RegExp(part, `${flags}g`),
    required: required.map((set) => new RegExp(set.map(escapeExpression).join('|'), ignoreCase ? 'gi' : 'g')),
    strings: stringsInBytes(chain?.map(({ text }) => [text]) ?? required),
    chain: chain?.map(inBytes),
    ignoreCase,
    cost: pattern.cost,
    traits,
    linear: () => (linear ??= { matcher: createLinearMatcher(expression, flags) }).matcher,
    engine: (unit) => (engines[unit] ??= matcher(unit === 'line' ? expression : part)),
    signal,
  })
}

/** A literal is a chain of one string. */
function chainOf({ chain, literal }: SearchPattern): readonly ChainLink[] | undefined {
  if (chain !== undefined || literal === undefined || literal === '' || NOT_IN_BYTES.test(literal)) return chain
  return [{ text: literal, isGreedy: true }]
}

function stringsInBytes(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let left = MOST_STRINGS
  return sets.filter((set) => {
    if (set.length > left || set.some((text) => NOT_IN_BYTES.test(text))) return false
    left -= set.length
    return true
  })
}

function inBytes({ text, isGreedy }: ChainLink): ChainLink {
  const bytes = new TextEncoder().encode(text)
  return { text: singleByteText(bytes, 0, bytes.length), isGreedy }
}
