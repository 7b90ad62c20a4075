import { cleanLine, formatCount } from '../lines/clean-line.ts'
import { LineReader, type LineSink } from '../lines/line-reader.ts'
import type { AlignedFormat } from './aligned-format.ts'
import { findBars, findColumns, isBarRule, isFooter, isHeader, isRule, type LineColumns } from './find-columns.ts'
import { TextCodes } from '../platform/text-codes.ts'
import { codesOf, isTerminalText, type BlockText } from './record-reader.ts'
import { columnName, type RowReader, type TableRow, type TableSink } from './table-row.ts'

const MOST_SECTIONS = 64
const ROWS_TO_FIND = 40
const BLOCK_UNITS = 32_768
const BLANK = 32
const UNFIT_SHARE = 0.2

/** Receives the rows of one table of a text. */
export interface AlignedTable {
  readonly columns: number
  readonly rows: number
  /** Number of rows that do not match the columns. */
  readonly unfit: number
  add(block: BlockText, start: number, end: number, line: number): void
  /** Called before the memory of `text` is reused. */
  endBlock(text: string): void
  /** Add a line after the rows. */
  note(text: string): void
}

/** @param headerLine - Line number of the header, or 0 if there is no header. */
export type BeginTable<Table> = (columns: LineColumns, title: string, named: boolean, headerLine: number) => Table

/** A further table whose columns are not known yet. */
interface OpenSection {
  readonly title: string
  readonly header: string
  readonly headerLine: number
  readonly rows: { readonly text: string; readonly line: number }[]
}

export class AlignedReader<Table extends AlignedTable> implements LineSink {
  lines = 0
  readonly #format: AlignedFormat
  readonly #bar: number
  readonly #bounds: Int32Array
  readonly #reader: LineReader
  readonly #codes = new TextCodes()
  readonly #beginTable: BeginTable<Table>
  readonly #sections: Table[] = []
  #block: BlockText = { text: '', codes: new Uint16Array(0) }
  #title: string[] = []
  /** Lines above the first row. Reports repeat them on each page. */
  readonly #heads: string[] = []
  /** A line that may be the title of a further table. */
  #held: { readonly text: string; readonly line: number; readonly apart: boolean } | undefined
  #opening: OpenSection | undefined
  #afterBlank = false
  #inNotes = false
  /** Total number of rows according to the footers, and number of footers. */
  #counted = 0
  #footers = 0
  /** Up to two lines after the rows, which may be the title and the header of a further table. */
  readonly #between: { readonly text: string; readonly line: number }[] = []
  /** Number of lines outside tables. */
  #noted = 0
  #dirty = false
  /** A line that is a row if rows follow, or else the totals below the rows. */
  #total: { readonly text: string; readonly line: number } | undefined
  #ruleLine = 0
  /** Number of groups of rows that begin after a rule. */
  #groups = 0
  #isAfterRule = true
  /** Whether a line may continue the cells of the line above. */
  #isDoubtful = false

  constructor(format: AlignedFormat, beginTable: BeginTable<Table>) {
    this.#format = format
    this.#beginTable = beginTable
    this.#bar = format.columns.separator.charCodeAt(0)
    this.#bounds = new Int32Array(2 * format.columns.columns)
    this.#reader = new LineReader(this)
  }

  push(text: string): void {
    for (let from = 0; from < text.length; from += BLOCK_UNITS) this.#reader.push(text.slice(from, from + BLOCK_UNITS))
  }

  /** Return the tables. Returns `undefined` if too many lines are not rows, or if the number of rows is uncertain. */
  finish(): readonly Table[] | undefined {
    this.#reader.finish()
    this.#endBlock()
    this.#release()
    this.#found()
    this.#settle(false)
    const unfit = this.#sections.reduce((sum, section) => sum + section.unfit, 0)
    const rows = this.#sections.reduce((sum, section) => sum + section.rows, 0)
    // If there are rules between most rows but not all, the rules separate rows that have several lines.
    const isRuled = this.#groups > 1 && this.#groups < rows && this.#groups * 2 >= rows
    const counted = this.#footers === this.#sections.length ? this.#counted : Infinity
    if (rows > counted || ((this.#isDoubtful || isRuled) && rows !== counted)) return undefined
    if (rows === 0 || this.#noted > rows || unfit > rows * UNFIT_SHARE || this.#sections.length > MOST_SECTIONS)
      return undefined
    return this.#sections
  }

  open(window: string): void {
    this.#endBlock()
    this.#block = { text: window, codes: this.#codes.of(window) }
    this.#dirty = this.lines === 0 || isTerminalText(window)
  }

  line(start: number, end: number): void {
    this.lines++
    const { text, codes } = this.#block
    if (this.#dirty) {
      const clean = cleanLine(text.slice(start, end))
      this.#take({ text: clean, codes: codesOf(clean) }, 0, clean.length)
      return
    }
    let last = end
    while (last > start && codes[last - 1]! <= 32) last--
    this.#take(this.#block, start, last)
  }

  longLine(start: string): void {
    this.lines++
    const text = cleanLine(start)
    this.#take({ text, codes: codesOf(text) }, 0, text.length)
  }

  #endBlock(): void {
    this.#sections.at(-1)?.endBlock(this.#block.text)
  }

  #take(block: BlockText, start: number, end: number): void {
    if (this.#sections.length > MOST_SECTIONS) return
    if (start === end) {
      this.#release()
      this.#afterBlank = true
      if (this.lines <= this.#format.above) this.#title.push('')
      return
    }
    const { above, header, form, columns } = this.#format
    if (this.lines <= above) {
      const text = block.text.slice(start, end)
      this.#heads.push(text)
      if (!(header && this.lines === above)) this.#title.push(isRule(text) ? '' : text.trim())
      return
    }
    if (this.#sections.length === 0) this.#begin(columns, this.#title.join('\n'), header, header ? above : 0)
    if (form === 'bars') this.#takeBars(block, start, end)
    else if (this.#format.kind !== undefined) this.#add(block, start, end, this.lines)
    else this.#takeAligned(block, start, end)
    this.#afterBlank = false
  }

  #takeBars(block: BlockText, start: number, end: number): void {
    const { isFramed = false, columns } = this.#format
    if (this.#inNotes || (this.#afterBlank && !isFramed) || this.#between.length > 0) {
      this.#takeBetween(block.text.slice(start, end))
      return
    }
    const bar = block.text.indexOf(columns.separator, start)
    const hasBar = bar >= 0 && bar < end
    const first = block.codes[start]!
    // Rows begin with a bar or a blank, but so do the rules `|---|---|` and `| :-- |`. Other rules and footers do not.
    const isPlain =
      first === 32 ? hasBar && !isDash(block.codes[start + 1]!) : first === this.#bar && !this.#mayBeRule(block, start)
    if (!isPlain) {
      const text = block.text.slice(start, Math.min(end, start + 2_048))
      if (isBarRule(text, isFramed)) {
        this.#isAfterRule = true
        return
      }
      // A line without bars ends the rows. In a table with a frame, it may continue a cell, but not after a blank line.
      if (isFooter(text) || !(hasBar || (isFramed && !this.#afterBlank))) {
        this.#inNotes = true
        this.#note(text)
        return
      }
    }
    if (this.#isAfterRule) this.#groups++
    this.#isAfterRule = false
    this.#isDoubtful ||= this.#mayGoOn(block, start, end)
    this.#add(block, start, end, this.lines)
  }

  /** Take a line after the rows. If a rule follows, the line may be the title or the header of a further table. */
  #takeBetween(text: string): void {
    const between = this.#between
    const header = between.at(-1)
    const isNext = header !== undefined && !isRule(header.text) && isBarRule(text, this.#format.isFramed === true)
    const found = isNext ? findBars([header.text, text]) : undefined
    if (header === undefined || found === undefined) {
      if (between.length === 2) this.#releaseFirst()
      between.push({ text, line: this.lines })
      return
    }
    const title = between.length === 2 && !isRule(between[0]!.text) ? between[0]!.text.trim() : ''
    between.length = 0
    this.#begin(found.columns, title, true, header.line)
    this.#inNotes = false
    this.#isAfterRule = true
  }

  #releaseFirst(): void {
    const { text, line } = this.#between.shift()!
    if (this.#inNotes) this.#note(text)
    else this.#addLine(text, line)
  }

  #note(text: string): void {
    if (isFooter(text)) {
      this.#counted += Number(/\d+/.exec(text)![0])
      this.#footers++
    } else if (!isRule(text)) this.#noted++
    this.#sections.at(-1)!.note(cleanLine(text).trim())
  }

  #mayBeRule({ codes }: BlockText, start: number): boolean {
    return isDash(codes[start + 1]!) || (codes[start + 1] === 32 && isDash(codes[start + 2]!))
  }

  #takeAligned(block: BlockText, start: number, end: number): void {
    const section = this.#sections.at(-1)!
    const first = block.codes[start]!
    // A line of words above a header is a title, even if it was read as a header.
    const words = this.#opening?.rows.length === 0 ? this.#opening : undefined
    const title = this.#held?.text ?? (words && words.header.trim() + '\n'.repeat(this.lines - words.headerLine - 1))
    if (title !== undefined || this.#afterBlank) {
      const text = block.text.slice(start, Math.min(end, start + 2_048))
      if (isHeader(text) && (title === undefined || /\S {2,}\S/.test(text))) {
        this.#held = undefined
        if (words !== undefined) this.#opening = undefined
        this.#found()
        this.#opening = { title: title ?? '', header: text, headerLine: this.lines, rows: [] }
        this.#inNotes = false
        return
      }
      this.#release()
    }
    if (mayBeTitle(block.codes, start, end, first)) {
      this.#held = { text: cleanLine(block.text.slice(start, end)), line: this.lines, apart: this.#afterBlank }
      return
    }
    if (this.#opening !== undefined) {
      const text = block.text.slice(start, end)
      if (!isRule(text)) this.#opening.rows.push({ text, line: this.lines })
      if (this.#opening.rows.length >= ROWS_TO_FIND) this.#found()
      return
    }
    if (
      isDash(first === BLANK ? block.codes[start + 1]! : first) &&
      isRule(block.text.slice(start, Math.min(end, start + 2_048)))
    ) {
      this.#ruleLine = this.lines
      return
    }
    // A separate line after the rows with only a few parts is a remark.
    const parts = this.#afterBlank
      ? block.text.slice(start, Math.min(end, start + 2_048)).split(/ {2,}/).length
      : Infinity
    if (this.#inNotes || parts < section.columns / 2) {
      this.#inNotes = true
      this.#settle(false)
      section.note(cleanLine(block.text.slice(start, end)).trim())
    } else if (!this.#heads.some((head) => isSame(block.text, start, end, head))) {
      this.#isDoubtful ||= first === BLANK && this.#mayGoOn(block, start, end)
      this.#settle(true)
      const mayTotal = this.#ruleLine === this.lines - 1 || /^ *total\b/i.test(block.text.slice(start, start + 32))
      if (mayTotal && section.rows > 0)
        this.#total = { text: cleanLine(block.text.slice(start, end)), line: this.lines }
      else this.#add(block, start, end, this.lines)
    }
  }

  /** Whether a line may continue the cells above: it has no bars, or a blank first cell and no cell with a number. */
  #mayGoOn({ text, codes }: BlockText, start: number, end: number): boolean {
    const { columns, typed = [], isFramed = false, isMarkdown = false } = this.#format
    if (isMarkdown || this.#sections.length > 1) return false
    const bounds = this.#bounds
    if (columns.find(codes, start, end, bounds) === 0)
      return isFramed && text.slice(start, end).includes(columns.separator)
    const isFilled = (column: number): boolean => bounds[2 * column]! < bounds[2 * column + 1]!
    if (isFilled(0) || !(isFramed || typed[0] === true)) return false
    return !typed.some((isTyped, column) => isTyped && isFilled(column))
  }

  /** Add a line with totals as a row if a further row follows it, or else as a note. */
  #settle(isRow: boolean): void {
    const total = this.#total
    this.#total = undefined
    if (total !== undefined && isRow) this.#addLine(total.text, total.line)
    else if (total !== undefined) this.#sections.at(-1)!.note(total.text.trim())
  }

  #add(block: BlockText, start: number, end: number, line: number): void {
    if (block === this.#block) this.#sections.at(-1)!.add(block, start, end, line)
    else this.#addOwn(block, line)
  }

  #release(): void {
    while (this.#between.length > 0) this.#releaseFirst()
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    this.#found()
    const section = this.#sections.at(-1)!
    if (held.apart || this.#inNotes) {
      this.#inNotes = true
      section.note(held.text)
    } else this.#addLine(held.text, held.line)
  }

  #found(): void {
    const opening = this.#opening
    if (opening === undefined) return
    this.#opening = undefined
    const { title, header, headerLine, rows } = opening
    const texts = rows.map(({ text }) => text)
    const columns = findColumns(header, texts) ?? this.#format.columns
    this.#begin(columns, title, true, headerLine)
    for (const { text, line } of rows) this.#addLine(text, line)
  }

  #addLine(text: string, line: number): void {
    this.#settle(true)
    this.#addOwn({ text, codes: codesOf(text) }, line)
  }

  #addOwn(block: BlockText, line: number): void {
    const section = this.#sections.at(-1)!
    section.endBlock(this.#block.text)
    section.add(block, 0, block.text.length, line)
    section.endBlock(block.text)
  }

  #begin(columns: LineColumns, title: string, named: boolean, headerLine: number): void {
    this.#settle(false)
    this.#sections.at(-1)?.endBlock(this.#block.text)
    if (this.#sections.length <= MOST_SECTIONS) this.#sections.push(this.#beginTable(columns, title, named, headerLine))
  }
}

/** Whether a line may be a title: words after `==`, or with single blanks and no digits, or a colon at the end. */
function mayBeTitle(codes: Uint16Array, start: number, end: number, first: number): boolean {
  if (first === 61 && codes[start + 1] === 61 && codes.subarray(start, end).some((code) => code > 64)) return true
  if (first < 65 || first > 90 || end - start > 120) return codes[end - 1] === 58 && end - start < 200
  let blanks = 0
  for (let at = start; at < end; at++) {
    const code = codes[at]!
    if (code >= 48 && code <= 57) return false
    if (code !== 32) continue
    if (codes[at + 1] === 32) return false
    blanks++
  }
  return blanks > 0
}

const HEAD_UNITS = 8
const NUMBER = / *\d+/g

/** Whether a line is the same as another, apart from its numbers. */
function isSame(text: string, start: number, end: number, other: string): boolean {
  if (other.length < HEAD_UNITS || !text.startsWith(other.slice(0, HEAD_UNITS), start)) return false
  return text.slice(start, end).replace(NUMBER, '0') === other.replace(NUMBER, '0')
}

function isDash(code: number): boolean {
  return code === 45 || code === 58 || code === 61 || code === 43 || (code >= 0x2500 && code < 0x2580)
}

export class AlignedRows implements RowReader {
  readonly #reader: AlignedReader<LineTable>

  constructor(format: AlignedFormat, sink: TableSink) {
    this.#reader = new AlignedReader(format, (columns) => new LineTable(columns, sink))
  }

  push(text: string): void {
    this.#reader.push(text)
  }

  finish(): readonly string[] | undefined {
    const tables = this.#reader.finish()
    if (tables === undefined) return undefined
    const unfit = tables.reduce((sum, table) => sum + table.unfit, 0)
    return unfit === 0
      ? []
      : [`Lines that do not fit the columns: ${formatCount(unfit)}; each is one cell, in the first column.`]
  }
}

class LineTable implements AlignedTable, TableRow {
  readonly #columns: LineColumns
  readonly #sink: TableSink
  readonly #bounds: Int32Array
  #text = ''
  rows = 0
  unfit = 0
  #cells = 0

  constructor(columns: LineColumns, sink: TableSink) {
    this.#columns = columns
    this.#sink = sink
    this.#bounds = new Int32Array(2 * columns.columns)
    // If there is no header, columns have the names that the command gives them, for example `mode` and `size`.
    const name = (_: unknown, column: number): string => columnName(columns.names?.[column] ?? '', column)
    sink.begin(Array.from({ length: columns.columns }, name))
  }

  get columns(): number {
    return this.#columns.columns
  }

  add(block: BlockText, start: number, end: number): void {
    this.rows++
    this.#text = block.text
    this.#cells = this.#columns.find(block.codes, start, end, this.#bounds)
    if (this.#cells === 0) {
      this.unfit++
      this.#cells = 1
      this.#bounds[0] = start
      this.#bounds[1] = end
    }
    this.#sink.row(this)
  }

  endBlock(): void {
    this.#text = ''
  }

  note(): void {}

  cell(column: number): string | undefined {
    if (column >= this.#cells) return undefined
    return this.#text.slice(this.#bounds[2 * column], this.#bounds[2 * column + 1])
  }
}
