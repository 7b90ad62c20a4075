import { parseJsonText } from '../shared/lenient-parse.ts'
import type { JsonLayout } from '../json/json-form.ts'
import { cleanLine, formatCount } from '../lines/clean-line.ts'
import { contentTypeEssence } from '../types/content-types.ts'
import { alignedFormat } from './aligned-format.ts'
import { AlignedRows } from './aligned-reader.ts'
import { isFooter } from './find-columns.ts'
import { JsonRows, type JsonRowsForm } from './json-rows.ts'
import { MOST_COLUMNS, RecordReader, type BlockText, type RecordSink } from './record-reader.ts'
import { separatedFormat, splitRecord, unquote, type SeparatedFormat, type TableText } from './separated-format.ts'
import { columnName, type RowReader, type TableRow, type TableSink } from './table-row.ts'

/** Matches the line above a record of `\x` in psql or of `\G` in MySQL. */
const RECORD = /^(?:-\[ RECORD |\*{9,} )\d+(?: \][-+]*|\. row \*{9,})$/
/** Matches a cell of logfmt. */
const PAIR = /([\w.@/-]+)=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s"]*))(?:\s+|$)/gy
/** Longest line in UTF-16 units. Longer lines are left out. */
const LONGEST_LINE = 65_536

/** Smallest confidence in a table whose content type is not declared, if rows are requested. */
const DECLARED_SURENESS = 0.97
/** Matches the start of the text, and of each part after a blank line or a colon whose first lines have separators. */
const PARAGRAPH = /^|(?<=\n[ \t]*\r?\n|:[ \t]*\r?\n)(?=[^\r\n]*[,;\t|][^\r\n]*\r?\n[^\r\n]*[,;\t|])/g
/** Largest number of such parts that are read. */
const MOST_PARTS = 8
const NAME = /^(?:[\p{L}\p{N}_#%$(][^:{}<>;=]{0,80})?$/u

/** Create a reader for the rows of a text. Returns `undefined` if the text is not a table. */
export function readTable(text: Omit<TableText, 'intent'>, layout: JsonLayout, sink: TableSink): RowReader | undefined {
  const start = text.start.startsWith('\ufeff') ? text.start.slice(1) : text.start
  const asked = { ...text, start, contentType: contentTypeEssence(text.contentType), intent: { paths: [] } }
  const before = start.slice(0, layout.start)
  const tableSureness =
    before.trim() === '' ? 0 : Math.max(separatedFormat(asked)?.sureness ?? 0, alignedFormat(asked)?.sureness ?? 0)
  const json = layout.sureness < tableSureness ? undefined : jsonForm(start.slice(before.length), layout)
  if (json === 'other') return undefined
  if (json !== undefined) return new JsonRows(json, sink, before)
  if (hasNamedCells(start)) return new NamedRows('lines', sink)
  for (const { index } of [...start.matchAll(PARAGRAPH)].slice(0, MOST_PARTS)) {
    const reader = rowsFrom(asked, index, sink)
    if (reader !== undefined) return reader
  }
  return undefined
}

/** Smallest confidence in a table below other text. */
const SURENESS_BELOW = 0.9

/** Create a reader for a table that begins at `from`. A table below other text must have a header and separators. */
function rowsFrom(text: TableText, from: number, sink: TableSink): RowReader | undefined {
  const part = from === 0 ? text : { ...text, start: text.start.slice(from) }
  const above = text.start.slice(0, from).split('\n').length - 1
  const aligned = alignedFormat(part)
  const separated = separatedFormat(part) ?? (from === 0 ? lenientFormat(part) : undefined)
  const isAligned = aligned !== undefined && aligned.sureness > (separated?.sureness ?? 0)
  const { header = false, sureness = 0 } = (isAligned ? aligned : separated) ?? {}
  if (from > 0 && (!header || sureness < SURENESS_BELOW || (isAligned && aligned.form !== 'bars'))) return undefined
  if (isAligned) return new AlignedRows({ ...aligned, above: aligned.above + above }, sink)
  return separated && new SeparatedRows({ ...separated, comments: separated.comments + above }, sink)
}

/** Return the form of the rows in JSON. Returns `other` for JSON without rows, and `undefined` for other text. */
function jsonForm(start: string, { form }: JsonLayout): JsonRowsForm | 'other' | undefined {
  if (/^\s*\[\s*(?:\{|\[\s*[^\s[{\]])/.test(start)) return 'array'
  if (form === 'json-lines' && Array.isArray(parseJsonText(start.trimStart().split('\n', 1)[0]!))) return 'lines'
  if (!/^\s*\{/.test(start)) return undefined
  const lines = start.trimStart().split('\n')
  // The last line may be truncated. A single line may also be a document.
  const whole = lines.slice(0, -1).filter((line) => line.trim() !== '')
  if (form === 'json-lines') return whole.slice(0, 1).every(isObject) ? 'lines' : 'documents'
  if (whole.length === 1 && whole.every(isObject)) return 'lines'
  return /^\s*\{\s*(?:"|\}|$)/.test(start) ? 'other' : undefined
}

function isObject(line: string): boolean {
  const value = parseJsonText(line)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Detect a table that is not declared. The header must name columns, and the rows must be nearly uniform. */
function lenientFormat(text: TableText): SeparatedFormat | undefined {
  const formats = ['text/csv', 'text/tab-separated-values'].map((contentType) =>
    separatedFormat({ ...text, contentType }),
  )
  return formats.find(
    (format) =>
      format !== undefined && format.header && format.sureness >= DECLARED_SURENESS && hasNames(text.start, format),
  )
}

/** Whether the first line names columns, unlike the first line of a log. A cell in quotes may be any name. */
function hasNames(start: string, { separator, quotes, comments }: SeparatedFormat): boolean {
  const first = start.split('\n', comments + 1)[comments] ?? ''
  return splitRecord(first.trimEnd(), separator, quotes).every((cell) => cell.startsWith('"') || NAME.test(cell.trim()))
}

const FOOTER_UNITS = 80
const QUOTE = 34

class SeparatedRows implements RowReader, RecordSink, TableRow {
  readonly #format: SeparatedFormat
  readonly #sink: TableSink
  readonly #records: RecordReader
  #block: BlockText = { text: '', codes: new Uint16Array(0) }
  #bounds: Int32Array = new Int32Array(0)
  #columns = 0
  #otherLength = 0
  #line = 0
  #cells = 0

  constructor(format: SeparatedFormat, sink: TableSink) {
    this.#format = format
    this.#sink = sink
    this.#records = new RecordReader(this, format.separator, format.quotes)
  }

  push(text: string): void {
    this.#records.push(text)
  }

  finish(): readonly string[] | undefined {
    this.#records.finish()
    if (!this.#records.isTable || this.#columns === 0) return undefined
    const notes: string[] = []
    if (this.#columns > MOST_COLUMNS)
      notes.push(
        `The table has ${formatCount(this.#columns)} columns, of which the first ${formatCount(MOST_COLUMNS)} are read.`,
      )
    if (this.#otherLength > 0)
      notes.push(
        `Rows with another number of cells than the header: ${formatCount(this.#otherLength)}; cells beyond its columns are not shown.`,
      )
    if (this.#records.unclosed)
      notes.push(
        `A quote in the last row, which begins in line ${this.#line}, never closes: its last cell has all that follows.`,
      )
    return notes
  }

  record(block: BlockText, start: number, end: number, cells: number, bounds: Int32Array, line: number): void {
    if (line <= this.#format.comments) return
    this.#block = block
    this.#bounds = bounds
    if (cells === 1 && this.#columns > 1 && end - start < FOOTER_UNITS && isFooter(block.text.slice(start, end))) return
    this.#line = line
    this.#cells = Math.min(cells, MOST_COLUMNS)
    if (this.#columns === 0) {
      this.#columns = cells
      const { header } = this.#format
      const names = Array.from({ length: this.#cells }, (_, column) =>
        columnName(header ? cleanLine(this.cell(column) ?? '') : '', column),
      )
      this.#sink.begin(names)
      if (header) return
    }
    if (cells !== this.#columns) this.#otherLength++
    this.#sink.row(this)
  }

  cell(column: number): string | undefined {
    if (column >= this.#cells) return undefined
    const start = this.#bounds[2 * column]!
    const text = this.#block.text.slice(start, this.#bounds[2 * column + 1])
    return this.#format.quotes && this.#block.codes[start] === QUOTE ? unquote(text) : text
  }
}

/** Whether a text has records whose cells have names: blocks of psql or MySQL, or lines of logfmt. */
function hasNamedCells(start: string): boolean {
  const lines = start.split('\n', 4).slice(0, -1)
  return lines.some((line) => RECORD.test(line.trim())) || (lines.length > 2 && lines.every(pairsOf))
}

/** Return the cells of a line of logfmt. Returns `undefined` for other lines, and for a line with only one cell. */
function pairsOf(line: string): Map<string, string> | undefined {
  const pairs = [...line.matchAll(PAIR)]
  if (pairs.length < 2 || pairs.reduce((sum, [pair]) => sum + pair.length, 0) < line.length) return undefined
  return new Map(pairs.map(([, name, quoted, plain]) => [name!, quoted?.replace(/\\(.)/g, '$1') ?? plain!]))
}

/** Reads records whose cells have names. */
class NamedRows extends JsonRows {
  #rest = ''
  /** Separator after the names in blocks. */
  #separator = ''
  #cells = new Map<string, string>()
  #others = 0

  override push(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!.slice(0, LONGEST_LINE + 1)
    for (const line of lines) this.#line(line)
  }

  override finish(): readonly string[] | undefined {
    this.#line(this.#rest)
    this.#endRow()
    if (super.finish() === undefined) return undefined
    return this.#others === 0 ? [] : [`Lines without named cells were left out: ${formatCount(this.#others)}.`]
  }

  override kindOf(): undefined {}

  #line(text: string): void {
    // No cell has a name in the text for a line that is too long.
    const line = text.length > LONGEST_LINE ? '?' : text.trim()
    const isStart = RECORD.test(line)
    if (isStart) this.#separator = line.startsWith('-') ? '|' : ':'
    const isBlock = this.#separator !== ''
    if (isStart || !isBlock) this.#endRow()
    const at = isBlock ? line.indexOf(this.#separator) : 0
    const pairs = isBlock ? undefined : pairsOf(line)
    if (pairs !== undefined) this.#cells = pairs
    else if (at > 0) this.#cells.set(line.slice(0, at).trimEnd(), line.slice(at + 1).trimStart())
    else if (!isStart && line !== '' && !isFooter(line)) this.#others++
  }

  #endRow(): void {
    if (this.#cells.size > 0) this.add(Object.fromEntries(this.#cells))
    this.#cells = new Map()
  }
}
