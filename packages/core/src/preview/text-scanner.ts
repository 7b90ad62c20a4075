import { cutAtGrapheme } from '../tokens/cut-at-grapheme.ts'
import { cleanLine } from './clean-line.ts'
import { detach, keptParts, type KeptLine } from './kept-line.ts'
import { BLANK_LINE, isMarked, lineKind } from './line-kind.ts'
import { LinePool } from './line-pool.ts'
import { lineSignal, type LineSignal } from './line-signal.ts'
import { lineTemplate } from './line-template.ts'
import { SignalSearch } from './signal-search.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

export type { TextScan } from './text-scan.ts'
export { renderTextPreview } from './render-text-preview.ts'

/** Text is taken in by blocks of about this many UTF-16 units. */
const BLOCK_UNITS = 32_768
/** Lines that begin in so much of the start of the text, or stand whole in so much of its end, are all kept. */
const EDGE_UNITS = 32_768
/** Of a line longer than this, a start and an end of this length each are kept, and its middle is not looked at. */
const LONG_LINE_UNITS = 24_576
/** Long lines kept at each end of the text. */
const LONG_LINES = 6
/** What stands before a line that matters is kept up to so many lines and units. */
const BEFORE_LINES = 48
const BEFORE_UNITS = 6_144
/** Signals remembered. */
const KNOWN_SIGNALS = 8_192
/** Lines of less weight are only counted. */
const LEAST_WEIGHT = 30
/** Lines unlike any before them, kept until others like them come. */
const RARE_LINES = 512
/** Like lines that keep their surroundings; later ones are only counted. */
const KEPT_REPEATS = 12

/**
 * Reads a text of any length, in pieces of any size, and keeps what a preview of it can show: its first and last lines,
 * and the lines between that seem to matter with those around them.
 *
 * Memory stays within a few megabytes, and time grows with the length alone. The result does not depend on how the text
 * was split.
 */
export class TextScanner {
  #buffer = ''
  /** The end of the text before the buffer, for the lines before a line that matters. */
  #context = ''
  /** The text before the buffer, as far as its last lines are all kept. */
  readonly #recent: string[] = []
  #recentUnits = 0
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
  readonly #head: KeptLine[] = []
  readonly #pool = new LinePool()
  #rare: KeptLine[] = []
  readonly #longLines: KeptLine[] = []
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
    this.#recent.push(passed)
    this.#recentUnits += units
    while (this.#recentUnits - this.#recent[0]!.length >= EDGE_UNITS) this.#recentUnits -= this.#recent.shift()!.length
    this.#buffer = units === this.#buffer.length ? '' : this.#buffer.slice(units)
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
    this.#context = ''
    this.#contextStart = this.#offset
  }

  /** Go through the lines of the buffer up to `end`. */
  #process(end: number): void {
    const carried = this.#context.length
    const window = this.#context + this.#buffer.slice(0, end)
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
    this.#context = window.slice(-BEFORE_UNITS)
  }

  #line(window: string, start: number, end: number, carried: number, hit: boolean): void {
    const number = ++this.#lineCount
    const offset = this.#offset + start - carried
    this.#remember(number, offset)
    const kind = lineKind(window, start, end)
    if (kind === BLANK_LINE) return
    const alike = ++this.#kinds[kindBucket(kind)]!
    let rank = 0
    const matters = hit || isMarked(kind)
    if (matters) rank = this.#hit(window, start, end, carried)
    if (offset < EDGE_UNITS) this.#head.push(this.#keep(number, window.slice(start, end), kind, matters, rank))
    else if (number <= this.#keepUntil) {
      this.#pool.add(this.#keep(number, window.slice(start, end), kind, matters, Math.max(rank, this.#keepRank)))
    } else if (alike === 1) this.#addRare(this.#keep(number, window.slice(start, end), kind, matters, 0))
  }

  /** Count a line that may matter, and see to it that it and the lines around it are kept. Returns its rank. */
  #hit(window: string, start: number, end: number, carried: number): number {
    const number = this.#lineCount
    const { template, signal } = this.#classify(keptParts(window.slice(start, end), number === 1))
    const repeats = ++this.#templates[template & 16_383]!
    const { weight } = signal
    if (isError(signal)) this.#errors++
    else if (signal.kind === 'warning') this.#warnings++
    if (weight < LEAST_WEIGHT || repeats > KEPT_REPEATS) return 0
    const rank = repeats === 1 ? weight : weight * 0.8
    this.#keepBefore(window, start, carried, signal.kind === 'exit' ? BEFORE_LINES : weight >= 50 ? 3 : 0, rank)
    const after = weight >= 75 ? 24 : weight >= 50 ? 10 : 3
    if (number > this.#keepUntil || rank * 0.9 > this.#keepRank) this.#keepRank = rank * 0.9
    this.#keepUntil = Math.max(number + after, this.#keepUntil)
    return rank
  }

  /** Keep up to `lines` lines before the current one. */
  #keepBefore(window: string, start: number, carried: number, lines: number, rank: number): void {
    const last = this.#pool.lines.at(-1)?.number ?? 0
    const current = this.#lineCount
    const earliest = Math.max(this.#contextStart, this.#offset + start - carried - BEFORE_UNITS, EDGE_UNITS)
    let first = current
    while (first - 1 > last && current - first < lines && this.#starts[(first - 1) & 63]! >= earliest) first--
    const base = carried - this.#offset
    for (let number = first; number < current; number++) {
      const from = this.#starts[number & 63]! + base
      const to = this.#starts[(number + 1) & 63]! + base - 1
      const kind = lineKind(window, from, to)
      if (kind === BLANK_LINE) continue
      // Such a line was no hit, or it would be in the pool.
      const line = this.#keep(number, window.slice(from, to), kind, false, rank * (0.6 + 0.3 / (current - number)))
      this.#pool.add({
        ...line,
        errorsBefore: this.#errorsAt[number & 63]!,
        warningsBefore: this.#warningsAt[number & 63]!,
        hit:
          this.#errorsAt[number & 63] !== this.#errorsAt[(number + 1) & 63] ||
          this.#warningsAt[number & 63] !== this.#warningsAt[(number + 1) & 63],
      })
    }
  }

  #keep(number: number, raw: string, kind: number, hit: boolean, rank: number): KeptLine {
    const slot = number & 63
    const errorsBefore = this.#errorsAt[slot]!
    const warningsBefore = this.#warningsAt[slot]!
    return { number, ...keptParts(raw, number === 1), kind, errorsBefore, warningsBefore, hit, rank }
  }

  #remember(number: number, offset: number): void {
    const slot = number & 63
    this.#starts[slot] = offset
    this.#errorsAt[slot] = this.#errors
    this.#warningsAt[slot] = this.#warnings
  }

  #longLine(head: string, tail: string, length: number): void {
    const number = ++this.#lineCount
    this.#remember(number, -1)
    // What a carriage return overwrote is not shown; only the last state counts.
    const folded = tail.trimEnd().includes('\r')
    const raw = folded
      ? detach(tail.slice(tail.trimEnd().lastIndexOf('\r') + 1))
      : detach(cutAtGrapheme(head, LONG_LINE_UNITS - 64))
    const rawEnd = folded ? '' : detach(cutAtGrapheme(tail, LONG_LINE_UNITS - 64, true))
    this.#longLines.push({
      number,
      raw,
      rawEnd,
      hidden: folded ? 0 : length - raw.length - rawEnd.length,
      kind: lineKind(raw, 0, raw.length),
      errorsBefore: this.#errors,
      warningsBefore: this.#warnings,
      hit: false,
      rank: 0,
    })
    if (this.#longLines.length > 2 * LONG_LINES) this.#longLines.splice(LONG_LINES, 1)
  }

  /** Clean a line and tell what it says; lines that differ in numbers alone are looked at once. */
  #classify(line: Pick<KeptLine, 'raw' | 'rawEnd'>): {
    text: string
    end: string
    template: number
    signal: LineSignal
  } {
    const text = cleanLine(line.raw)
    const end = line.rawEnd === '' ? '' : cleanLine(line.rawEnd)
    const both = end === '' ? text : `${text} ${end}`
    const template = lineTemplate(both)
    let signal = this.#signals.get(template)
    if (signal === undefined) {
      signal = lineSignal(both)
      if (this.#signals.size >= KNOWN_SIGNALS) this.#signals.clear()
      this.#signals.set(template, signal)
    }
    return { text, end, template, signal }
  }

  #addRare(line: KeptLine): void {
    this.#rare.push(line)
    if (this.#rare.length <= RARE_LINES) return
    this.#rare = this.#rare.filter(({ kind }) => this.#kinds[kindBucket(kind)] === 1)
    if (this.#rare.length > RARE_LINES / 2) this.#rare = this.#rare.filter((_, index) => index % 2 === 0)
  }

  #collect(): ScannedLine[] {
    const lines = new Map<number, KeptLine>()
    for (const group of [this.#rare, this.#tail(), this.#longLines, this.#pool.lines, this.#head]) {
      for (const line of group) lines.set(line.number, line)
    }
    const sorted = [...lines.values()].toSorted((one, other) => one.number - other.number)
    return sorted.map((line) => this.#describe(line)).filter(({ text, end }) => text !== '' || end !== '')
  }

  #describe(line: KeptLine): ScannedLine {
    const { text, end, template, signal } = this.#classify(line)
    return {
      number: line.number,
      text,
      end,
      hidden: line.hidden,
      signal: signal.kind,
      weight: signal.weight,
      at: signal.at,
      heads: signal.heads,
      alike: this.#kinds[kindBucket(line.kind)]!,
      repeats: signal.weight > 0 ? Math.max(1, this.#templates[template & 16_383]!) : 0,
      errorsBefore: line.errorsBefore,
      warningsBefore: line.warningsBefore,
      errors: line.hit && isError(signal) ? 1 : 0,
      warnings: line.hit && signal.kind === 'warning' ? 1 : 0,
    }
  }

  /** The lines that stand whole at the end of the text. */
  #tail(): KeptLine[] {
    const earliest = Math.max(this.#contextStart, this.#offset - EDGE_UNITS)
    let text = this.#recent.join('').slice(earliest - this.#offset)
    if (earliest === this.#offset) return []
    // A first line that may have begun earlier is not whole.
    if (earliest > this.#contextStart) text = text.slice(text.indexOf('\n') + 1)
    if (text.endsWith('\n')) text = text.slice(0, -1)
    else if (text === '') return []
    const search = new SignalSearch(text, 0)
    const raws = text.split('\n')
    const hits: boolean[] = []
    let start = 0
    for (const raw of raws) {
      hits.push(search.within(start, start + raw.length))
      start += raw.length + 1
    }
    const lines: KeptLine[] = []
    let errorsBefore = this.#errors
    let warningsBefore = this.#warnings
    for (let index = raws.length - 1; index >= 0; index--) {
      const raw = raws[index]!
      const number = this.#lineCount - raws.length + 1 + index
      const kind = lineKind(raw, 0, raw.length)
      if (kind === BLANK_LINE) continue
      const hit = hits[index]! || isMarked(kind)
      if (hit) {
        const { signal } = this.#classify(keptParts(raw, false))
        if (isError(signal)) errorsBefore--
        else if (signal.kind === 'warning') warningsBefore--
      }
      const whole = number === 1 || index === raws.length - 1
      lines.push({ number, ...keptParts(raw, whole), kind, errorsBefore, warningsBefore, hit, rank: 0 })
    }
    return lines
  }
}

function isError(signal: LineSignal): boolean {
  return signal.weight >= 50 && signal.kind !== 'warning' && signal.kind !== 'none' && signal.kind !== 'detail'
}

function kindBucket(kind: number): number {
  return (kind ^ (kind >>> 15)) & 32_767
}
