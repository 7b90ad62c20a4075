import { cellsOf, isBarRule, isFooter, isRule, typedColumns, type FoundBars, type LineColumns } from './find-columns.ts'
import { codesOf, type BlockText } from './record-reader.ts'

/** UTF-16 units of the lines of a row; a longer row makes the table doubtful. */
const LONGEST_ROW = 1_048_576
const BACKSLASH = 92
const PLUS = 43
const BLANK = 32
/** Continuation sign of psql with `linestyle unicode`; the default is a plus sign. */
const RETURN_SIGN = 0x21b5

/** Grouping of the lines between bars into rows. */
export interface BarLayout {
  readonly columns: LineColumns
  /** Whether there are bars before the first cell and after the last cell. */
  readonly isFramed: boolean
  readonly isRuled: boolean
  /** Whether it is a Markdown table, in which a line with an empty first cell may be a row. */
  readonly isMarkdown: boolean
  /** Whether each column has numbers, dates or similar values, which never have a second line. */
  readonly typed: readonly boolean[]
  /** Widths of wrapped columns in a narrow terminal. Absent if the program does not wrap cells. */
  readonly wrapped?: readonly number[] | undefined
}

/** Receives a row. A cell of several lines contains all of them. */
type TakeBarRow = (block: BlockText, start: number, end: number, line: number, lines: number) => void

/**
 * Assembles rows with cells of several lines. Rules separate the rows (sqlite3, cli-table3, grids), the end of a cell
 * has a sign (psql), a line lacks its last bars (mysql), or the first cell is blank.
 */
export class BarRows {
  readonly #layout: BarLayout
  readonly #take: TakeBarRow
  readonly #bar: number
  readonly #allBars: number
  /** The first line of the row, while it is the only one and its block is valid. */
  #held: { readonly block: BlockText; readonly start: number; readonly end: number } | undefined
  #texts: string[] = []
  #units = 0
  #line = 0
  #bars = 0
  /** Whether a cell of the last line ends with the continuation sign, and whether lines were joined by it. */
  #isSigned = false
  #wasSigned = false
  #isDoubtful = false
  #above: string[] | undefined

  constructor(layout: BarLayout, take: TakeBarRow) {
    this.#layout = layout
    this.#take = take
    this.#bar = layout.columns.separator.charCodeAt(0)
    this.#allBars = layout.columns.columns + (layout.isFramed ? 1 : -1)
  }

  /** Whether some line may or may not be a row. */
  get isDoubtful(): boolean {
    return this.#isDoubtful
  }

  /** Whether the last line lacks bars, so that its last cell continues in the next line. */
  get isBroken(): boolean {
    return this.#layout.isFramed && this.#bars > 0 && this.#bars < this.#allBars
  }

  /** Add a line that is not a rule. */
  push(block: BlockText, start: number, end: number, line: number): void {
    const { bars, isSigned } = this.#read(block, start, end)
    if (this.#bars > 0 && this.#goesOn(block.text.slice(start, end), bars)) {
      this.#keepText()
      this.#texts.push(block.text.slice(start, end))
      this.#units += end - start
      this.#bars = this.isBroken ? this.#bars + bars : Math.max(this.#bars, bars)
      this.#wasSigned ||= this.#isSigned
      this.#isSigned = isSigned
      if (this.#units <= LONGEST_ROW) return
      this.#isDoubtful = true
      this.end()
      return
    }
    this.end()
    this.#held = { block, start, end }
    this.#line = line
    this.#bars = bars
    this.#isSigned = isSigned
  }

  /** The memory of the lines is about to be reused. */
  endBlock(): void {
    if (this.#held !== undefined) this.#keepText()
  }

  /** End the row at a rule or at the end of the text. */
  end(): void {
    const held = this.#held
    this.#held = undefined
    const lines = this.#texts.length
    if (held !== undefined) this.#take(held.block, held.start, held.end, this.#line, 1)
    else if (lines > 0) {
      const text = lines === 1 ? this.#texts[0]! : this.#joined()
      this.#take({ text, codes: codesOf(text) }, 0, text.length, this.#line, lines)
    }
    this.#texts = []
    this.#units = 0
    this.#bars = 0
    this.#wasSigned = false
    this.#above = undefined
  }

  #keepText(): void {
    const held = this.#held
    if (held === undefined) return
    this.#texts.push(held.block.text.slice(held.start, held.end))
    this.#units += held.end - held.start
    this.#held = undefined
  }

  #read({ codes }: BlockText, start: number, end: number): { bars: number; isSigned: boolean } {
    let bars = 0
    let isSigned = isSign(codes[end - 1]!)
    for (let at = start; at < end; at++) {
      if (codes[at] !== this.#bar || codes[at - 1] === BACKSLASH) continue
      bars++
      isSigned ||= at > start && isSign(codes[at - 1]!)
    }
    return { bars, isSigned }
  }

  #goesOn(text: string, bars: number): boolean {
    const { columns, isRuled, wrapped } = this.#layout
    if (this.isBroken) return this.#bars + bars <= this.#allBars && !(isRule(text) && /^\s*[|+├┣╞╠└┗╘╚]/.test(text))
    if (isRuled) return true
    if (!this.#isSigned && !this.#isBlank(text) && wrapped === undefined) return false
    const cells = cellsOf(columns, text)
    const above = (this.#above ??= this.#firstCells())
    if (cells.length !== columns.columns || above.length !== columns.columns) return false
    if (!this.#isMore(cells, above)) return false
    for (const [column, cell] of cells.entries()) if (cell !== '') above[column] = cell
    return true
  }

  #isMore(cells: readonly string[], above: readonly string[]): boolean {
    const { isFramed, isMarkdown, typed, wrapped } = this.#layout
    const isFirstBlank = cells[0] === ''
    const filled = [...cells.keys()].filter((column) => cells[column] !== '')
    const isSigned = (column: number): boolean => isSign(above[column]!.charCodeAt(above[column]!.length - 1))
    if (this.#isSigned && filled.length > 0 && filled.every(isSigned)) return true
    if (filled.length === cells.length || filled.some((column) => typed[column])) return false
    if (isFirstBlank && typed[0] === true && isFramed) return true
    const isWrapped =
      wrapped !== undefined && filled.every((column) => overflows(above[column]!, cells[column]!, wrapped[column]!))
    if (isWrapped && typed.includes(true)) return true
    // psql prints the number of rows, and has a continuation sign.
    this.#isDoubtful ||= isWrapped || (isFirstBlank && !isMarkdown && (isFramed || typed[0] === true))
    return false
  }

  #firstCells(): string[] {
    const held = this.#held
    return cellsOf(
      this.#layout.columns,
      held === undefined ? this.#texts[0]! : held.block.text.slice(held.start, held.end),
    )
  }

  #isBlank(text: string): boolean {
    let at = this.#layout.isFramed ? 1 : 0
    while (text.charCodeAt(at) === BLANK) at++
    return text.charCodeAt(at) === this.#bar
  }

  #joined(): string {
    const { columns, isFramed } = this.#layout
    const rows = this.#texts.map((text) => cellsOf(columns, text))
    // Lines that lack bars have them at the ends of the cells.
    if (rows.some((row) => row.length !== columns.columns)) return this.#texts.join('\n')
    const cells = Array.from({ length: columns.columns }, (_, column) => this.#cell(rows.map((row) => row[column]!)))
    const bar = columns.separator
    return isFramed ? `${bar} ${cells.join(` ${bar} `)} ${bar}` : ` ${cells.join(` ${bar} `)}`
  }

  #cell(lines: readonly string[]): string {
    const last = lines.findLastIndex((line) => line !== '')
    const own = lines.slice(0, last + 1)
    const first = own.findIndex((line) => line !== '')
    const shown = this.#wasSigned
      ? own.map((line, index) =>
          index < last && isSign(line.charCodeAt(line.length - 1)) ? line.slice(0, -1).trimEnd() : line,
        )
      : own
    return shown.slice(Math.max(0, first)).join('\n')
  }
}

/** Whether the next word did not fit the line of a wrapped cell. */
function overflows(above: string, cell: string, width: number): boolean {
  return above.length + 1 + cell.split(' ', 1)[0]!.length > width
}

function isSign(code: number): boolean {
  return code === PLUS || code === RETURN_SIGN
}

/** Maximum share of the further lines between two rules that look like rows. */
const MOST_ROWS_BETWEEN = 0.2

export function barLayout({ columns, header, isFramed }: FoundBars, lines: readonly string[]): BarLayout {
  const below = lines[header + 1] ?? ''
  const groups = groupsBetweenRules(lines.slice(header + 1), isFramed)
  const [top = ''] = lines
  // rich and nushell draw such tables and wrap their cells; database clients do not.
  const wraps = /^[┏╭]/.test(top)
  return {
    columns,
    isFramed,
    isRuled: areRuled(groups.map((group) => group.map((line) => cellsOf(columns, line)))),
    isMarkdown: isFramed && below.includes('-') && below.startsWith('|') && !isRule(top),
    typed: typedColumns(columns, groups.flat()),
    wrapped: wraps
      ? top
          .slice(1, -1)
          .split(/[┳┬╤]/)
          .map((part) => part.length - 2)
      : undefined,
  }
}

function groupsBetweenRules(lines: readonly string[], isFramed: boolean): string[][] {
  const groups: string[][] = [[]]
  for (const line of lines) {
    if (isBarRule(line, isFramed)) groups.push([])
    else if (line !== '' && !isFooter(line)) groups.at(-1)!.push(line)
  }
  return groups.filter((group) => group.length > 0)
}

/** Whether rules separate rows, not parts of the table: then a further line is not filled like a row. */
function areRuled(groups: readonly (readonly string[][])[]): boolean {
  if (groups.length < 2) return false
  const further = groups.flatMap(([first = [], ...others]) => others.map((cells) => isLikeRow(cells, first)))
  const likeRows = further.filter(Boolean).length
  return likeRows <= further.length * MOST_ROWS_BETWEEN || further.length < groups.length / 2
}

function isLikeRow(cells: readonly string[], first: readonly string[]): boolean {
  const filled = first.flatMap((cell, column) => (cell === '' ? [] : [column]))
  return cells[0] !== '' && filled.filter((column) => cells[column] !== '').length * 2 > filled.length
}
