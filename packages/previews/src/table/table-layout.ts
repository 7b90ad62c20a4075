import { cutAtGrapheme, estimateTokens, cleanLine } from '@spillway/text/internal'
import type { Draft } from '../layout/fit-budget.ts'
import { countOf } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { describeColumn } from './describe-column.ts'
import { keyIndexOf, type KeyIndex } from './key-index.ts'
import { END_ROWS_WITH_KEYS, rowOrder } from './row-order.ts'
import { spreadOrder } from './spread-order.ts'
import type { SampledRow } from './row-sample.ts'
import type { TableData } from './table-data.ts'

/** Shares of the budget: of what is said of columns beside their names, and of the telling cells of rows that are not shown. */
const COLUMN_SHARE = 0.25
const KEY_SHARE = 0.45

/** Rows that the cells are cut for, so that so many have room. */
const AIMED_ROWS = 8
/** Lengths that cells are cut to, in UTF-16 units. */
const CAPS: readonly number[] = [4_096, 400, 160, 80, 40]
/** Values of a column that are listed, from the fullest to the shortest description. */
const LISTED: readonly number[] = [8, 4, 2]
/** A cell as long as this that is like the one above it is marked instead. */
const DITTO_UNITS = 12
const AS_ABOVE = '[=]'
/** Rows that are passed over in search of one that still fits. */
const MOST_MISSES = 24
/** Tokens below which nothing but the first line is worth a try. */
const LEAST_ROOM = 8
/** Of a larger header the names come cut. */
const HEADER_SHARE = 0.85

/** Writes the preview of one table. */
export class TableLayout {
  readonly #data: TableData
  readonly #options: PreviewOptions
  readonly #keyIndex: KeyIndex | undefined
  #chosen = new Uint8Array(0)
  #cap = 0
  #cells: (readonly string[] | undefined)[] = []
  #costs: (number | undefined)[] = []

  constructor(data: TableData, options: PreviewOptions) {
    this.#data = data
    this.#options = options
    this.#keyIndex = data.labels !== undefined ? keyIndexOf(data) : undefined
  }

  /**
   * Write a preview of about `aim` tokens.
   *
   * @param head - What stands in its first line; what kind of table it is and how large, if absent.
   */
  write(aim: number, head: string = this.#head()): Draft {
    let left = aim - estimateTokens(head) - 1
    if (left < LEAST_ROOM) return { text: head, complete: false }
    const title = cutAtGrapheme(this.#data.title.trimEnd(), left)
    const notes = cutAtGrapheme(this.#data.notes.join('\n'), left)
    left -= estimateTokens(title) + estimateTokens(notes)
    const columns = left < LEAST_ROOM ? '' : this.#columns(left * HEADER_SHARE, left * COLUMN_SHARE)
    left -= estimateTokens(columns) + 2
    const { text, complete } = this.#body(left, KEY_SHARE)
    return { text: joined(title, head, columns, text, notes), complete }
  }

  /** Rows, and where a column tells them apart, its cells of the others. */
  #body(left: number, KEY_SHARE: number): Draft {
    const all = this.#rows(left)
    const index = this.#keyIndex
    if (all.complete || index === undefined) return all
    const isShown = (place: number): boolean => this.#chosen[place] === 1
    const few = this.#rows(left * (1 - KEY_SHARE), 2 * END_ROWS_WITH_KEYS)
    const keys = index.write(left - estimateTokens(few.text), isShown)
    if (keys.text === '') return this.#rows(left)
    if (!keys.complete) return { text: joined(few.text, keys.text), complete: false }
    // All others are named: more rows take what is left.
    const more = this.#rows(left - estimateTokens(keys.text))
    const others = index.write(Infinity, isShown)
    return { text: joined(more.text, others.text), complete: false }
  }

  #head(): string {
    const { kind, rows, columns, lines, names, labels, ragged, title } = this.#data
    const plain = rows + (names === undefined ? 0 : 1) + title.split('\n').length - 1
    // Lines of records have neither header nor columns that anybody named.
    if (names === undefined && labels !== undefined && kind !== 'table')
      return `[${kind}: ${rows === lines ? '' : `${countOf(rows, 'row')}, `}${countOf(lines, 'line')}${this.#data.largest === true && rows === this.#data.sample.length ? ', the largest shown' : ''}]`
    const parts = [`${countOf(rows, 'row')} × ${countOf(columns, 'column')}`]
    if (lines !== plain || kind === 'table') parts.push(countOf(lines, 'line'))
    if (names === undefined) parts.push('no header')
    if (ragged > 0) parts.push(`${countOf(ragged, 'row')} with another number of cells`)
    return `[${kind}: ${parts.join(', ')}]`
  }

  /** The names of the columns, all of them if they fit, with what is known of each as far as there is room. */
  #columns(most: number, share: number): string {
    const { names, labels, summaries, columns, separator } = this.#data
    for (const listed of LISTED) {
      const described = summaries.map((summary, column) => {
        const about = describeColumn(summary, listed)
        if (names === undefined) return about === '' ? '' : `[${labels?.[column] ?? `column ${column + 1}`}: ${about}]`
        return about === '' ? (names[column] ?? '') : `${names[column] ?? ''} [${about}]`
      })
      const text = [...described, ...(names ?? []).slice(summaries.length)].filter((line) => line !== '').join('\n')
      if (summaries.length > 0 && (names === undefined || names.length === columns) && estimateTokens(text) <= share)
        return text
    }
    if (names === undefined) return ''
    const between = names.some((name) => name.includes(separator)) ? '\n' : separator
    let text = names.join(between)
    let left = columns - names.length
    // Names that are too many are cut.
    for (let shown = names.length; shown > 0 && estimateTokens(text) > most;) {
      shown = Math.floor(shown * Math.min(0.9, (most / estimateTokens(text)) * 0.95))
      text = names.slice(0, shown).join(between)
      left = columns - shown
    }
    if (left > 0) text += `${between}[… ${countOf(left, 'more column')}]`
    return text
  }

  #rows(budget: number, most = Infinity): Draft {
    const { sample, rows } = this.#data
    if (sample.length === 0) return { text: '', complete: true }
    this.#setCap(this.#capFor(budget, Math.min(most, AIMED_ROWS)))
    const chosen = new Uint8Array(sample.length)
    this.#chosen = chosen
    const spare = estimateTokens(this.#gap(rows, 2, rows, rows)) + 4
    const count = this.#choose(chosen, budget - spare, most)
    if (count === 0) return { text: '', complete: false }
    return { text: this.#assemble(chosen, rows - count), complete: count === rows && !this.#isCut() }
  }

  /** The longest cells of which enough rows fit. */
  #capFor(budget: number, aimed: number): number {
    const { sample } = this.#data
    const probe = [...spreadOrder(sample.length)].slice(0, 32)
    for (const cap of CAPS) {
      this.#setCap(cap)
      const cost = probe.reduce((sum, index) => sum + this.#cost(index), 0) / probe.length
      if (cost * Math.min(aimed, sample.length) <= budget) return cap
    }
    return CAPS.at(-1)!
  }

  #setCap(cap: number): void {
    if (cap === this.#cap) return
    this.#cap = cap
    this.#cells = []
    this.#costs = []
  }

  #choose(chosen: Uint8Array, budget: number, most: number): number {
    let left = budget
    let count = 0
    let misses = 0
    for (const index of rowOrder(this.#data, this.#keyIndex !== undefined)) {
      if (count >= most) break
      const cost = this.#cost(index)
      if (cost > left) {
        if (++misses > MOST_MISSES || left < 4) break
        continue
      }
      left -= cost
      count++
      chosen[index] = 1
    }
    return count
  }

  #row(index: number): readonly string[] {
    return (this.#cells[index] ??= this.#data.split(this.#data.sample[index]!.text).map((cell) => this.#shown(cell)))
  }

  #shown(cell: string): string {
    const text = clean(cell)
    const cut = cutAtGrapheme(text, this.#cap)
    return cut.length < text.length ? `${cut}…` : cut
  }

  #cost(index: number): number {
    return (this.#costs[index] ??= estimateTokens(this.#row(index).join(this.#data.separator)) + 3)
  }

  #isCut(): boolean {
    return this.#data.sample.some(({ cut }, index) => cut || this.#row(index).some((cell) => cell.length > this.#cap))
  }

  #assemble(chosen: Uint8Array, hidden: number): string {
    const { sample, separator, rows } = this.#data
    const lines: string[] = []
    /** Where hidden rows stood, each with the first and the last of its lines. */
    const gaps: { readonly at: number; readonly start: number; readonly end: number }[] = []
    let above: readonly string[] = []
    let next = 0
    let isLong = false
    let nextLine = sample[0]!.line
    for (const [place, row] of sample.entries()) {
      if (chosen[place] === 0) continue
      if (row.index > next) gaps.push({ at: lines.length, start: nextLine, end: row.line - 1 })
      const cells = this.#row(place)
      const shown = cells.map((cell, column) =>
        cell.length >= DITTO_UNITS && cell === above[column] ? AS_ABOVE : cell,
      )
      const follows = row.index === next && next > 0 && !isLong && row.line === nextLine
      // A row that begins with the number of its line needs no other.
      const isNumbered = follows || cells[0] === String(row.line)
      lines.push(
        `${isNumbered ? '' : this.#data.isRewritten === true ? `[line ${row.line}] ` : `${row.line}| `}${shown.join(separator).trimEnd()}`,
      )
      isLong = row.text.includes('\n')
      above = cells
      next = row.index + 1
      nextLine = row.line + linesOf(row)
    }
    const last = sample.at(-1)!
    if (next < rows) gaps.push({ at: lines.length, start: nextLine, end: last.line + linesOf(last) - 1 })
    const [gap] = gaps
    if (gap !== undefined) {
      const mark = this.#gap(hidden, gaps.length, gap.start, gap.end)
      lines.splice(gaps.length === 1 ? gap.at : lines.length, 0, mark)
    }
    return lines.join('\n')
  }

  /** Say how many rows are hidden, and how the first of them are shown. */
  #gap(rows: number, places: number, start: number, end: number): string {
    const call = this.#options.showLines?.(start, Math.max(start, end))
    const what = places === 1 ? countOf(rows, 'row') : `${countOf(rows, 'more row')} between`
    return `[… ${what}${call === undefined ? '' : `: ${call}`}]`
  }
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}

/** What a cell shows, its blanks folded: a cell of several lines stays one. */
function clean(cell: string): string {
  if (!cell.includes('\n')) return cleanLine(cell.replace(/[^\S\r]+/g, ' '))
  const lines = cell.split('\n').map((line) => cleanLine(line.replace(/[^\S\r]+/g, ' ')).trimStart())
  return lines.join('\n')
}

function linesOf({ text, lines }: SampledRow): number {
  return lines ?? text.split('\n').length
}
