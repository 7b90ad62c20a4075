import { cleanLine, cutAtGrapheme, detach, isDrawn, LineReader, TextCodes } from '@spillway/text/internal'
import { LineForms, TextCounts } from './text-counts.ts'
import { type LineModel, ownWeight } from './line-model.ts'
import { LINE_MODEL } from './line-weights.ts'
import { lineScores } from './line-features.ts'
import { ERROR, LineWords, WARNING } from './line-words.ts'
import type { LineScores, ScannedLine, TextScan } from './text-scan.ts'

/** Number of UTF-16 units that are kept at each end of a long line in the middle of the text. */
const START_UNITS = 2_048
const END_UNITS = 512

/** A line that is kept while the text is read. The text of the line is cleaned only at the end. */
export interface KeptLine extends Omit<ScannedLine, 'text' | 'end' | 'repeats' | 'hidden' | 'rank' | 'run'> {
  raw: string
  /** End of a line whose middle was cut, otherwise empty. */
  rawEnd: string
  hidden: number
  rank: number
  /** Number of consecutive lines with the same template, from this line on. */
  run: number
}

/** Copy the text of a line, so that the memory of the whole text can be freed. Unless `whole`, a long line is cut. */
function keep(kept: KeptLine, stored: string = kept.raw, whole: boolean = kept.number === 1): KeptLine {
  const isLong = !whole && stored.length > START_UNITS + END_UNITS
  // A terminal does not show earlier states of a progress line.
  const line = isLong && isDrawn(stored) ? cleanLine(stored) : stored
  const isCut = isLong && line.length > START_UNITS + END_UNITS
  kept.raw = detach(isCut ? cutAtGrapheme(line, START_UNITS) : line)
  kept.rawEnd = isCut ? detach(cutAtGrapheme(line, END_UNITS, true)) : ''
  kept.hidden = isCut ? line.length - kept.raw.length - kept.rawEnd.length : 0
  return kept
}

const MOST_LINES = 2_048
const MOST_UNITS = 524_288

/**
 * Keeps lines up to a number and a size. Above these limits, drops the lines with the lowest ranks, the last lines
 * first.
 */
export class LinePool {
  lines: KeptLine[] = []
  #units = 0
  /** Lines up to this rank are not added any more. */
  floor: number = -Infinity

  add(line: KeptLine): void {
    this.lines.push(line)
    this.#units += line.raw.length + line.rawEnd.length
    while (this.lines.length > MOST_LINES || this.#units > MOST_UNITS) this.#halve()
  }

  /** Drop half of the lines. Of the lines with the lowest kept rank, the first are kept. */
  #halve(): void {
    const ranks = new Float64Array(this.lines.map(({ rank }) => rank)).toSorted()
    const floor = ranks[ranks.length >> 1]!
    let spare = (ranks.length >> 1) - ranks.reduce((count, rank) => count + (rank > floor ? 1 : 0), 0)
    this.#units = 0
    this.floor = floor
    this.lines = this.lines.filter((line) => {
      if (line.rank < floor || (line.rank === floor && spare-- <= 0)) return false
      this.#units += line.raw.length + line.rawEnd.length
      return true
    })
  }
}

/** Number of UTF-16 units, and of lines, at each end of the text in which all lines are kept. */
const EDGE_UNITS = 32_768
const EDGE_LINES = 1_024
/** Number of long lines that are kept at each end of the text. */
const LONG_LINES = 6
/** Number of UTF-16 units that are read completely, and share of the further units that is read. */
const READ_UNITS = 2_097_152
const READ_SHARE = 0.125
/** Longest line that is always read, in UTF-16 units. */
const SHORT_UNITS = 16
const SURPRISE_RANK = 0.25
/** Number of lines before an important line that also get a high rank, and the decrease of this rank for each line. */
const BEFORE_LINES = 4
const STEP = 0.4

/**
 * Reads a text in chunks and keeps lines for its preview: the first lines, the last lines, and important or unusual
 * lines with their neighbors.
 *
 * Memory is bounded, and time is linear. The result is the same for any chunks. In a large text, lines that differ only
 * in numbers are read only once. Of the other lines, it reads a share, and all lines with words of errors or warnings.
 */
export class TextScanner {
  readonly #reader = new LineReader({
    open: (window) => {
      this.#window = window
      this.#codes = this.#textCodes.of(window)
      this.#forms?.open(window, this.#codes)
    },
    line: (start, end) => this.#line(start, end),
    longLine: (start, end, hidden) => this.#longLine(start, end, hidden),
  })
  #window = ''
  #codes: Uint16Array = new Uint16Array(0)
  readonly #textCodes = new TextCodes()
  #lineCount = 0
  /** Number of units that arrived, number of units that were read, and whether lines were skipped. */
  #passed = 0
  #read = 0
  #hasSkipped = false
  #forms: LineForms | undefined
  #errors = 0
  #warnings = 0
  /** Number of blank lines since the last line with text. */
  #blanks = 0
  readonly #words = new LineWords()
  readonly #counts = new TextCounts()
  readonly #head: KeptLine[] = []
  #headUnits = 0
  /** The last lines. Each line keeps its whole chunk of the text in memory. */
  #tail: KeptLine[] = []
  #tailFrom = 0
  #tailUnits = 0
  readonly #pool = new LinePool()
  readonly #longLines: KeptLine[] = []
  /** Smallest rank of the next line, from the rank of the line before. */
  #handed = -Infinity
  #runFirst: KeptLine | undefined
  #last: KeptLine | undefined
  #lastRaw = ''
  readonly #model: LineModel
  readonly #readUnits: number

  /**
   * @param model - Model that ranks the lines.
   * @param readUnits - Length up to which a text is read completely, in UTF-16 units.
   */
  constructor(model: LineModel = LINE_MODEL, readUnits: number = READ_UNITS) {
    this.#model = model
    this.#readUnits = readUnits
  }

  push(text: string): void {
    this.#reader.push(text)
  }

  /** End the text. No more text may be pushed. */
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
      this.#head.push(keep(line))
      this.#end(line, raw)
      return
    }
    this.#end(line, raw)
    this.#raise(rank)
    this.#tail.push(line)
    this.#tailUnits += raw.length + 1
    this.#trimTail()
  }

  /** Return the rank of a line, or `undefined` if it is blank. In a large text, lines of a known form are not read. */
  #rankOf(start: number, end: number): number | undefined {
    const words = this.#words
    this.#passed += end - start
    if (end === start) return undefined
    const isLarge = this.#passed > this.#readUnits
    if (isLarge) {
      if (this.#forms === undefined) {
        this.#forms = new LineForms(this.#counts.templates)
        this.#forms.open(this.#window, this.#codes)
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
    words.read(this.#window, start, end, this.#codes)
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
      if (line.rank > this.#pool.floor) this.#pool.add(keep(line))
    }
    if (this.#tailFrom > EDGE_LINES) {
      this.#tail = tail.slice(this.#tailFrom)
      this.#tailFrom = 0
    }
  }

  #note(number: number, raw: string, rawEnd: string, hidden: number, rank: number): KeptLine {
    const { template, red } = this.#words
    const severity = this.#words.reports ? this.#words.severity : 0
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
    this.#words.read(raw, 0, raw.length, new TextCodes().of(raw))
    this.#counts.add(this.#words)
    this.#longLines.push(this.#note(number, raw, rawEnd, hidden, 0))
    this.#runFirst = undefined
    this.#last = undefined
    this.#handed = -Infinity
    if (this.#longLines.length > 2 * LONG_LINES) this.#longLines.splice(LONG_LINES, 1)
  }

  #collect(): ScannedLine[] {
    const tail = this.#tail.slice(this.#tailFrom).map((line) => keep(line))
    // The last line is not cut.
    if (this.#last !== undefined) keep(this.#last, this.#lastRaw, true)
    const lines = [...this.#head, ...this.#pool.lines, ...this.#longLines, ...tail].toSorted(
      (one, other) => one.number - other.number,
    )
    for (let index = 1; index < lines.length; index++) {
      const line = lines[index]!
      const previous = lines[index - 1]!
      if (previous.number === line.number - 1) line.run = Math.max(line.run, previous.run - 1)
    }
    return lines.map((line) => this.#describe(line)).filter(({ text, end }) => text !== '' || end !== '')
  }

  #describe(line: KeptLine): ScannedLine {
    const text = cleanLine(line.raw)
    const end = line.rawEnd === '' ? '' : cleanLine(line.rawEnd)
    // If lines were skipped, the number of repetitions is unknown.
    const repeats = this.#hasSkipped ? 1 : Math.max(1, this.#counts.templates.get(line.template))
    return { ...line, text, end, repeats }
  }
}
