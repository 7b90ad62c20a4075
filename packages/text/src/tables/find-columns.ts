import { codesOf, isValue } from './record-reader.ts'

/** Largest number of characters in a line that is divided into columns. */
const WIDEST = 1_024
/** Smallest share of lines that have a blank between two columns. */
const BLANK_SHARE = 0.98
/** Smallest share of lines that match the columns. */
const FITTING_SHARE = 0.9
const MOST_COLUMNS = 64
const MOST_HEADER = 6

/** Whether a line is a rule above or below a header. A rule has only dashes and crossings. */
export function isRule(line: string): boolean {
  return (
    /^[\s|+\-=:*─━═│┃║┌┬┐├┼┤└┴┘╒╤╕╞╪╡╘╧╛╭╮╰╯┏┳┓┡╇┩]+$/.test(line) && /-{2}|(?:^|[^|=])={2}|─|━|═|:-|-:|\|-/.test(line)
  )
}

/** Whether a line between bars is a rule, and not a row with dashes in one cell. */
export function isBarRule(line: string, isFramed: boolean): boolean {
  return isRule(line) && !/[|│┃] +[|│┃]/.test(line) && (isFramed || !line.startsWith(' '))
}

export function isFooter(line: string): boolean {
  return /^\(?\d+ rows?(?:\)| in set\b.*| affected\b.*)?$/i.test(line.trim())
}

/** Whether a line may have the names of columns: separate words that are not numbers. */
export function isHeader(line: string): boolean {
  const words = line.trim().split(/\s+/)
  if (words.length < 2 || line.length > WIDEST) return false
  return words.every((word) => /[\p{L}%#]/u.test(word) && !/^[-+]?[\d.:]+$|^\/|[=,;'"]|\.$|\d{3}/u.test(word))
}

export interface FoundBars {
  readonly columns: LineColumns
  readonly header: number
  readonly isFramed: boolean
}

export function findBars(lines: readonly string[]): FoundBars | undefined {
  const rule = lines.slice(0, 6).findIndex(isRule)
  if (rule < 0) return undefined
  let header = /[|│┃+┼]/.test(lines[rule]!) && rule > 0 && !isRule(lines[rule - 1]!) ? rule - 1 : rule + 1
  // A title spans the whole frame, and a rule is below the title.
  const titled = bars(lines[header]) <= 2 && isRule(lines[header + 1] ?? '') && bars(lines[header + 2]) > 2
  if (titled) header += 2
  const text = lines[header]
  if (text === undefined) return undefined
  const bar = /[│┃]/.exec(text)?.[0] ?? '|'
  if (!text.includes(bar) && !lines[rule]!.includes('+')) return undefined
  const isFramed = text.trim().startsWith(bar)
  const names = namesOf(text, bar, isFramed)
  if (names.length > MOST_COLUMNS || (names.length === 1 && !isFramed)) return undefined
  // Names with several lines end at the rule below them.
  const below = header < rule ? 0 : lines.slice(header + 1, header + MOST_HEADER).findIndex(isRule)
  const more = lines.slice(header + 1, header + 1 + below).map((line) => namesOf(line, bar, isFramed))
  const isMore = more.every((parts) => parts.length === names.length && parts.includes(''))
  const whole = names.map((name, column) =>
    [name, ...(isMore ? more.map((parts) => parts[column]) : [])].join(' ').trim(),
  )
  // Below a header with heavy bars, rows may have light bars.
  const inner = bar === '┃' && !lines.slice(header + 1).some((line) => line.includes('┃')) ? '│' : bar
  return { columns: barColumns(whole, inner, isFramed), header: header + (isMore ? more.length : 0), isFramed }
}

function namesOf(line: string, bar: string, isFramed: boolean): string[] {
  const text = isFramed ? line.trim().replace(/^.|[|│┃]$/g, '') : line
  return text.split(bar).map((name) => name.trim())
}

function bars(line = ''): number {
  return line.split(/[|│┃]/).length - 1
}

export function findColumns(header: string, lines: readonly string[]): LineColumns | undefined {
  const rows = lines.filter((line) => line.trim() !== '' && !isRule(line))
  const spans = findSpans(header, rows)
  const named = spans === undefined ? undefined : withNames(spans, header)
  if (named !== undefined && named.length >= 2) {
    const columns = spanColumns(named)
    if (fitting(columns, rows) >= FITTING_SHARE && !hasJoined(columns, rows)) return columns
  }
  const names = header.trim().split(/\s+/)
  if (names.length < 3 || names.length > MOST_COLUMNS) return undefined
  const columns = wordColumns(names.length, names)
  return fitting(columns, rows) >= FITTING_SHARE ? columns : undefined
}

/** Whether names such as `RSS TTY` are of two columns that long cells joined: the cells have a word for each name. */
function hasJoined(columns: LineColumns, rows: readonly string[]): boolean {
  const words = columns.names!.map((name) => name.split(' ').length)
  const last = words.length - 1
  if (words[last] !== 1 || words.every((count) => count === 1)) return false
  const isLike = (cell: string, at: number): boolean => at === last || cell.match(/\S+/g)?.length === words[at]
  return rows.filter((row) => cellsOf(columns, row).every(isLike)).length >= rows.length * FITTING_SHARE
}

export function fitting(columns: LineColumns, lines: readonly string[]): number {
  const bounds = new Int32Array(2 * columns.columns)
  const fits = lines.filter((line) => columns.find(codesOf(line), 0, line.length, bounds) > 0).length
  return lines.length === 0 ? 1 : fits / lines.length
}

export function hasTyped(columns: LineColumns, lines: readonly string[]): boolean {
  const rows = lines.map((line) => cellsOf(columns, line))
  for (let column = 0; column < columns.columns; column++) {
    const filled = rows.map((row) => row[column] ?? '').filter((cell) => cell !== '')
    if (filled.length >= 2 && filled.filter((cell) => isValue(cell) || /^\d/.test(cell)).length >= filled.length * 0.9)
      return true
  }
  return false
}

/** Return for each column whether it has numbers, dates or similar values, which never have several lines. */
export function typedColumns(columns: LineColumns, lines: readonly string[]): boolean[] {
  const rows = lines.map((line) => cellsOf(columns, line)).filter((cells) => cells.length === columns.columns)
  return Array.from({ length: columns.columns }, (_, column) => {
    const filled = rows.map((cells) => cells[column]!).filter((cell) => cell !== '')
    return filled.length > 0 && filled.filter(isValue).length >= filled.length * 0.9
  })
}

export function cellsOf(columns: LineColumns, line: string): string[] {
  const bounds = new Int32Array(2 * columns.columns)
  const count = columns.find(codesOf(line), 0, line.length, bounds)
  if (count === 0) return [line.trim()]
  return Array.from({ length: count }, (_, cell) => line.slice(bounds[2 * cell], bounds[2 * cell + 1]))
}

interface Span {
  readonly start: number
  readonly end: number
  /** Largest share of lines that have a character at the same place. */
  readonly share: number
}

/** Find columns between blanks that nearly all lines share. A column needs a header or several filled lines. */
function findSpans(header: string, lines: readonly string[]): Span[] | undefined {
  if (header.includes('\t') || lines.some((line) => line.includes('\t'))) return undefined
  const longest = lines.reduce((most, { length }) => Math.max(most, length), header.length)
  const width = Math.min(WIDEST, longest)
  const filled = new Uint32Array(width + 1)
  for (const line of lines)
    for (let at = 0; at < Math.min(width, line.length); at++) if (line[at] !== ' ') filled[at]!++
  const most = Math.floor(lines.length * (1 - BLANK_SHARE))
  const spans: Span[] = []
  let start = -1
  for (let at = 0; at <= width; at++) {
    const isFilled = at < width && (filled[at]! > most || (header[at] ?? ' ') !== ' ')
    if (isFilled && start < 0) start = at
    if (!isFilled && start >= 0) {
      const share = filled.subarray(start, at).reduce((one, other) => Math.max(one, other), 0) / lines.length
      spans.push({ start, end: at, share })
      start = -1
    }
  }
  return spans.length > 2 * MOST_COLUMNS ? undefined : spans
}

/** Join the parts of one column: a part without a name, and the words of one name. */
function withNames(spans: readonly Span[], header: string): { span: Span; name: string }[] {
  const named: { span: Span; name: string }[] = []
  for (const [index, span] of spans.entries()) {
    const end = spans[index + 1]?.start ?? Infinity
    const name = header.slice(span.start, end).trim().replace(/\s+/g, ' ')
    const previous = named.at(-1)
    const isOneName =
      previous !== undefined &&
      span.start - previous.span.end === 1 &&
      Math.min(span.share, previous.span.share) < 0.5 &&
      /\S \S/.test(header.slice(span.start - 2, span.start + 1))
    if (previous?.name === '' && named.length === 1) {
      // Marks before the first named column belong to this column.
      previous.name = name
      previous.span = { ...span, start: previous.span.start }
    } else if (previous !== undefined && (name === '' || isOneName)) {
      const share = Math.max(previous.span.share, span.share)
      previous.span = { start: previous.span.start, end: span.end, share }
      if (name !== '') previous.name += ` ${name}`
    } else named.push({ span, name })
  }
  return named
}

/** Finds the cells of a line. */
export interface LineColumns {
  /** Names from the header. Absent if there is no header. */
  readonly names: readonly string[] | undefined
  readonly columns: number
  /** Separator between displayed cells. */
  readonly separator: string
  /** Write the start and end of each cell to `bounds`. Returns the number of cells, or 0 if the line does not fit. */
  readonly find: (codes: Uint16Array, start: number, end: number, bounds: Int32Array) => number
}

const BLANK = 32
const TAB = 9

/** Create columns between blanks that all lines share. A cell that is too long shifts the cells after it. */
function spanColumns(named: readonly { readonly span: Span; readonly name: string }[]): LineColumns {
  const spans = named.map(({ span }) => span)
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    let from = start
    let fits = true
    for (let cell = 0; cell < spans.length; cell++) {
      let to = end
      const next = spans[cell + 1]
      if (next !== undefined) {
        to = Math.min(end, start + next.start)
        if (to < end && to > from && !isBlank(codes[to - 1]!)) {
          // The cell is too long, or the next cell begins early. The two cells are divided at the nearest blank.
          let left = to - 1
          while (left > from && !isBlank(codes[left - 1]!)) left--
          let right = to
          while (right < end && !isBlank(codes[right]!)) right++
          const early = start + (spans[cell]?.end ?? 0)
          if (left > from && left >= early) to = left
          else {
            to = right
            if (right >= end && cell + 2 < spans.length) fits = false
          }
        }
      }
      trim(codes, from, Math.max(from, to), bounds, cell)
      from = Math.max(from, to)
    }
    return fits ? spans.length : 0
  }
  return { names: named.map(({ name }) => name), columns: spans.length, separator: ' ', find }
}

/** Create columns of words. Cells have `groups[cell]` words, the last cell has the rest. Lines need `least` cells. */
export function wordColumns(
  columns: number,
  names: readonly string[] | undefined,
  groups: readonly number[] = [],
  least: number = columns,
): LineColumns {
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    let at = start
    for (let cell = 0; cell < columns; cell++) {
      while (at < end && isBlank(codes[at]!)) at++
      if (at >= end && cell < least) return 0
      const from = at
      if (cell === columns - 1) at = end
      // A cell may have several words, for example a date.
      else
        for (let words = groups[cell] ?? 1; words > 0; words--) {
          while (at < end && isBlank(codes[at]!)) at++
          while (at < end && !isBlank(codes[at]!)) at++
        }
      trim(codes, from, at, bounds, cell)
    }
    return columns
  }
  return { names, columns, separator: ' ', find }
}

/** Create the columns of `git status --short`: a letter for staged changes, a letter for others, and the path. */
export function statusColumns(): LineColumns {
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    if (end - start < 4) return 0
    trim(codes, start, start + 1, bounds, 0)
    trim(codes, start + 1, start + 2, bounds, 1)
    trim(codes, start + 2, end, bounds, 2)
    return 3
  }
  return { names: ['staged', 'unstaged', 'path'], columns: 3, separator: ' ', find }
}

/** Create columns between bars, as in Markdown and in database clients. If `framed`, bars are also at both ends. */
function barColumns(names: readonly string[], bar: string, framed: boolean): LineColumns {
  const code = bar.charCodeAt(0)
  const columns = names.length
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    let from = start
    let to = end
    if (framed) {
      while (from < to && isBlank(codes[from]!)) from++
      while (to > from && isBlank(codes[to - 1]!)) to--
      if (from < to && codes[from] === code) from++
      if (to > from && codes[to - 1] === code) to--
    }
    let cell = 0
    for (let at = from; at <= to; at++) {
      // Markdown escapes a bar inside a cell.
      if (at < to && (codes[at] !== code || codes[at - 1] === 92)) continue
      if (cell < columns) trim(codes, from, at, bounds, cell)
      cell++
      from = at + 1
    }
    return cell === columns ? columns : 0
  }
  return { names, columns, separator: bar, find }
}

function isBlank(code: number): boolean {
  return code === BLANK || code === TAB
}

function trim(codes: Uint16Array, start: number, end: number, bounds: Int32Array, cell: number): void {
  let from = start
  let to = end
  while (from < to && isBlank(codes[from]!)) from++
  while (to > from && isBlank(codes[to - 1]!)) to--
  bounds[2 * cell] = from
  bounds[2 * cell + 1] = to
}
