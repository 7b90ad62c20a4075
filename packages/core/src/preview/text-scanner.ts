import { cutAtGrapheme } from '../tokens/cut-at-grapheme.ts'
import { cleanLine } from './clean-line.ts'
import { BLANK_LINE, lineKind } from './line-kind.ts'
import { lineSignal, type LineSignal } from './line-signal.ts'
import { lineTemplate } from './line-template.ts'
import { SignalSearch } from './signal-search.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

export type { TextScan } from './text-scan.ts'
export { renderTextPreview } from './render-text-preview.ts'

/** Text is taken in by blocks of about this many UTF-16 units. */
const BLOCK_UNITS = 131_072
/** Lines that begin in so much of the start of the text, or stand whole in so much of its end, are all kept. */
const EDGE_UNITS = 49_152
/** Of a line longer than this, a start and an end of this length each are kept, and its middle is not looked at. */
const LONG_LINE_UNITS = 32_768
/** Of other lines away from the edges, this much of the start and of the end is kept. */
const KEPT_START_UNITS = 2_048
const KEPT_END_UNITS = 512
/** Long lines kept at each end of the text. */
const LONG_LINES = 6
/** What stands before a line that matters is kept up to so many lines and units. */
const BEFORE_LINES = 48
const BEFORE_UNITS = 6_144
/** Lines around lines that matter are kept up to so many; beyond, those that matter least go. */
const POOL_LINES = 4_096
const POOL_UNITS = 786_432
const RARE_LINES = 512
const SAMPLE_LINES = 256
/** Like lines that keep their surroundings; later ones are only counted. */
const KEPT_REPEATS = 12

interface Entry {
  readonly number: number
  readonly text: string
  readonly end: string
  readonly hidden: number
  readonly kind: number
  readonly template: number
  readonly signal: LineSignal
  readonly errorsBefore: number
  readonly warningsBefore: number
  /** Whether the line was counted. */
  readonly counted: boolean
  /** How much the line is worth keeping. */
  readonly rank: number
}

/**
 * Reads a text of any length, in pieces of any size, and keeps what a preview of it can show: its first and last lines,
 * and the lines between that seem to matter with those around them.
 *
 * Memory stays within a few megabytes, and time grows with the length alone. The result does not depend on how the text
 * was split.
 */
export class TextScanner {
  #buffer = ''
  /** What stands before the buffer: enough for the lines before a line that matters, and for the last lines. */
  #carry = ''
  /** Offset in the text of the buffer's first unit. */
  #offset = 0
  #long: { head: string; tail: string; length: number } | undefined
  /** Offset after the last long line: what stands before it is not available any more. */
  #contextStart = 0
  #lineCount = 0
  #errors = 0
  #warnings = 0
  readonly #kinds = new Uint32Array(1 << 15)
  readonly #templates = new Uint32Array(1 << 14)
  readonly #signals = new Map<number, LineSignal>()
  /** Offsets and counts of the last lines, by line number. */
  readonly #starts = new Float64Array(64)
  readonly #errorsAt = new Float64Array(64)
  readonly #warningsAt = new Float64Array(64)
  readonly #head: Entry[] = []
  #pool: Entry[] = []
  #poolUnits = 0
  #rare: Entry[] = []
  #samples: Entry[] = []
  #sampleStride = 1
  readonly #longLines: Entry[] = []
  /** Lines up to this number follow one that matters. */
  #keepUntil = 0
  #keepRank = 0

  /** Take in the next piece of the text. */
  push(text: string): void {
    for (let from = 0; from < text.length; from += BLOCK_UNITS) {
      this.#buffer += text.length <= BLOCK_UNITS ? text : text.slice(from, from + BLOCK_UNITS)
      if (this.#buffer.length >= BLOCK_UNITS) this.#drain()
    }
  }

  /** End the text and return what was kept. The scanner takes no text after that. */
  finish(): TextScan {
    this.#drain()
    if (this.#long !== undefined) this.#endLongLine()
    else if (this.#buffer !== '') {
      this.#process(this.#buffer.length)
      this.#shift(this.#buffer.length)
    }
    return {
      lines: this.#lineCount,
      length: this.#offset,
      errors: this.#errors,
      warnings: this.#warnings,
      kept: this.#collect(),
    }
  }

  #drain(): void {
    if (this.#long !== undefined) {
      const end = this.#buffer.indexOf('\n')
      this.#addToLongLine(this.#buffer.slice(0, end < 0 ? this.#buffer.length : end))
      this.#shift(end < 0 ? this.#buffer.length : end + 1)
      if (end < 0) return
      this.#endLongLine()
    }
    const end = this.#buffer.lastIndexOf('\n') + 1
    if (end > 0) {
      this.#process(end)
      this.#shift(end)
    }
    if (this.#buffer.length > LONG_LINE_UNITS) {
      this.#long = { head: detach(this.#buffer.slice(0, LONG_LINE_UNITS)), tail: '', length: 0 }
      this.#addToLongLine(this.#buffer)
      this.#shift(this.#buffer.length)
    }
  }

  /** Move the first units of the buffer behind it. */
  #shift(units: number): void {
    const passed = units === this.#buffer.length ? this.#buffer : this.#buffer.slice(0, units)
    this.#carry = passed.length >= EDGE_UNITS ? passed.slice(-EDGE_UNITS) : (this.#carry + passed).slice(-EDGE_UNITS)
    this.#buffer = this.#buffer.slice(units)
    this.#offset += units
  }

  #addToLongLine(text: string): void {
    const long = this.#long!
    long.length += text.length
    long.tail += text
    if (long.tail.length > 4 * LONG_LINE_UNITS) long.tail = detach(long.tail.slice(-LONG_LINE_UNITS))
  }

  #endLongLine(): void {
    const long = this.#long!
    this.#long = undefined
    this.#longLine(long.head, long.tail.slice(-LONG_LINE_UNITS), long.length)
    this.#contextStart = this.#offset
  }

  /** Go through the lines of the buffer up to `end`. */
  #process(end: number): void {
    const carried = this.#carry.length
    const window = this.#carry + this.#buffer.slice(0, end)
    const search = new SignalSearch(window, carried)
    let start = carried
    while (start < window.length) {
      const found = window.indexOf('\n', start)
      const lineEnd = found < 0 ? window.length : found
      if (lineEnd - start > LONG_LINE_UNITS) {
        const line = window.slice(start, lineEnd)
        this.#longLine(line.slice(0, LONG_LINE_UNITS), line.slice(-LONG_LINE_UNITS), line.length)
        this.#contextStart = this.#offset + lineEnd + 1 - carried
      } else this.#line(window, start, lineEnd, carried, search.within(start, lineEnd))
      start = lineEnd + 1
    }
  }

  #line(window: string, start: number, end: number, carried: number, hit: boolean): void {
    const number = ++this.#lineCount
    const slot = number & 63
    const offset = this.#offset + start - carried
    this.#starts[slot] = offset
    this.#errorsAt[slot] = this.#errors
    this.#warningsAt[slot] = this.#warnings
    const kind = lineKind(window, start, end)
    if (kind === BLANK_LINE) return
    const bucket = kindBucket(kind)
    const alike = ++this.#kinds[bucket]!
    if (hit) {
      this.#hit(window, start, end, carried, kind)
      return
    }
    if (offset < EDGE_UNITS) this.#head.push(this.#entry(number, window.slice(start, end), kind, 0))
    else if (number <= this.#keepUntil) this.#keep(this.#entry(number, window.slice(start, end), kind, this.#keepRank))
    else {
      if (alike === 1) this.#keepRare(this.#entry(number, window.slice(start, end), kind, 0))
      if (number % this.#sampleStride === 0) this.#keepSample(this.#entry(number, window.slice(start, end), kind, 0))
    }
  }

  #hit(window: string, start: number, end: number, carried: number, kind: number): void {
    const number = this.#lineCount
    const offset = this.#offset + start - carried
    const entry = { ...this.#entry(number, window.slice(start, end), kind, 0), counted: true }
    const repeats = ++this.#templates[entry.template & 16_383]!
    const { weight } = entry.signal
    if (isError(entry.signal)) this.#errors++
    else if (entry.signal.kind === 'warning') this.#warnings++
    const rank = repeats === 1 ? weight : weight * 0.8
    if (weight >= 30 && repeats <= KEPT_REPEATS) {
      const before = entry.signal.kind === 'exit' ? BEFORE_LINES : weight >= 50 ? 3 : 0
      if (offset >= EDGE_UNITS) this.#keepBefore(window, start, carried, before, rank)
      const after = weight >= 75 ? 24 : weight >= 50 ? 10 : 3
      if (number + after > this.#keepUntil || rank > this.#keepRank) {
        this.#keepUntil = Math.max(number + after, this.#keepUntil)
        this.#keepRank = rank * 0.9
      }
    }
    if (offset < EDGE_UNITS) this.#head.push(entry)
    else if (number <= this.#keepUntil) this.#keep({ ...entry, rank: Math.max(rank, this.#keepRank) })
  }

  /** Keep up to `lines` lines before the current one. */
  #keepBefore(window: string, start: number, carried: number, lines: number, rank: number): void {
    const last = this.#pool.at(-1)?.number ?? 0
    const current = this.#lineCount
    const earliest = Math.max(this.#contextStart, this.#offset + start - carried - BEFORE_UNITS, EDGE_UNITS)
    let first = current
    while (first - 1 > last && current - first < lines && first > 1 && this.#starts[(first - 1) & 63]! >= earliest)
      first--
    for (let number = first; number < current; number++) {
      const from = this.#starts[number & 63]! - this.#offset + carried
      const to =
        (number + 1 === current ? this.#starts[current & 63]! : this.#starts[(number + 1) & 63]!) -
        this.#offset +
        carried
      const kind = lineKind(window, from, to - 1)
      if (kind === BLANK_LINE) continue
      this.#keep({
        ...this.#entry(number, window.slice(from, to - 1), kind, rank * (0.6 + 0.3 / (current - number))),
        errorsBefore: this.#errorsAt[number & 63]!,
        warningsBefore: this.#warningsAt[number & 63]!,
      })
    }
  }

  #longLine(head: string, tail: string, length: number): void {
    const number = ++this.#lineCount
    const slot = number & 63
    this.#starts[slot] = -1
    this.#errorsAt[slot] = this.#errors
    this.#warningsAt[slot] = this.#warnings
    // What a carriage return overwrote is not shown; only its last state counts.
    const folded = tail.trimEnd().includes('\r')
    const text = detach(cleanLine(folded ? tail : cutAtGrapheme(head, LONG_LINE_UNITS - 64)))
    const end = folded ? '' : detach(cleanLine(cutAtGrapheme(tail, LONG_LINE_UNITS - 64, true)))
    const entry: Entry = {
      number,
      text,
      end,
      hidden: folded ? 0 : length - 2 * (LONG_LINE_UNITS - 64),
      kind: lineKind(text, 0, text.length),
      template: 0,
      signal: this.#signal(text, lineTemplate(text)),
      errorsBefore: this.#errors,
      warningsBefore: this.#warnings,
      counted: false,
      rank: 0,
    }
    this.#longLines.push(entry)
    if (this.#longLines.length > 2 * LONG_LINES) this.#longLines.splice(LONG_LINES, 1)
  }

  #entry(number: number, raw: string, kind: number, rank: number): Entry {
    let text = cleanLine(raw)
    let end = ''
    let hidden = 0
    if (number > 1 && text.length > KEPT_START_UNITS + KEPT_END_UNITS + 64) {
      const start = cutAtGrapheme(text, KEPT_START_UNITS)
      end = detach(cutAtGrapheme(text, KEPT_END_UNITS, true))
      hidden = text.length - start.length - end.length
      text = start
    }
    text = detach(text)
    const template = lineTemplate(text)
    return {
      number,
      text,
      end,
      hidden,
      kind,
      template,
      signal: this.#signal(text, template),
      errorsBefore: this.#errors,
      warningsBefore: this.#warnings,
      counted: false,
      rank,
    }
  }

  #signal(text: string, template: number): LineSignal {
    const known = this.#signals.get(template)
    if (known !== undefined) return known
    const signal = lineSignal(text)
    if (this.#signals.size >= 8_192) this.#signals.clear()
    this.#signals.set(template, signal)
    return signal
  }

  #keep(entry: Entry): void {
    this.#pool.push(entry)
    this.#poolUnits += entry.text.length + entry.end.length
    if (this.#pool.length <= POOL_LINES && this.#poolUnits <= POOL_UNITS) return
    const best = this.#pool.toSorted((left, right) => right.rank - left.rank || left.number - right.number)
    this.#poolUnits = 0
    const kept: Entry[] = []
    for (const line of best) {
      if (kept.length >= POOL_LINES / 2 || this.#poolUnits >= POOL_UNITS / 2) break
      this.#poolUnits += line.text.length + line.end.length
      kept.push(line)
    }
    this.#pool = kept.toSorted((left, right) => left.number - right.number)
  }

  #keepRare(entry: Entry): void {
    this.#rare.push(entry)
    if (this.#rare.length <= RARE_LINES) return
    this.#rare = this.#rare.filter((line) => this.#kinds[kindBucket(line.kind)]! === 1)
    if (this.#rare.length > RARE_LINES / 2) this.#rare = this.#rare.filter((_, index) => index % 2 === 0)
  }

  #keepSample(entry: Entry): void {
    this.#samples.push(entry)
    if (this.#samples.length <= SAMPLE_LINES) return
    this.#sampleStride *= 2
    this.#samples = this.#samples.filter(({ number }) => number % this.#sampleStride === 0)
  }

  #collect(): ScannedLine[] {
    const entries = new Map<number, Entry>()
    for (const entry of [
      ...this.#samples,
      ...this.#rare,
      ...this.#tail(),
      ...this.#longLines,
      ...this.#pool,
      ...this.#head,
    ]) {
      entries.set(entry.number, entry)
    }
    const sorted = [...entries.values()].toSorted((left, right) => left.number - right.number)
    return sorted.map((entry) => ({
      number: entry.number,
      text: entry.text,
      end: entry.end,
      hidden: entry.hidden,
      signal: entry.signal.kind,
      weight: entry.signal.weight,
      at: entry.signal.at,
      alike: this.#kinds[kindBucket(entry.kind)]!,
      repeats: entry.signal.weight > 0 ? Math.max(1, this.#templates[entry.template & 16_383]!) : 0,
      errorsBefore: entry.errorsBefore,
      warningsBefore: entry.warningsBefore,
      errors: entry.counted && isError(entry.signal) ? 1 : 0,
      warnings: entry.counted && entry.signal.kind === 'warning' ? 1 : 0,
    }))
  }

  /** The lines that stand whole at the end of the text. */
  #tail(): Entry[] {
    const earliest = Math.max(this.#contextStart, this.#offset - EDGE_UNITS, 0)
    let text = this.#carry.slice(this.#carry.length - (this.#offset - earliest))
    // A first line that may have begun earlier is not whole.
    if (earliest > this.#contextStart) text = text.slice(text.indexOf('\n') + 1)
    if (text.endsWith('\n')) text = text.slice(0, -1)
    else if (text === '') return []
    const search = new SignalSearch(text, 0)
    const found: { number: number; raw: string; kind: number; hit: boolean }[] = []
    const lines = text.split('\n')
    let number = this.#lineCount - lines.length
    let start = 0
    for (const raw of lines) {
      number++
      const kind = lineKind(raw, 0, raw.length)
      if (kind !== BLANK_LINE) found.push({ number, raw, kind, hit: search.within(start, start + raw.length) })
      start += raw.length + 1
    }
    let errors = this.#errors
    let warnings = this.#warnings
    const entries: Entry[] = []
    for (const { number: line, raw, kind, hit } of found.toReversed()) {
      const entry = this.#entry(line, raw, kind, 0)
      if (hit && isError(entry.signal)) errors--
      else if (hit && entry.signal.kind === 'warning') warnings--
      entries.push({ ...entry, errorsBefore: errors, warningsBefore: warnings, counted: hit })
    }
    return entries
  }
}

function isError(signal: LineSignal): boolean {
  return signal.weight >= 50 && signal.kind !== 'warning' && signal.kind !== 'none' && signal.kind !== 'detail'
}

function kindBucket(kind: number): number {
  return (kind ^ (kind >>> 15)) & 32_767
}

/** Copy a string, so that keeping it does not keep the text it was cut from. */
function detach(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1)
}
