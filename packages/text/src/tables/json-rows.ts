import { parseJsonText } from '../shared/lenient-parse.ts'
import { isExactNumber, parseExactJson } from '../json/exact-json.ts'
import { formatCount } from '../lines/clean-line.ts'
import { isValue } from './record-reader.ts'
import { GrowingColumns, type RowReader, type TableRow, type TableSink } from './table-row.ts'

/** Largest object in UTF-16 units. Each object is parsed as a whole. */
const LONGEST_OBJECT = 1_048_576
/** Largest depth of an object. Serializing a deeper value could overflow the stack. */
const DEEPEST = 500
export type JsonRowsForm = 'array' | 'lines' | 'documents'
const QUOTE = 34
const BACKSLASH = 92
const NEWLINE = 10
const COMMA = 44

/**
 * Reads rows that are JSON objects, in an array or one after another. The keys are the columns. If the first value is
 * an array, the rows are arrays. Their columns have the names in the first row if it has only strings, unlike the next
 * row. Other columns are c1, c2, and so on.
 */
export class JsonRows implements RowReader, TableRow {
  readonly #sink: TableSink
  readonly #columns = new GrowingColumns()
  /** Depth of the rows: 1 in an array, 0 at the top level. */
  readonly #base: number
  #row: Readonly<Record<string, unknown>> = {}
  #hasArrays: boolean | undefined
  /** The first row if it may have names. */
  #firstRow: readonly string[] | undefined
  #names: readonly string[] | undefined
  readonly #lists: readonly (readonly string[])[]
  #began = false
  #depth = 0
  #deepest = 0
  #inString = false
  #escaped = false
  #parts: string[] = []
  #length = 0
  #isOpen = false
  readonly #isByLine: boolean
  /** Number of UTF-16 units before the JSON that are not skipped yet. */
  #before: number
  /** Whether the current line has text that is not JSON between objects. */
  #isOtherLine = false
  #isOtherValue = false
  #otherLines: number
  #others = 0
  #unread = 0
  #ended = false

  /**
   * @param before - Text at the start that is not JSON.
   * @param lists - Lists of names. The first list with as many names as the first row has cells names the columns.
   */
  constructor(form: JsonRowsForm, sink: TableSink, before = '', lists: readonly (readonly string[])[] = []) {
    this.#lists = lists
    this.#before = before.length
    this.#otherLines = before.split('\n').filter((line) => line.trim() !== '').length
    this.#base = form === 'array' ? 1 : 0
    this.#isByLine = form === 'lines'
    this.#sink = sink
  }

  push(text: string): void {
    if (this.#ended) return
    let start = 0
    const from = Math.min(this.#before, text.length)
    this.#before -= from
    for (let at = from; at < text.length; at++) {
      if (this.#inString) {
        at = this.#endOfString(text, at)
        if (at >= text.length) break
      }
      const code = text.charCodeAt(at)
      if (code === NEWLINE) {
        // A JSON string cannot contain a line end. If each object has its own line, an invalid object ends here.
        if (this.#isOpen && (this.#inString || this.#isByLine)) this.#drop()
        else this.#inString = false
        this.#isOtherLine = false
      } else if (this.#isOtherLine) {
        continue
      } else if (this.#base === 0 && this.#depth === 0 && isOther(code)) {
        this.#isOtherLine = true
        this.#otherLines++
      } else if (this.#base === 1 && this.#depth === 1 && (code === COMMA || code === QUOTE || isOther(code))) {
        // In an array, a value that is not an object counts once.
        if (code === COMMA) this.#isOtherValue = false
        else if (!this.#isOtherValue) {
          this.#isOtherValue = true
          this.#others++
        }
        if (code === QUOTE) this.#inString = !this.#inString
      } else if (code === QUOTE) this.#inString = !this.#inString
      else if (code === 123 || code === 91) {
        if (this.#depth === this.#base) {
          start = at
          this.#isOpen = true
          this.#deepest = 0
        }
        this.#depth++
        if (this.#depth > this.#deepest) this.#deepest = this.#depth
      } else if (code === 125 || code === 93) {
        this.#depth--
        if (this.#depth === this.#base && this.#isOpen) {
          this.#keep(text.slice(start, at + 1))
          this.#endObject()
        } else if (this.#depth < this.#base) {
          // Text after the array is ignored.
          this.#ended = this.#base === 1
          this.#depth = this.#base
          if (this.#ended) return
        }
      }
    }
    if (this.#isOpen) this.#keep(text.slice(start))
  }

  #endOfString(text: string, from: number): number {
    let at = from
    if (this.#escaped) {
      this.#escaped = false
      if (text.charCodeAt(at) !== NEWLINE) at++
    }
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE || code === NEWLINE) return at
      if (code === BACKSLASH) {
        if (at + 1 === text.length) this.#escaped = true
        else if (text.charCodeAt(at + 1) !== NEWLINE) at++
      }
    }
    return at
  }

  finish(): readonly string[] | undefined {
    if (this.#isOpen) this.#drop()
    if (this.#firstRow !== undefined && this.#names === undefined) this.#addArray(this.#firstRow)
    if (this.#columns.names.length === 0) return undefined
    const notes: string[] = []
    if (this.#otherLines > 0) notes.push(`Lines that are not JSON were left out: ${formatCount(this.#otherLines)}.`)
    if (this.#others > 0)
      notes.push(
        `Values that are not ${this.#hasArrays ? 'arrays' : 'objects'} were left out: ${formatCount(this.#others)}.`,
      )
    if (this.#unread > 0)
      notes.push(`Objects that are broken, cut off or too large were left out: ${formatCount(this.#unread)}.`)
    if (this.#base === 1 && !this.#ended) notes.push('The array does not end: the content was cut off.')
    return notes
  }

  cell(column: number): string | undefined {
    const name = this.#columns.names[column]
    return name === undefined || !Object.hasOwn(this.#row, name) ? undefined : textOf(this.#row[name])
  }

  kindOf(column: number): 'string' | 'boolean' | undefined {
    const value = this.#row[this.#columns.names[column] ?? '']
    if (typeof value === 'boolean') return 'boolean'
    return typeof value === 'number' || isExactNumber(value) ? undefined : 'string'
  }

  #keep(part: string): void {
    this.#length += part.length
    if (this.#length <= LONGEST_OBJECT) this.#parts.push(part)
    else this.#parts = []
  }

  #drop(): void {
    this.#unread++
    this.#reset()
    this.#depth = this.#base
    this.#inString = false
    this.#escaped = false
  }

  #reset(): void {
    this.#parts = []
    this.#length = 0
    this.#isOpen = false
  }

  #endObject(): void {
    const text = this.#parts.join('')
    const isReadable = this.#length <= LONGEST_OBJECT && this.#deepest <= DEEPEST
    this.#reset()
    const value = isReadable ? (parseJsonText(text, parseExactJson) as object | undefined) : undefined
    if (value === undefined) {
      // A line of other output may begin with a bracket.
      this.#isOtherLine = this.#base === 0 && text.startsWith('[')
      if (this.#isOtherLine) this.#otherLines++
      else this.#unread++
      return
    }
    const isArray = Array.isArray(value)
    this.#hasArrays ??= isArray
    if (isArray !== this.#hasArrays) this.#others++
    else if (isArray) this.#addArray(value)
    else this.add(value as Readonly<Record<string, unknown>>)
  }

  #addArray(cells: readonly unknown[]): void {
    if (this.#firstRow === undefined) this.#names ??= this.#lists.find(({ length }) => length === cells.length)
    if (this.#names === undefined) {
      const first = this.#firstRow
      const isData = (cell: unknown, column: number): boolean =>
        isValue(String(cell)) && !isValue(first![column] ?? '0')
      const isText = cells.every((cell) => typeof cell === 'string') && (first === undefined || !cells.some(isData))
      if (first === undefined && isText && new Set(cells).size === cells.length) {
        this.#firstRow = cells
        return
      }
      this.#names = isText ? [] : (first ?? [])
      if (isText && first !== undefined && first !== cells) this.#addArray(first)
    }
    this.add(Object.fromEntries(cells.map((cell, column) => [this.#names![column] || `c${column + 1}`, cell])))
  }

  protected add(value: Readonly<Record<string, unknown>>): void {
    this.#row = value
    for (const name of Object.keys(value)) this.#columns.place(name)
    if (!this.#began) this.#sink.begin(this.#columns.names)
    this.#began = true
    this.#sink.row(this)
  }
}

/** Whether a character between objects means that the line is not JSON. Objects may be separated by commas. */
function isOther(code: number): boolean {
  return code > 32 && code !== 44 && code !== 91 && code !== 93 && code !== 123 && code !== 125 && code !== 0xfeff
}

function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}
