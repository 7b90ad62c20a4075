import { cleanLine, cutAtGrapheme, detach, isDrawn, LineReader } from '@spillway/text/internal'
import { LineForms, TextCounts } from './text-counts.ts'
import { type LineModel, ownWeight } from './line-model.ts'
import { LINE_MODEL } from './line-weights.ts'
import { lineScores } from './line-features.ts'
import { ERROR, LineWords, type Severity, WARNING } from './line-words.ts'
import type { LineScores, ScannedLine, TextScan } from './text-scan.ts'

/** Of a line away from the start and the end of the text, this much of its start and of its end is kept. */
const START_UNITS = 2_048
const END_UNITS = 512

/** A line as it is kept while a text is read: it is cleaned and classified at the end, if it is still there. */
export interface KeptLine {
  readonly number: number
  readonly blanksBefore: number
  readonly raw: string
  /** The end of a line that is not kept whole, and the units between. */
  readonly rawEnd: string
  readonly hidden: number
  /** Hash of all words: as of {@link LineWords}. */
  readonly template: number
  readonly red: boolean
  /** Lines with errors, and with warnings, before this one in the whole text. */
  readonly errorsBefore: number
  readonly warningsBefore: number
  readonly severity: Severity
  /** How much the line is worth keeping. */
  rank: number
  /** Lines from this one on that follow each other and are alike but for their numbers. */
  run: number
}

/** What is kept of a line's text. */
type Parts = Pick<KeptLine, 'raw' | 'rawEnd' | 'hidden'>

/** What is kept of a line that is still part of a text: all of it where it is `whole` or short. */
function keptParts(stored: string, whole: boolean): Parts {
  const isLong = !whole && stored.length > START_UNITS + END_UNITS
  // Of progress, the states that a terminal no longer shows are no part of it.
  const line = isLong && isDrawn(stored) ? cleanLine(stored) : stored
  if (!isLong || line.length <= START_UNITS + END_UNITS) return { raw: detach(line), rawEnd: '', hidden: 0 }
  const raw = detach(cutAtGrapheme(line, START_UNITS))
  const rawEnd = detach(cutAtGrapheme(line, END_UNITS, true))
  return { raw, rawEnd, hidden: line.length - raw.length - rawEnd.length }
}

const MOST_LINES = 2_048
const MOST_UNITS = 524_288

/** Keeps lines up to a number and a size; beyond, those of the lowest rank go, the later ones first. */
export class LinePool {
  #lines: KeptLine[] = []
  #units = 0
  #floor = -Infinity

  /** The highest rank that is not worth adding any more: as many lines as fit rank at least as high. */
  get floor(): number {
    return this.#floor
  }

  get lines(): readonly KeptLine[] {
    return this.#lines
  }

  /** Add a line; lines must come in order. */
  add(line: KeptLine): void {
    this.#lines.push(line)
    this.#units += line.raw.length + line.rawEnd.length
    while (this.#lines.length > MOST_LINES || this.#units > MOST_UNITS) this.#halve()
  }

  /** Keep half of the lines: those of the highest ranks, and of the lowest rank among them the first. */
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

/** Lines that begin in so much of the start of the text, or stand whole in so much of its end, are all kept. */
const EDGE_UNITS = 32_768
const EDGE_LINES = 1_024
/** Long lines kept at each end of the text. */
const LONG_LINES = 6
/** Of a larger text, not every line is read: so much of it is, and of what comes after that this share. */
const READ_UNITS = 2_097_152
const READ_SHARE = 0.125
/** Shorter lines are read in any case. */
const SHORT_UNITS = 16
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
 *
 * Lines of a large text that are the same as earlier ones but for their numbers are not read again. If a large part of it
 * are other lines, only a share of these is read, and all with words of errors and warnings.
 */
export class TextScanner {
  readonly #reader = new LineReader(
    {
      open: (window) => {
        this.#window = window
        this.#forms?.open(window)
      },
      line: (start, end) => this.#line(start, end),
      longLine: (start, end, hidden) => this.#longLine(start, end, hidden),
    },
    0,
    1,
  )
  #window = ''
  #lineCount = 0
  /** Units of lines that have come, and of those that were read, and whether one was not. */
  #passed = 0
  #read = 0
  #hasSkipped = false
  #forms: LineForms | undefined
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

  readonly #readUnits: number

  /**
   * @param model - What lines are ranked by.
   * @param readUnits - Of a longer text, not every line is read.
   */
  constructor(model: LineModel = LINE_MODEL, readUnits: number = READ_UNITS) {
    this.#model = model
    this.#readUnits = readUnits
  }

  /** Take in the next piece of the text. */
  push(text: string): void {
    this.#reader.push(text)
  }

  /** End the text and return what was kept. The scanner takes no text after that. */
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

  /** Read a line, unless it is like one that was read, and rank it; `undefined` if it is blank. */
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
    // Not known if lines were skipped.
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

/** A line whose text keeps nothing else of the whole text alive. */
function detached(line: KeptLine): KeptLine {
  return Object.assign(line, keptParts(line.raw, line.number === 1))
}
