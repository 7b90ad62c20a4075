import { cleanLine, LineReader } from '@spillway/text/internal'
import { keptParts, type KeptLine } from './kept-line.ts'
import { lineScores } from './line-scores.ts'
import { LinePool } from './line-pool.ts'
import { LineWords } from './line-words.ts'
import { LINE_MODEL, ownWeight, type LineModel } from './line-model.ts'
import { ERROR, WARNING } from './severity.ts'
import { TextCounts } from './text-counts.ts'
import type { LineScores, ScannedLine, TextScan } from './text-scan.ts'

/** Lines that begin in so much of the start of the text, or stand whole in so much of its end, are all kept. */
const EDGE_UNITS = 32_768
const EDGE_LINES = 1_024
/** Long lines kept at each end of the text. */
const LONG_LINES = 6
/** What a line ranks for each bit of surprise. */
const SURPRISE_RANK = 0.25
/** How many lines before one that ranks high rank high too, and how much lower each is. */
const BEFORE_LINES = 4
const STEP = 0.4

/**
 * Reads a text of any length, in pieces of any size, and keeps what a preview of it can show: its first and last lines,
 * and the lines between that seem to matter, for their words or for being unlike the others, with those around them.
 *
 * Memory stays within a few megabytes, and time grows with the length alone. The result does not depend on how the text
 * was split.
 */
export class TextScanner {
  readonly #reader = new LineReader(
    {
      open: (window) => void (this.#window = window),
      line: (start, end) => this.#line(start, end),
      longLine: (start, end, hidden) => this.#longLine(start, end, hidden),
    },
    0,
    1,
  )
  #window = ''
  #lineCount = 0
  #errors = 0
  #warnings = 0
  /** Blank lines since the last other one. */
  #blanks = 0
  readonly #words = new LineWords()
  readonly #counts = new TextCounts()
  readonly #head: KeptLine[] = []
  #headUnits = 0
  /** The last lines read, from an index on; whole parts of the text are alive while they are. */
  #tail: KeptLine[] = []
  #tailFrom = 0
  #tailUnits = 0
  readonly #pool = new LinePool()
  readonly #longLines: KeptLine[] = []
  /** The rank that the line before hands on. */
  #handed = -Infinity
  /** The line that began the current run of lines that are alike. */
  #runFirst: KeptLine | undefined

  /** The line read last, and all of its text. */
  #last: KeptLine | undefined
  #lastRaw = ''
  readonly #model: LineModel

  /** @param model - What lines are ranked by. */
  constructor(model: LineModel = LINE_MODEL) {
    this.#model = model
  }

  /** Take in the next piece of the text. */
  push(text: string): void {
    this.#reader.push(text)
  }

  /** End the text and return what was kept. The scanner takes no text after that. */
  finish(): TextScan {
    this.#reader.finish()
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
    const words = this.#words
    if (end > start) words.read(this.#window, start, end)
    if (end === start || words.blank) {
      this.#blanks++
      this.#runFirst = undefined
      return
    }
    const surprise = this.#counts.add(words)
    const rank = ownWeight(this.#model, words) + surprise * SURPRISE_RANK
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

  /** Lines before one that ranks high rank high too. */
  #raise(rank: number): void {
    const tail = this.#tail
    for (let before = 1; before <= BEFORE_LINES; before++) {
      const line = tail[tail.length - before]
      if (line === undefined || tail.length - before < this.#tailFrom) return
      line.rank = Math.max(line.rank, rank - before * STEP)
    }
  }

  /** Lines that are no longer among the last ones are kept if they rank high. */
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

  /** Count a line that was read among the errors and warnings, and return what is kept of it. */
  #note(number: number, raw: string, rawEnd: string, hidden: number, rank: number): KeptLine {
    const { template, red, severity, at } = this.#words
    const line: KeptLine = {
      number,
      blanksBefore: this.#blanks,
      raw,
      rawEnd,
      hidden,
      template,
      red,
      severity,
      at,
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
    const { number, blanksBefore, hidden, red, severity, at, template, run, errorsBefore, warningsBefore } = line
    const repeats = Math.max(1, this.#counts.templates.get(template))
    return {
      number,
      blanksBefore,
      text,
      end,
      hidden,
      red,
      severity,
      at,
      template,
      repeats,
      run,
      errorsBefore,
      warningsBefore,
    }
  }
}

/** A line whose text keeps nothing else of the whole text alive. */
function detached(line: KeptLine): KeptLine {
  return Object.assign(line, keptParts(line.raw, line.number === 1))
}
