import { cleanLine, cutAtGrapheme, detach, isDrawn, LineReader } from '@spillway/text/internal'
import { LineForms, TextCounts } from './text-counts.ts'
import { type LineModel, ownWeight } from './line-model.ts'
import { LINE_MODEL } from './line-weights.ts'
import { lineScores } from './line-features.ts'
import { ERROR, LineWords, type Severity, WARNING } from './line-words.ts'
import type { LineScores, ScannedLine, TextScan } from './text-scan.ts'

/** UTF-16 units kept of each end of a line away from the ends of the text. */
const START_UNITS = 2_048
const END_UNITS = 512

/** A line kept while reading. It is cleaned and classified only at the end. */
export interface KeptLine {
  readonly number: number
  readonly blanksBefore: number
  readonly raw: string
  /** End of a cut line, and the UTF-16 units between. */
  readonly rawEnd: string
  readonly hidden: number
  /** Hash of all words, from {@link LineWords}. */
  readonly template: number
  readonly red: boolean
  readonly errorsBefore: number
  readonly warningsBefore: number
  readonly severity: Severity
  rank: number
  /** Length of the run of similar lines from this one on. */
  run: number
}

type Parts = Pick<KeptLine, 'raw' | 'rawEnd' | 'hidden'>

/** Keeps a `whole` or short line completely. */
function keptParts(stored: string, whole: boolean): Parts {
  const isLong = !whole && stored.length > START_UNITS + END_UNITS
  // Earlier states of a progress line are no longer visible.
  const line = isLong && isDrawn(stored) ? cleanLine(stored) : stored
  if (!isLong || line.length <= START_UNITS + END_UNITS) return { raw: detach(line), rawEnd: '', hidden: 0 }
  const raw = detach(cutAtGrapheme(line, START_UNITS))
  const rawEnd = detach(cutAtGrapheme(line, END_UNITS, true))
  return { raw, rawEnd, hidden: line.length - raw.length - rawEnd.length }
}

const MOST_LINES = 2_048
const MOST_UNITS = 524_288

/** Keeps lines up to a number and a size, then drops the lowest ranks, the later ones first. */
export class LinePool {
  #lines: KeptLine[] = []
  #units = 0
  #floor = -Infinity

  /** Largest rank that is no longer worth adding. */
  get floor(): number {
    return this.#floor
  }

  get lines(): readonly KeptLine[] {
    return this.#lines
  }

  add(line: KeptLine): void {
    this.#lines.push(line)
    this.#units += line.raw.length + line.rawEnd.length
    while (this.#lines.length > MOST_LINES || this.#units > MOST_UNITS) this.#halve()
  }

  /** Of the lowest kept rank, the first lines stay. */
  #halve(): void {
    const ranks = Float64Array.from(this.#lines, (line) => line.rank).toSorted()
    const floor = ranks[ranks.length >> 1]!
    let spare = (ranks.length >> 1) - ranks.reduce((count, rank) => count + (rank > floor ? 1 : 0), 0)
    this.#units = 0
    this.#floor = floor
    this.#lines = this.#lines.filter((line) => {
      if (line.rank < floor || (line.rank === floor && spare-- <= 0)) return false
      this.#units += line.raw.length + line.rawEnd.length
      return true
    })
  }
}

/** UTF-16 units at each end of the text in which all lines are kept. */
const EDGE_UNITS = 32_768
const EDGE_LINES = 1_024
/** Long lines kept at each end of the text. */
const LONG_LINES = 6
/** Units read of a text, and the share read of the rest. */
const READ_UNITS = 2_097_152
const READ_SHARE = 0.125
/** Shorter lines are always read, in UTF-16 units. */
const SHORT_UNITS = 16
/** Rank for each bit of surprise. */
const SURPRISE_RANK = 0.25
/** Lines before a high rank that rank high too, and the decrease for each. */
const BEFORE_LINES = 4
const STEP = 0.4

/**
 * Reads a text in pieces and keeps lines for its preview: the first, the last, and important or unusual ones with their
 * neighbors.
 *
 * Memory is bounded, and time is linear. The result does not depend on the pieces. In a large text, lines that repeat
 * except for numbers are skipped; of many other lines, a share is read, and all with words of errors and warnings.
 */
export class TextScanner {
  readonly #reader = new LineReader({
    open: (window) => {
      this.#window = window
      this.#forms?.open(window)
    },
    line: (start, end) => this.#line(start, end),
    longLine: (start, end, hidden) => this.#longLine(start, end, hidden),
  })
  #window = ''
  #lineCount = 0
  /** Units that arrived and that were read, and whether any were skipped. */
  #passed = 0
  #read = 0
  #hasSkipped = false
  #forms: LineForms | undefined
  #errors = 0
  #warnings = 0
  /** Blank lines since the last other line. */
  #blanks = 0
  readonly #words = new LineWords()
  readonly #counts = new TextCounts()
  readonly #head: KeptLine[] = []
  #headUnits = 0
  /** Last read lines. Each keeps a whole piece of the text alive. */
  #tail: KeptLine[] = []
  #tailFrom = 0
  #tailUnits = 0
  readonly #pool = new LinePool()
  readonly #longLines: KeptLine[] = []
  /** Rank handed on by the previous line. */
  #handed = -Infinity
  #runFirst: KeptLine | undefined

  #last: KeptLine | undefined
  #lastRaw = ''
  readonly #model: LineModel

  readonly #readUnits: number

  /**
   * @param model - Ranks the lines.
   * @param readUnits - Longer texts are read in part.
   */
  constructor(model: LineModel = LINE_MODEL, readUnits: number = READ_UNITS) {
    this.#model = model
    this.#readUnits = readUnits
  }

  push(text: string): void {
    this.#reader.push(text)
  }

  /** No text may follow. */
  finish(): TextScan {
    this.#reader.finish()
    this.#forms?.finish()
    let scores: LineScores | undefined
    const scan: TextScan = {
      lines: this.#lineCount,
      length: this.#reader.length,
      errors: this.#errors,
      warnings: this.#warnings,
      counts: this.#counts,
      kept: this.#collect(),
      scores: () => (scores ??= lineScores(scan, this.#model)),
    }
    return scan
  }

  #line(start: number, end: number): void {
    const number = ++this.#lineCount
    const rank = this.#rankOf(start, end)
    if (rank === undefined) {
      this.#blanks++
      this.#runFirst = undefined
      return
    }
    const raw = this.#window.slice(start, end)
    const line = this.#note(number, raw, '', 0, Math.max(rank, this.#handed))
    this.#handed = line.rank - STEP
    if (this.#headUnits < EDGE_UNITS && this.#head.length < EDGE_LINES) {
      this.#headUnits += raw.length + 1
      this.#head.push({ ...line, ...keptParts(raw, number === 1) })
      this.#end(this.#head.at(-1)!, raw)
      return
    }
    this.#end(line, raw)
    this.#raise(rank)
    this.#tail.push(line)
    this.#tailUnits += raw.length + 1
    this.#trimTail()
  }

  /** Reads only new forms. Returns `undefined` for a blank line. */
  #rankOf(start: number, end: number): number | undefined {
    const words = this.#words
    this.#passed += end - start
    if (end === start) return undefined
    const isLarge = this.#passed > this.#readUnits
    if (isLarge) {
      if (this.#forms === undefined) {
        this.#forms = new LineForms(this.#counts.templates)
        this.#forms.open(this.#window)
      }
      const weight = this.#forms.find(start, end, words)
      if (weight !== undefined) return weight
      const isSpent = this.#read > this.#readUnits + this.#passed * READ_SHARE
      if (isSpent && end - start > SHORT_UNITS && !this.#forms.isTelling(start, end)) {
        this.#hasSkipped = true
        words.template = this.#forms.form
        words.severity = 0
        words.red = false
        return -Infinity
      }
    }
    this.#read += end - start
    words.read(this.#window, start, end)
    if (words.blank) return undefined
    const surprise = this.#counts.add(words)
    const weight = ownWeight(this.#model, words)
    if (isLarge) this.#forms!.add(words, weight)
    return weight + surprise * SURPRISE_RANK
  }

  #raise(rank: number): void {
    const tail = this.#tail
    for (let before = 1; before <= BEFORE_LINES; before++) {
      const line = tail[tail.length - before]
      if (line === undefined || tail.length - before < this.#tailFrom) return
      line.rank = Math.max(line.rank, rank - before * STEP)
    }
  }

  #trimTail(): void {
    const tail = this.#tail
    while (
      tail.length - this.#tailFrom > BEFORE_LINES + 1 &&
      (this.#tailUnits > EDGE_UNITS || tail.length - this.#tailFrom > EDGE_LINES)
    ) {
      const line = tail[this.#tailFrom++]!
      this.#tailUnits -= line.raw.length + 1
      if (line.rank > this.#pool.floor) this.#pool.add(detached(line))
    }
    if (this.#tailFrom > EDGE_LINES) {
      this.#tail = tail.slice(this.#tailFrom)
      this.#tailFrom = 0
    }
  }

  #note(number: number, raw: string, rawEnd: string, hidden: number, rank: number): KeptLine {
    const { template, red, severity } = this.#words
    const line: KeptLine = {
      number,
      blanksBefore: this.#blanks,
      raw,
      rawEnd,
      hidden,
      template,
      red,
      severity,
      errorsBefore: this.#errors,
      warningsBefore: this.#warnings,
      rank,
      run: 1,
    }
    this.#blanks = 0
    if (severity === ERROR) this.#errors++
    else if (severity === WARNING) this.#warnings++
    return line
  }

  #end(line: KeptLine, raw: string): void {
    this.#last = line
    this.#lastRaw = raw
    const first = this.#runFirst
    if (first !== undefined && first.template === line.template) first.run++
    else this.#runFirst = line
  }

  #longLine(raw: string, rawEnd: string, hidden: number): void {
    const number = ++this.#lineCount
    this.#words.read(raw, 0, raw.length)
    this.#counts.add(this.#words)
    this.#longLines.push(this.#note(number, raw, rawEnd, hidden, 0))
    this.#runFirst = undefined
    this.#last = undefined
    this.#handed = -Infinity
    if (this.#longLines.length > 2 * LONG_LINES) this.#longLines.splice(LONG_LINES, 1)
  }

  #collect(): ScannedLine[] {
    const tail = this.#tail.slice(this.#tailFrom).map((line) => detached(line))
    // The last line is kept whole.
    if (this.#last !== undefined) Object.assign(this.#last, keptParts(this.#lastRaw, true))
    const lines = [...this.#head, ...this.#pool.lines, ...this.#longLines, ...tail].toSorted(
      (one, other) => one.number - other.number,
    )
    for (const [index, line] of lines.entries()) {
      const previous = lines[index - 1]
      if (previous?.number === line.number - 1) line.run = Math.max(line.run, previous.run - 1)
    }
    return lines.map((line) => this.#describe(line)).filter(({ text, end }) => text !== '' || end !== '')
  }

  #describe(line: KeptLine): ScannedLine {
    const text = cleanLine(line.raw)
    const end = line.rawEnd === '' ? '' : cleanLine(line.rawEnd)
    const { number, blanksBefore, hidden, red, severity, template, run, errorsBefore, warningsBefore } = line
    // Unknown if lines were skipped.
    const repeats = this.#hasSkipped ? 1 : Math.max(1, this.#counts.templates.get(template))
    return {
      number,
      blanksBefore,
      text,
      end,
      hidden,
      red,
      severity,
      template,
      repeats,
      run,
      errorsBefore,
      warningsBefore,
    }
  }
}

/** Copies the text, so that the whole text can be freed. */
function detached(line: KeptLine): KeptLine {
  return Object.assign(line, keptParts(line.raw, line.number === 1))
}
