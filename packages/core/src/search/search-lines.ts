import { LONG_LINE_LENGTH, workMilliseconds, yieldToOthers, type PatternMatcher } from '@spillway/text/internal'
import { createPatternMatcher, findBytes, singleByteText } from '@spillway/text/internal/engines'
import {
  countLines,
  createLinearMatcher,
  escapeExpression,
  matchLines,
  type ByteSpan,
  type ChainLink,
  type LinearMatcher,
  type SearchPattern,
} from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { checkAborted } from '../storage/storage-error.ts'
import {
  HitSink,
  MAX_STEPS,
  mergeMatches,
  PART_LINE,
  PIECE_BYTES,
  RecordingSink,
  type Hit,
  type KeepOptions,
  type MatchSink,
  type Scan,
  type Scanner,
} from './scanner.ts'
import { byteTraits, searchBlocks, type SearchBlock } from './search-blocks.ts'
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
  const scanners = patterns.map((pattern) => chooseScanner(pattern, options, source.caller))
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

/** Choose an algorithm for a pattern: fixed text is found in the bytes, all else in decoded text. */
function chooseScanner(pattern: SearchPattern, { deadlineMs, signal }: ScannerOptions, caller: unknown): Scanner {
  const { literal, ignoreCase, expression, flags, required } = pattern
  if (literal !== undefined && literal !== '' && !ignoreCase && !NOT_IN_BYTES.test(literal))
    return new LiteralScanner(literal)
  const unicode = flags.includes('u')
  const part = pattern.partExpression ?? expression
  const matcher = (source: string): PatternMatcher =>
    createPatternMatcher(source, { ignoreCase, unicode }, { deadlineMs, caller })
  const engines: { line?: PatternMatcher; part?: PatternMatcher } = {}
  let linear: { readonly matcher: LinearMatcher | undefined } | undefined
  const texts = pattern.chain === undefined ? (required ?? []) : pattern.chain.map(({ text }) => [text])
  const needles = ignoreCase ? [] : texts.flatMap(needleOf)
  const traits = unicode ? { isSingleByte: false, seesLineEnds: true } : byteTraits(expression)
  // Non-ASCII lower case may have another length, or may be ASCII.
  const chain = ignoreCase && !traits.isSingleByte ? undefined : pattern.chain?.map(inBytes)
  return new TextScanner({
    line: new RegExp(expression, `${flags}g`),
    text: new RegExp(pattern.textExpression, `${pattern.textFlags}g`),
    part: new RegExp(part, `${flags}g`),
    required: (required ?? []).map((set) => new RegExp(set.map(escapeExpression).join('|'), ignoreCase ? 'gi' : 'g')),
    needles,
    chain,
    ignoreCase,
    cost: pattern.cost,
    traits,
    linear: () => (linear ??= { matcher: createLinearMatcher(expression, flags) }).matcher,
    engine: (unit) => (engines[unit] ??= matcher(unit === 'line' ? expression : part)),
    signal,
  })
}

function inBytes({ text, isGreedy }: ChainLink): ChainLink {
  const bytes = new TextEncoder().encode(text)
  return { text: singleByteText(bytes, 0, bytes.length), isGreedy }
}

function needleOf([text, ...others]: readonly string[]): Uint8Array[] {
  return text === undefined || others.length > 0 || NOT_IN_BYTES.test(text) ? [] : [new TextEncoder().encode(text)]
}

/** More hits than this within {@link PIECE_BYTES} are found faster in text than in the bytes. */
const DENSE_HITS = 128
const LINE_FEED = 10

/** Finds literal bytes without decoding other lines. */
class LiteralScanner implements Scanner {
  readonly #needle: Uint8Array
  readonly #regex: RegExp
  /** Bytes between two pauses: a hostile text costs this times the length of the literal. */
  readonly #stride: number
  /** End of the last match in the parts of a line, in bytes of the content. No other match may begin before. */
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
        // After a dense piece, the next piece is searched as text.
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

  #scanText(
    { bytes, offset, decoded }: SearchBlock,
    start: number,
    sink: MatchSink,
  ): { readonly end: number; readonly hits: number } | undefined {
    const cut = bytes.lastIndexOf(LINE_FEED, Math.min(start + PIECE_BYTES, bytes.length) - 1)
    if (cut < start) return undefined
    const end = cut + 1
    // In cached text only this span is searched, which is cheaper than a slice.
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
