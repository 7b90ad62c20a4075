import { LONG_LINE_LENGTH, PatternError, type PatternMatcher } from '@spillway/text/internal'
import { singleByteText } from '@spillway/text/internal/engines'
import {
  countLines,
  matchChains,
  matchLines,
  matchRest,
  RequiredStrings,
  type ByteSpan,
  type ChainLink,
  type LinearMatcher,
  type PatternCost,
  type TakeMatch,
} from '@spillway/text/internal/patterns'
import { engineMatches, matchLongLine } from './engine-matches.ts'
import { MAX_STEPS, PART_LINE, PIECE_BYTES, type MatchSink, type Scan, type Scanner } from './scanner.ts'
import { pieceText, type ByteTraits, type LinePart, type PieceText, type SearchBlock } from './search-blocks.ts'

const LINE_FEED = 10
/** Larger pieces for engines outside this thread, since each call is slow. */
const ENGINE_PIECE_BYTES = 131_072
/** Pieces with few of the required bytes grow to this size, since each piece takes some microseconds. */
const RARE_PIECE_BYTES = 524_288
const BYTES_PER_MISS = 2_048
/** The forms for many lines and for parts of lines take up to this many times the steps of the form for one line. */
const TEXT_FORM_STEPS = 6
/** A line with a greater bound for each unit is matched in linear time. Below it, up to 0.6 µs were measured. */
const STEPS_PER_UNIT = 16_384

/** Expressions to match the lines of a text. All have the flag `g`. */
interface TextPlan {
  readonly line: RegExp
  readonly text: RegExp
  /** For a part of a line without its end. */
  readonly part: RegExp
  /** Every matching line has a match of each. May be empty. */
  readonly required: readonly RegExp[]
  /** Every matching line contains a string of each set, as bytes. May be empty. */
  readonly strings: readonly (readonly string[])[]
  /** Every line that contains these strings in this order matches. */
  readonly chain: readonly ChainLink[] | undefined
  readonly ignoreCase: boolean
  readonly cost: PatternCost
  readonly traits: ByteTraits
  /** Matches in linear time. `undefined` for look-around, back-references and very large expressions. */
  readonly linear: () => LinearMatcher | undefined
  /** Matches all else, in a worker. */
  readonly engine: (unit: 'line' | 'part') => PatternMatcher
  readonly signal: AbortSignal | undefined
}

/** Match all lines at once, only lines with a match of an expression, or only lines that contain the required bytes. */
type Way = 'at-once' | 'bytes' | RegExp

interface Candidates {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

interface Left {
  readonly piece: PieceText
  readonly candidates: Candidates
  readonly take: TakeMatch
}

const ALL_LINES: Candidates = { starts: [], ends: [] }

/**
 * Finds a regular expression in decoded text: with the engine of the runtime if it is sure to be fast, else in linear time
 * if possible, else in a worker.
 */
export class TextScanner implements Scanner {
  readonly #plan: TextPlan
  readonly #ways: FastestWay<Way>
  #strings: RequiredStrings | undefined
  #pieceBytes = PIECE_BYTES
  /** End of the last match in the parts of a line, in bytes of the content. No other match may begin before. */
  #reached = 0

  constructor(plan: TextPlan) {
    this.#plan = plan
    const { strings, chain, required, cost, traits } = plan
    const ways: Way[] = strings.length > 0 ? ['bytes'] : []
    if (chain === undefined) ways.push(...required.slice(0, 1))
    // Chains are found in bytes, except a single ASCII string, which is the same in text.
    const isText = chain === undefined || (chain.length === 1 && traits.isSingleByte)
    if (ways.length === 0 || (isText && cost.degree < Infinity)) ways.push('at-once')
    this.#ways = new FastestWay(ways)
  }

  *scan(block: SearchBlock, sink: MatchSink): Scan {
    if (block.part !== undefined) {
      return yield* this.#scanPart(block, block.part, sink)
    }
    const { bytes } = block
    for (let start = 0; start < bytes.length;) {
      // The bytes are the fastest way where they are rare, so no other is tried.
      const call = this.#ways.begin(this.#pieceBytes > PIECE_BYTES ? 'bytes' : undefined)
      const pieceBytes = call.way === 'bytes' ? this.#pieceBytes : this.#needsEngine ? ENGINE_PIECE_BYTES : PIECE_BYTES
      let end = bytes.lastIndexOf(LINE_FEED, Math.min(start + pieceBytes, bytes.length) - 1)
      // A line longer than a piece, or the last line without an LF.
      if (end < start) end = bytes.indexOf(LINE_FEED, start)
      if (end < 0) end = bytes.length
      const left =
        call.way === 'bytes'
          ? this.#matchByBytes(block, start, end, sink)
          : this.#matchText(block, start, end, call.way, sink)
      const stopped = left === undefined ? undefined : yield* this.#matchCostly(left, call)
      call.end(end - start)
      if (stopped !== undefined) return stopped
      start = end + 1
      yield Math.min(start, bytes.length)
    }
    return undefined
  }

  get #needsEngine(): boolean {
    const { cost, required, linear } = this.#plan
    return cost.degree === Infinity && required.length === 0 && linear() === undefined
  }

  #matchByBytes(block: SearchBlock, start: number, end: number, sink: MatchSink): Left | undefined {
    const { traits, chain } = this.#plan
    const found = this.#linesWithStrings(block.bytes.subarray(0, end), start)
    const isRare = found.length + this.#strings!.misses < (end - start) / BYTES_PER_MISS
    this.#pieceBytes = isRare ? Math.min(2 * this.#pieceBytes, RARE_PIECE_BYTES) : PIECE_BYTES
    if (chain !== undefined) {
      for (const line of found) this.#matchChain(block, line, chain, sink)
      return undefined
    }
    const lines = found.map((line) => pieceText({ traits, block }, line.start, line.end))
    const steps = lines.reduce((sum, { text }) => sum + this.#steps(text.length), 0)
    if (steps > MAX_STEPS) return this.#matchText(block, start, end, this.#plan.required[0], sink)
    for (const line of lines) this.#matchLine(line.text, 0, line.text.length, takeIn(block, line, sink))
    return undefined
  }

  #linesWithStrings(bytes: Uint8Array, start: number): readonly ByteSpan[] {
    const { strings, ignoreCase } = this.#plan
    this.#strings ??= new RequiredStrings(strings, ignoreCase, bytes)
    return this.#strings.lines(bytes, start)
  }

  #matchChain({ bytes, offset }: SearchBlock, line: ByteSpan, chain: readonly ChainLink[], sink: MatchSink): void {
    const base = offset + line.start
    const text = singleByteText(bytes, line.start, line.end)
    matchChains(this.#plan.ignoreCase ? text.toLowerCase() : text, chain, ({ start, end }, isLong) =>
      sink.add(base + start, base + end, offset + line.end, isLong),
    )
  }

  #matchText(
    block: SearchBlock,
    start: number,
    end: number,
    way: RegExp | 'at-once' | undefined,
    sink: MatchSink,
  ): Left | undefined {
    const piece = pieceText({ traits: this.#plan.traits, block }, start, end)
    const take = takeIn(block, piece, sink)
    if (way === 'at-once' && piece.hasPlainLines && this.#fitsAtOnce(piece.text)) {
      this.#matchAtOnce(piece.text, sink, take)
      return undefined
    }
    const candidates = this.#matchEach(piece.text, way === 'at-once' ? this.#plan.required[0] : way, take)
    return candidates === undefined ? undefined : { piece, candidates, take }
  }

  #matchAtOnce(text: string, sink: MatchSink, take: TakeMatch): void {
    if (sink.wantsPositions) matchLines(this.#plan.text, text, take)
    else {
      const { lines, hits } = countLines(this.#plan.text, text)
      sink.count(lines, hits)
    }
  }

  #matchEach(text: string, required: RegExp | undefined, take: TakeMatch): Candidates | undefined {
    const needsEngine = this.#plan.cost.degree === Infinity
    if (needsEngine && required === undefined) return ALL_LINES
    const candidates = findCandidates(text, required)
    const { starts, ends } = candidates
    const steps = starts.reduce((sum, start, index) => sum + this.#steps(ends[index]! - start), 0)
    if (steps > MAX_STEPS) return candidates
    for (const [index, start] of starts.entries()) this.#matchLine(text, start, ends[index]!, take)
    return undefined
  }

  /** Match lines one by one with pauses. If one of them costs too much for this thread, all go to the engine. */
  *#matchCostly({ piece: { text, byteOf }, candidates, take }: Left, call: Call<Way>): Scan {
    const { starts, ends } = candidates === ALL_LINES ? findCandidates(text, undefined) : candidates
    const linear = this.#plan.linear()
    if (linear === undefined && starts.some((from, index) => this.#steps(ends[index]! - from) > MAX_STEPS)) {
      let matched = 0
      call.pause()
      yield this.#askEngine(text, { starts, ends }, take).then((lines) => {
        matched = lines
      })
      call.resume()
      return matched < starts.length ? byteOf(starts[matched]!) : undefined
    }
    let steps = 0
    for (const [index, from] of starts.entries()) {
      const end = ends[index]!
      const stepsOfLine = this.#steps(end - from)
      if (linear !== undefined && stepsOfLine > STEPS_PER_UNIT * (end - from + 1)) {
        // A search that stops within a line has not searched it.
        const found: [number, number][] = []
        for (const _ of linear.matchLine(text.slice(from, end), (start, stop) => found.push([start, stop]))) {
          call.pause()
          yield byteOf(from)
          call.resume()
        }
        for (const [start, stop] of found) take(from + start, from + stop, from, end)
        continue
      }
      this.#matchLine(text, from, end, take)
      steps += stepsOfLine
      const next = starts[index + 1]
      if (steps < MAX_STEPS || next === undefined) continue
      steps = 0
      call.pause()
      yield byteOf(next)
      call.resume()
    }
    return undefined
  }

  #matchLine(text: string, start: number, end: number, take: TakeMatch): void {
    const { line, chain, ignoreCase, traits } = this.#plan
    const only = text.slice(start, end)
    if (chain !== undefined && traits.isSingleByte) {
      const folded = ignoreCase ? only.toLowerCase() : only
      matchChains(folded, chain, (match) => take(start + match.start, start + match.end, start, end))
      return
    }
    line.lastIndex = 0
    const match = line.exec(only)
    if (match === null) return
    const matchEnd = match.index + match[0].length
    take(start + match.index, start + matchEnd, start, end)
    if (only.length <= LONG_LINE_LENGTH) return
    matchRest(
      line,
      only,
      Math.max(matchEnd, match.index + 1),
      (from, to) => take(start + from, start + to, start, end),
      only.length,
    )
  }

  async #askEngine(text: string, { starts, ends }: Candidates, take: TakeMatch): Promise<number> {
    const lines = starts.map((start, index) => text.slice(start, ends[index]))
    return await engineMatches(
      this.#plan.engine('line'),
      lines,
      (line, from, to) => take(starts[line]! + from, starts[line]! + to, starts[line]!, ends[line]!),
      this.#plan.signal,
    )
  }

  *#scanPart(block: SearchBlock, { from, until, isFirst, isLast }: LinePart, sink: MatchSink): Scan {
    const { bytes, offset } = block
    const { line, part, strings, traits } = this.#plan
    if (isFirst) this.#reached = 0
    const end = isLast && bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length
    if (strings.length > 0 && this.#linesWithStrings(bytes.subarray(0, end), 0).length === 0) return undefined
    const piece = pieceText({ traits, block }, 0, end)
    const { text } = piece
    const span = {
      from: pieceText({ traits, block }, 0, Math.max(from, this.#reached - offset)).text.length,
      until: isLast ? text.length + 1 : pieceText({ traits, block }, 0, until).text.length,
    }
    const take = (start: number, stop: number): void => {
      const begin = offset + piece.byteOf(start)
      if (begin < this.#reached) return
      this.#reached = offset + piece.byteOf(stop, 'end')
      sink.add(begin, this.#reached, PART_LINE, true)
    }
    const linear = this.#stepsOfEngine(text.length) > MAX_STEPS ? this.#plan.linear() : undefined
    if (linear !== undefined) {
      const takeMatch = (start: number, stop: number): void => {
        if (stop > start || isFirst || isLast) take(start, stop)
      }
      for (const _ of linear.matchLine(text, takeMatch, { ...span, goesOn: !isLast })) yield 0
      return undefined
    }
    if (this.#stepsOfEngine(text.length) > MAX_STEPS) {
      let stopped: number | undefined
      yield this.#askEngineForPart(text, span, isLast, take).then((isDone) => {
        if (!isDone) stopped = 0
      })
      return stopped
    }
    const regex = isLast ? line : part
    regex.lastIndex = span.from
    const match = regex.exec(text)
    if (match === null || match.index >= span.until) return undefined
    const stop = match.index + match[0].length
    // An empty match is possible everywhere, so it counts once.
    if (match[0].length > 0 || isFirst || isLast) take(match.index, stop)
    matchRest(regex, text, Math.max(stop, match.index + 1), take, span.until)
    return undefined
  }

  async #askEngineForPart(
    text: string,
    { from, until }: { readonly from: number; readonly until: number },
    isLast: boolean,
    take: (start: number, end: number) => void,
  ): Promise<boolean> {
    const { engine, signal } = this.#plan
    try {
      const found = await matchLongLine(engine(isLast ? 'line' : 'part'), text, from, signal)
      for (let at = 0; at < found.length; at += 3) if (found[at + 1]! < until) take(found[at + 1]!, found[at + 2]!)
      return true
    } catch (error) {
      if (error instanceof PatternError && error.code === 'timeout') return false
      throw error
    }
  }

  #steps(length: number): number {
    return this.#plan.chain === undefined ? this.#stepsOfEngine(length) : length
  }

  #stepsOfEngine(length: number): number {
    const { degree, factor } = this.#plan.cost
    return degree === Infinity ? Infinity : factor * (length + 1) ** degree
  }

  #fitsAtOnce(text: string): boolean {
    const { cost } = this.#plan
    const steps = TEXT_FORM_STEPS * cost.factor * (text.length + 1)
    if (cost.degree <= 1) return steps <= MAX_STEPS
    // Lines are searched in sequence: the longest bounds the cost of each unit.
    if (cost.degree === Infinity) return false
    return steps * (longestLine(text) + 1) ** (cost.degree - 1) <= MAX_STEPS
  }
}

function takeIn({ bytes, offset }: SearchBlock, piece: PieceText, sink: MatchSink): TakeMatch {
  let lastEnd = -1
  let lineFeed = -1
  return (start, end, lineStart, lineEnd) => {
    const from = piece.byteOf(start)
    if (lineEnd !== lastEnd) {
      lastEnd = lineEnd
      lineFeed = bytes.indexOf(LINE_FEED, from)
    }
    const line = offset + (lineFeed < 0 ? bytes.length : lineFeed)
    sink.add(offset + from, offset + piece.byteOf(end, 'end'), line, lineEnd - lineStart > LONG_LINE_LENGTH)
  }
}

function longestLine(text: string): number {
  let longest = 0
  for (let start = 0; start <= text.length;) {
    const lineFeed = text.indexOf('\n', start)
    const end = lineFeed < 0 ? text.length : lineFeed
    longest = Math.max(longest, end - start)
    start = end + 1
  }
  return longest
}

function findCandidates(text: string, required: RegExp | undefined): Candidates {
  const starts: number[] = []
  const ends: number[] = []
  for (let from = 0; from <= text.length;) {
    let start = from
    if (required !== undefined) {
      required.lastIndex = from
      if (!required.test(text)) break
      const at = required.lastIndex - 1
      start = text.lastIndexOf('\n', at) + 1
    }
    const lineFeed = text.indexOf('\n', start)
    const end = lineFeed < 0 ? text.length : lineFeed
    starts.push(start)
    ends.push(end)
    from = end + 1
  }
  return { starts, ends }
}

/** Calls of each way at first, since the first calls of a regular expression are slow. */
const TRIALS = 3
/** Calls after which ways close to the fastest are tried again, since content changes. */
const RETRY_CALLS = 128
/** Weight of a new measurement in the mean. */
const NEWS = 0.2
/** A way that is this many times slower than the fastest is not tried again. At first, twice that. */
const FAR_BEHIND = 4

interface Record<Way> {
  readonly way: Way
  trials: number
  cost: number
}

class Call<Way> {
  readonly #record: Record<Way>
  #milliseconds = 0
  #begin = performance.now()

  constructor(record: Record<Way>) {
    this.#record = record
  }

  get way(): Way {
    return this.#record.way
  }

  pause(): void {
    this.#milliseconds += performance.now() - this.#begin
  }

  resume(): void {
    this.#begin = performance.now()
  }

  end(units: number): void {
    this.pause()
    const record = this.#record
    const cost = this.#milliseconds / (units + 1)
    // A call that the machine has interrupted says little about its way.
    const news = (Math.min(cost, FAR_BEHIND * record.cost) - record.cost) * NEWS
    record.cost = record.trials < TRIALS ? Math.min(record.cost, cost) : record.cost + news
    record.trials++
  }
}

/** Chooses the fastest of several ways to do the same work, by measured time. */
export class FastestWay<Way> {
  readonly #records: readonly Record<Way>[]
  #calls = 0

  constructor(ways: readonly Way[]) {
    this.#records = ways.map((way) => ({ way, trials: 0, cost: Infinity }))
  }

  begin(way?: Way): Call<Way> {
    return new Call(this.#records.find((record) => record.way === way) ?? this.#choose())
  }

  #choose(): Record<Way> {
    const records = this.#records
    if (records.length === 1) return records[0]!
    const best = Math.min(...records.map(({ cost }) => cost))
    const hopeful = records.filter(
      ({ trials, cost }) => trials === 0 || cost <= (trials < TRIALS ? 2 : 1) * FAR_BEHIND * best,
    )
    const untried = hopeful.find(({ trials }) => trials < TRIALS)
    if (untried !== undefined) return untried
    this.#calls++
    return hopeful[this.#calls % RETRY_CALLS] ?? hopeful.find(({ cost }) => cost === best) ?? records[0]!
  }
}
