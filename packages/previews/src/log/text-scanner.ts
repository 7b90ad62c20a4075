import { LineReader } from '@spillway/text/internal'
import { HashCounts } from './hash-counts.ts'
import { cleanParts, keptParts, shownParts, type KeptLine } from './kept-line.ts'
import { LineNovelty } from './line-novelty.ts'
import { LinePool } from './line-pool.ts'
import { NO_SIGNAL, type LineSignal } from './line-signal.ts'
import { LineWords } from './line-words.ts'
import { RECENT_LINES, RecentLines } from './recent-lines.ts'
import { SignalMemo } from './signal-memo.ts'
import { TellingSearch } from './telling-search.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

/** Lines that begin in so much of the start of the text, or stand whole in so much of its end, are all kept. */
const EDGE_UNITS = 32_768
const EDGE_LINES = RECENT_LINES - 1
/** Long lines kept at each end of the text. */
const LONG_LINES = 6
/** What stands before a line that matters is kept up to so many lines and units. */
const BEFORE_LINES = 48
const BEFORE_UNITS = 6_144
/** What the end of a failed command ranks above other lines, so that what stands before it is kept. */
const EXIT_RANK = 50
/** Lines of less weight are only counted. */
const LEAST_WEIGHT = 30
/** Like lines that keep their surroundings; later ones are only counted. */
const KEPT_REPEATS = 12
/** A line of less surprise, in bits, is nothing new. */
const LEAST_SURPRISE = 2
/** What a line ranks for each bit of surprise. */
const SURPRISE_RANK = 5

/**
 * Reads a text of any length, in pieces of any size, and keeps what a preview of it can show: its first and last lines,
 * and the lines between that seem to matter, for what they say or for being unlike the others, with those around them.
 *
 * Memory stays within a few megabytes, and time grows with the length alone. The result does not depend on how the text
 * was split.
 */
export class TextScanner {
  readonly #reader = new LineReader(
    {
      open: (window, from, origin) => {
        this.#window = window
        this.#origin = origin
        this.#search = new TellingSearch(window, from)
      },
      line: (start, end) => this.#line(start, end),
      longLine: (start, end, hidden) => this.#longLine(start, end, hidden),
    },
    BEFORE_UNITS,
    EDGE_UNITS,
  )
  #window = ''
  #search = new TellingSearch('', 0)
  #origin = 0
  #lineCount = 0
  #errors = 0
  #warnings = 0
  /** Blank lines since the last other one. */
  #blanks = 0
  readonly #words = new LineWords()
  readonly #novelty = new LineNovelty()
  /** How many telling lines there are of each template. */
  readonly #templates = new HashCounts()
  /** How many telling lines look alike and have the same telling words. */
  readonly #crowds = new HashCounts()
  readonly #memo = new SignalMemo()
  readonly #recent = new RecentLines()
  readonly #head: KeptLine[] = []
  readonly #pool = new LinePool()
  readonly #longLines: KeptLine[] = []
  /** Lines up to this number follow one that matters. */
  #keepUntil = 0
  #keepRank = 0
  /** The template of the line before, and the kept line that began its run. */
  #runTemplate = 0
  #runFirst: KeptLine | undefined

  /** Take in the next piece of the text. */
  push(text: string): void {
    this.#reader.push(text)
  }

  /** End the text and return what was kept. The scanner takes no text after that. */
  finish(): TextScan {
    this.#reader.finish()
    const counted = this.#memo.isExact
    return {
      lines: this.#lineCount,
      length: this.#reader.length,
      errors: counted ? this.#errors : 0,
      warnings: counted ? this.#warnings : 0,
      counted,
      kept: this.#collect(),
    }
  }

  #line(start: number, end: number): void {
    const number = ++this.#lineCount
    const offset = this.#origin + start
    this.#recent.begin(number, offset, this.#errors, this.#warnings)
    const words = this.#words
    if (end > start) words.read(this.#window, start, end, this.#search.within(start, end))
    if (end === start || words.blank) {
      this.#blanks++
      this.#runTemplate = 0
      this.#runFirst = undefined
      return
    }
    const surprise = this.#novelty.add(words)
    this.#recent.describe(number, words, surprise, this.#blanks)
    this.#blanks = 0
    let rank = surprise >= LEAST_SURPRISE ? this.#surprise(surprise) : 0
    if (words.telling) rank = Math.max(rank, this.#telling(start, end))
    const runs = words.telling && words.template === this.#runTemplate
    if (runs && this.#runFirst !== undefined) this.#runFirst.run++
    let kept: KeptLine | undefined
    if (offset < EDGE_UNITS && number <= EDGE_LINES) {
      kept = this.#keep(number, start, end, rank)
      this.#head.push(kept)
    } else if (number <= this.#keepUntil) {
      rank = Math.max(rank, this.#keepRank)
      if (rank > this.#pool.floor) {
        kept = this.#keep(number, start, end, rank)
        this.#pool.add(kept)
      }
    }
    if (!runs) {
      this.#runTemplate = words.template
      this.#runFirst = kept
    }
  }

  /** See to it that a line unlike those before it is kept, with the lines around it. Returns its rank. */
  #surprise(surprise: number): number {
    const rank = surprise * SURPRISE_RANK
    this.#keepBefore(2, rank)
    this.#keepAfter(4, rank)
    return rank
  }

  /** Count a line that may matter, and see to it that it and the lines around it are kept. Returns its rank. */
  #telling(start: number, end: number): number {
    const number = this.#lineCount
    const repeats = this.#templates.add(this.#words.template)
    this.#crowds.add(this.#words.crowd)
    const clean = (): string => cleanParts(shownParts(this.#window.slice(start, end), number === 1)).both
    const signal = this.#memo.signalOf(this.#words, clean, number)
    if (signal === undefined) return 0
    const { weight } = signal
    if (isError(signal)) {
      this.#errors++
      this.#recent.count(number, 'error')
    } else if (signal.kind === 'warning') {
      this.#warnings++
      this.#recent.count(number, 'warning')
    }
    if (weight < LEAST_WEIGHT || repeats > KEPT_REPEATS) return 0
    const exit = signal.kind === 'exit'
    const rank = (repeats <= 1 ? weight : weight * 0.8) + (exit ? EXIT_RANK : 0)
    this.#keepBefore(exit ? BEFORE_LINES : weight >= 50 ? 3 : 0, rank)
    this.#keepAfter(weight >= 75 ? 24 : weight >= 50 ? 10 : 3, rank)
    return rank
  }

  #keepAfter(lines: number, rank: number): void {
    const number = this.#lineCount
    if (number > this.#keepUntil || rank * 0.9 > this.#keepRank) this.#keepRank = rank * 0.9
    this.#keepUntil = Math.max(number + lines, this.#keepUntil)
  }

  /** Keep up to `lines` lines before the current one. */
  #keepBefore(lines: number, rank: number): void {
    const last = Math.max(this.#head.at(-1)?.number ?? 0, this.#pool.lines.at(-1)?.number ?? 0)
    const current = this.#lineCount
    const earliest = Math.max(this.#reader.contextStart, this.#recent.offset(current) - BEFORE_UNITS)
    let first = current
    while (first - 1 > last && current - first < lines && this.#recent.offset(first - 1) >= earliest) first--
    for (let number = first; number < current; number++) {
      const start = this.#recent.offset(number) - this.#origin
      const end = this.#recent.offset(number + 1) - this.#origin - 1
      const worth = rank * (0.6 + 0.3 / (current - number))
      if (worth > this.#pool.floor && this.#recent.template(number) !== 0)
        this.#pool.add(this.#keep(number, start, end, worth))
    }
  }

  #keep(number: number, start: number, end: number, rank: number): KeptLine {
    const parts = keptParts(this.#window.slice(start, end), number === 1)
    return { number, ...parts, ...this.#recent.facts(number), rank, run: 1 }
  }

  #longLine(raw: string, rawEnd: string, hidden: number): void {
    const number = ++this.#lineCount
    this.#recent.begin(number, -1, this.#errors, this.#warnings)
    this.#words.read(raw, 0, raw.length, false)
    this.#recent.describe(number, this.#words, 0, this.#blanks)
    this.#blanks = 0
    this.#runTemplate = 0
    this.#runFirst = undefined
    this.#longLines.push({ number, raw, rawEnd, hidden, ...this.#recent.facts(number), rank: 0, run: 1 })
    if (this.#longLines.length > 2 * LONG_LINES) this.#longLines.splice(LONG_LINES, 1)
  }

  #collect(): ScannedLine[] {
    const lines = new Map<number, KeptLine>()
    for (const group of [this.#tail(), this.#longLines, this.#pool.lines, this.#head]) {
      for (const line of group) lines.set(line.number, line)
    }
    const sorted = [...lines.values()].toSorted((one, other) => one.number - other.number)
    for (let index = sorted.length - 2; index >= 0; index--) {
      const line = sorted[index]!
      const next = sorted[index + 1]!
      if (next.number === line.number + 1 && next.template === line.template && isAlike(line.raw, next.raw))
        line.run = Math.max(line.run, next.run + 1)
    }
    return sorted.map((line) => this.#describe(line)).filter(({ text, end }) => text !== '' || end !== '')
  }

  #describe(line: KeptLine): ScannedLine {
    const { text, end, both } = cleanParts(line)
    const alike = this.#novelty.alike(line.kind, line.shape)
    const signal = line.telling ? this.#memo.signalOfKept(line.template, both) : NO_SIGNAL
    return {
      number: line.number,
      blanksBefore: line.blanksBefore,
      text,
      end,
      hidden: line.hidden,
      signal: signal.kind,
      weight: signal.weight,
      at: signal.at,
      heads: signal.heads,
      template: line.template,
      alike,
      crowd: line.telling ? Math.max(1, this.#crowds.get(line.crowd)) : 0,
      surprise: alike <= 8 ? line.surprise : 0,
      repeats: line.telling ? Math.max(1, this.#templates.get(line.template)) : alike,
      run: line.run,
      errorsBefore: line.errorsBefore,
      warningsBefore: line.warningsBefore,
      errors: line.errors,
      warnings: line.warnings,
    }
  }

  /** The lines that stand whole at the end of the text. */
  #tail(): KeptLine[] {
    const raws = this.#reader.lastLines().slice(-EDGE_LINES)
    const first = this.#lineCount - raws.length + 1
    const lines: KeptLine[] = []
    for (const [index, raw] of raws.entries()) {
      const number = first + index
      const facts = this.#recent.facts(number)
      if (facts.template === 0) continue
      const parts = keptParts(raw, number === 1 || index === raws.length - 1)
      lines.push({ number, ...parts, ...facts, rank: 0, run: 1 })
    }
    return lines
  }
}

/** Whether two lines are the same but for numbers. */
function isAlike(one: string, other: string): boolean {
  return one === other || one.replace(/\d+/g, '0') === other.replace(/\d+/g, '0')
}

function isError(signal: LineSignal): boolean {
  return signal.weight >= 50 && signal.kind !== 'warning' && signal.kind !== 'none' && signal.kind !== 'detail'
}
