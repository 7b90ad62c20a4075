import { cleanLine } from '../clean-line.ts'
import { keptParts, shownParts, type KeptLine } from './kept-line.ts'
import { BLANK_LINE, isMarked, lineKind } from './line-kind.ts'
import { LinePool } from './line-pool.ts'
import { LineReader } from './line-reader.ts'
import { lineSignal, type LineSignal } from './line-signal.ts'
import { lineTemplate } from './line-template.ts'
import { SignalSearch } from './signal-search.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

/** Lines that begin in so much of the start of the text, or stand whole in so much of its end, are all kept. */
const EDGE_UNITS = 32_768
const EDGE_LINES = 2_048
/** Long lines kept at each end of the text. */
const LONG_LINES = 6
/** What stands before a line that matters is kept up to so many lines and units. */
const BEFORE_LINES = 48
const BEFORE_UNITS = 6_144
/** What the end of a failed command ranks above other lines, so that what stands before it is kept. */
const EXIT_RANK = 50
/** Templates whose lines are counted. */
const COUNTED_TEMPLATES = 16_384
/** Signals remembered. */
const KNOWN_SIGNALS = 8_192
/** Lines of less weight are only counted. */
const LEAST_WEIGHT = 30
/** Lines unlike any before them, kept until others like them come. */
const RARE_LINES = 256
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
  readonly #reader = new LineReader(
    {
      open: (window, from, origin) => this.#open(window, from, origin),
      line: (start, end) => this.#line(start, end),
      longLine: (start, end, hidden) => this.#longLine(start, end, hidden),
    },
    BEFORE_UNITS,
    EDGE_UNITS,
  )
  #window = ''
  #origin = 0
  #search = new SignalSearch('', 0)
  #lineCount = 0
  #errors = 0
  #warnings = 0
  /** How many lines there are of each kind, and lines with a signal like each template. */
  readonly #kinds = new Uint32Array(1 << 15)
  readonly #templates = new Map<number, number>()
  readonly #signals = new Map<number, LineSignal>()
  /** Offsets and counts of the last lines, by line number. */
  readonly #starts = new Float64Array(64)
  readonly #errorsAt = new Float64Array(64)
  readonly #warningsAt = new Float64Array(64)
  readonly #head: KeptLine[] = []
  readonly #pool = new LinePool()
  #rare: KeptLine[] = []
  #rareSeen = 0
  #rareStride = 1
  readonly #longLines: KeptLine[] = []
  /** Lines up to this number follow one that matters. */
  #keepUntil = 0
  #keepRank = 0

  /** Take in the next piece of the text. */
  push(text: string): void {
    this.#reader.push(text)
  }

  /** End the text and return what was kept. The scanner takes no text after that. */
  finish(): TextScan {
    this.#reader.finish()
    return {
      lines: this.#lineCount,
      length: this.#reader.length,
      errors: this.#errors,
      warnings: this.#warnings,
      kept: this.#collect(),
    }
  }

  #open(window: string, from: number, origin: number): void {
    this.#window = window
    this.#origin = origin
    this.#search = new SignalSearch(window, from)
  }

  #line(start: number, end: number): void {
    const number = ++this.#lineCount
    const offset = this.#origin + start
    this.#remember(number, offset)
    const kind = lineKind(this.#window, start, end)
    if (kind === BLANK_LINE) return
    const alike = ++this.#kinds[kindBucket(kind)]!
    let rank = 0
    const matters = this.#search.within(start, end) || isMarked(kind)
    if (matters) rank = this.#hit(start, end)
    if (offset < EDGE_UNITS && number <= EDGE_LINES)
      this.#head.push(this.#keep(number, start, end, kind, matters, rank))
    else if (number <= this.#keepUntil) {
      rank = Math.max(rank, this.#keepRank)
      if (rank > this.#pool.floor) this.#pool.add(this.#keep(number, start, end, kind, matters, rank))
    } else if (alike === 1 && ++this.#rareSeen % this.#rareStride === 0) {
      this.#addRare(this.#keep(number, start, end, kind, matters, 0))
    }
  }

  /** Count a line that may matter, and see to it that it and the lines around it are kept. Returns its rank. */
  #hit(start: number, end: number): number {
    const number = this.#lineCount
    const { template, signal } = this.#classify(shownParts(this.#window.slice(start, end), number === 1))
    const repeats = this.#count(template)
    const { weight } = signal
    if (isError(signal)) this.#errors++
    else if (signal.kind === 'warning') this.#warnings++
    if (weight < LEAST_WEIGHT || repeats > KEPT_REPEATS) return 0
    const exit = signal.kind === 'exit'
    const rank = (repeats === 1 ? weight : weight * 0.8) + (exit ? EXIT_RANK : 0)
    this.#keepBefore(exit ? BEFORE_LINES : weight >= 50 ? 3 : 0, rank)
    const after = weight >= 75 ? 24 : weight >= 50 ? 10 : 3
    if (number > this.#keepUntil || rank * 0.9 > this.#keepRank) this.#keepRank = rank * 0.9
    this.#keepUntil = Math.max(number + after, this.#keepUntil)
    return rank
  }

  /** Count one more line like a template; beyond a number of templates, new ones are not counted. */
  #count(template: number): number {
    const count = (this.#templates.get(template) ?? 0) + 1
    if (count > 1 || this.#templates.size < COUNTED_TEMPLATES) this.#templates.set(template, count)
    return count
  }

  /** Keep up to `lines` lines before the current one. */
  #keepBefore(lines: number, rank: number): void {
    const last = Math.max(this.#head.at(-1)?.number ?? 0, this.#pool.lines.at(-1)?.number ?? 0)
    const current = this.#lineCount
    const offset = this.#starts[current & 63]!
    const earliest = Math.max(this.#reader.contextStart, offset - BEFORE_UNITS)
    let first = current
    while (first - 1 > last && current - first < lines && this.#starts[(first - 1) & 63]! >= earliest) first--
    for (let number = first; number < current; number++) {
      const start = this.#starts[number & 63]! - this.#origin
      const end = this.#starts[(number + 1) & 63]! - this.#origin - 1
      const kind = lineKind(this.#window, start, end)
      if (kind === BLANK_LINE) continue
      const worth = rank * (0.6 + 0.3 / (current - number))
      if (worth <= this.#pool.floor) continue
      const next = (number + 1) & 63
      const counted =
        this.#errorsAt[number & 63] !== this.#errorsAt[next] || this.#warningsAt[number & 63] !== this.#warningsAt[next]
      this.#pool.add(this.#keep(number, start, end, kind, counted, worth))
    }
  }

  #keep(number: number, start: number, end: number, kind: number, hit: boolean, rank: number): KeptLine {
    const slot = number & 63
    const { raw, rawEnd, hidden } = keptParts(this.#window.slice(start, end), number === 1)
    const errorsBefore = this.#errorsAt[slot]!
    const warningsBefore = this.#warningsAt[slot]!
    return { number, raw, rawEnd, hidden, kind, errorsBefore, warningsBefore, hit, rank }
  }

  #remember(number: number, offset: number): void {
    const slot = number & 63
    this.#starts[slot] = offset
    this.#errorsAt[slot] = this.#errors
    this.#warningsAt[slot] = this.#warnings
  }

  #longLine(raw: string, rawEnd: string, hidden: number): void {
    const number = ++this.#lineCount
    this.#remember(number, -1)
    const kind = lineKind(raw, 0, raw.length)
    const errorsBefore = this.#errors
    const warningsBefore = this.#warnings
    this.#longLines.push({ number, raw, rawEnd, hidden, kind, errorsBefore, warningsBefore, hit: false, rank: 0 })
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
    if (this.#rare.length <= RARE_LINES / 2) return
    // Where most lines are unlike all others, a sample of them will do.
    this.#rareStride *= 2
    this.#rare = this.#rare.filter((_, index) => index % 2 === 0)
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
      repeats: signal.weight > 0 ? (this.#templates.get(template) ?? 1) : 0,
      errorsBefore: line.errorsBefore,
      warningsBefore: line.warningsBefore,
      errors: line.hit && isError(signal) ? 1 : 0,
      warnings: line.hit && signal.kind === 'warning' ? 1 : 0,
    }
  }

  /** The lines that stand whole at the end of the text, from the last one back. */
  #tail(): KeptLine[] {
    const raws = this.#reader.lastLines().slice(-EDGE_LINES)
    const search = new SignalSearch(raws.join('\n'), 0)
    let start = 0
    const hits = raws.map((raw) => search.within(start, (start += raw.length + 1) - 1))
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
        const { signal } = this.#classify(shownParts(raw, false))
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
