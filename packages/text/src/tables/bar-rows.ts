import { cellsOf, isBarRule, isFooter, isRule, typedColumns, type FoundBars, type LineColumns } from './find-columns.ts'
import { codesOf, type BlockText } from './record-reader.ts'

/** UTF-16 units of the lines of a row; a longer row makes the table doubtful. */
const LONGEST_ROW = 1_048_576
const BACKSLASH = 92
const PLUS = 43
const BLANK = 32
/** The sign of psql with `linestyle unicode` for a cell that goes on below; the usual one is a plus sign. */
const RETURN_SIGN = 0x21b5

/** How the lines between bars form rows. */
export interface BarLayout {
  readonly columns: LineColumns
  /** Whether bars stand also before the first and behind the last cell. */
  readonly isFramed: boolean
  /** Whether a rule stands between every two rows. */
  readonly isRuled: boolean
  /** Whether it is a table of Markdown, in which a line with an empty first cell may well be a row. */
  readonly isMarkdown: boolean
  /** Whether a column holds numbers, dates or the like: a cell of these never has a second line. */
  readonly typed: readonly boolean[]
  /** Widths of the columns whose cells are wrapped, as a terminal is narrow; absent if the program does not do that. */
  readonly wrapped?: readonly number[] | undefined
}

/** Take in a row: a cell of several lines has these in one cell. */
type TakeBarRow = (block: BlockText, start: number, end: number, line: number, lines: number) => void

/**
 * Puts together the rows of a table between bars. A cell may have several lines: rules stand between the rows (sqlite3,
 * cli-table3, grids), the end of a cell says so (psql), a line lacks its last bars (mysql), or the first cell is blank.
 */
export class BarRows {
  readonly #layout: BarLayout
  readonly #take: TakeBarRow
  readonly #bar: number
  readonly #allBars: number
  /** The first line of the row, while it is the only one and its block is there. */
  #held: { readonly block: BlockText; readonly start: number; readonly end: number } | undefined
  #texts: string[] = []
  #units = 0
  #line = 0
  #bars = 0
  /** Whether a cell of the last line ends with the sign for more, and whether lines were joined by that. */
  #isSigned = false
  #wasSigned = false
  #isDoubtful = false
  /** The last line of each cell of the row, once it was asked for. */
  #above: string[] | undefined

  constructor(layout: BarLayout, take: TakeBarRow) {
    this.#layout = layout
    this.#take = take
    this.#bar = layout.columns.separator.charCodeAt(0)
    this.#allBars = layout.columns.columns + (layout.isFramed ? 1 : -1)
  }

  /** Whether it cannot be told of some line whether it is a row. */
  get isDoubtful(): boolean {
    return this.#isDoubtful
  }

  /** Whether the last line lacks bars: its last cell goes on in the next line, whatever stands there. */
  get isBroken(): boolean {
    return this.#layout.isFramed && this.#bars > 0 && this.#bars < this.#allBars
  }

  /** Take in a line that is no rule. */
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

  /** The text of the lines so far is about to be let go. */
  endBlock(): void {
    if (this.#held !== undefined) this.#keepText()
  }

  /** End the row: with a rule, or because the text ends. */
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

  /** Whether the cells of a line are more of those above it. */
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
    // psql says how many rows there are, and has a sign for further lines.
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

  /** Whether the first cell of a line may be blank. */
  #isBlank(text: string): boolean {
    let at = this.#layout.isFramed ? 1 : 0
    while (text.charCodeAt(at) === BLANK) at++
    return text.charCodeAt(at) === this.#bar
  }

  /** Write the row on one line, with the line ends in its cells. */
  #joined(): string {
    const { columns, isFramed } = this.#layout
    const rows = this.#texts.map((text) => cellsOf(columns, text))
    // Where lines lack bars, these stand at the ends of the cells anyway.
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

/** Whether a wrapped cell could not have had the next word on its line. */
function overflows(above: string, cell: string, width: number): boolean {
  return above.length + 1 + cell.split(' ', 1)[0]!.length > width
}

function isSign(code: number): boolean {
  return code === PLUS || code === RETURN_SIGN
}

/** Share of the further lines between two rules that may look like rows of their own. */
const MOST_ROWS_BETWEEN = 0.2

/** Find out how the lines of a table between bars form rows, by its first lines. */
export function barLayout({ columns, header, isFramed }: FoundBars, lines: readonly string[]): BarLayout {
  const below = lines[header + 1] ?? ''
  const groups = groupsBetweenRules(lines.slice(header + 1), isFramed)
  const [top = ''] = lines
  // rich and nushell draw tables so, and wrap their cells; database clients do not.
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

/** Whether rules stand between rows, and not between the parts of a table: then a further line is not filled like a row. */
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
