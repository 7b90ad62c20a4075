import { estimateTokens } from '../../tokens/estimate-tokens.ts'
import { countOf, type GapMarks } from '../gap-marks.ts'
import type { EntryPlace, Passage } from './passage.ts'
import { readEntry, type Cells } from './read-entry.ts'
import { showKey } from './skeleton-node.ts'
import { showScalar, tidy } from './show-value.ts'

/** Tokens of a row at most, at least, and as a share of the room for all rows. */
const MOST_ROW = 90
const LEAST_ROW = 24
const ROW_SHARE = 0.1
/** Longest part of a value that is shown in a row, in UTF-16 units. */
const CELL_UNITS = 56
/** Share of the rows that comes from the start. */
const FIRST_SHARE = 0.6
/** Rows that the columns are chosen by. */
const SAMPLED = 24

interface Row {
  readonly place: EntryPlace
  readonly name: string
  readonly cells: Cells
  readonly raw: string
}

/** Writes entries of an array or of a map as rows of a table: keys once, then the values of each entry on a line. */
export class EntryRows {
  readonly #passage: Passage
  readonly #rows: readonly Row[]
  readonly #byLine: boolean
  readonly #costs = new Map<string, number>()
  readonly #constants = new Set<string>()

  /** @param words - Entries that hold one of these come first. */
  constructor(passage: Passage, words: readonly string[]) {
    this.#passage = passage
    this.#rows = passage
      .kept()
      .map(({ place, text }) => ({ place, raw: text, ...readEntry(text, passage.isObject) }))
      .filter(({ cells }) => cells.size > 0)
    const lines = new Set(this.#rows.map(({ place }) => place.line))
    this.#byLine = lines.size === this.#rows.length
    this.#measure()
    this.#wanted = new Set(
      this.#rows.filter(({ raw }) => words.some((word) => raw.includes(word))).map(({ place }) => place.index),
    )
  }

  readonly #wanted: ReadonlySet<number>

  /** Mean tokens of each column, and the columns that say the same in each row. */
  #measure(): void {
    const sample = this.#rows.slice(0, SAMPLED)
    const values = new Map<string, Set<string>>()
    for (const { cells } of sample) {
      for (const [path, raw] of cells) {
        this.#costs.set(path, (this.#costs.get(path) ?? 0) + estimateTokens(showCell(raw)) + 1)
        values.set(path, (values.get(path) ?? new Set()).add(raw))
      }
    }
    for (const [path, cost] of this.#costs) {
      this.#costs.set(path, cost / sample.length)
      if (sample.length > 1 && values.get(path)!.size === 1) this.#constants.add(path)
    }
    // What stands in each row twice is shown once.
    const told = new Set<string>()
    for (const path of this.#costs.keys()) {
      const column = sample.map(({ cells }) => (cells.get(path) ?? '').replaceAll('"', '')).join('\n')
      if (told.has(column)) this.#constants.add(path)
      told.add(column)
    }
  }

  /** Write rows of about `tokens` at most. Returns the text, with a newline before it, or nothing. */
  write(tokens: number, gaps: GapMarks): { text: string; tokens: number } {
    const nothing = { text: '', tokens: 0 }
    const columns = this.#columns(Math.min(MOST_ROW, Math.max(LEAST_ROW, tokens * ROW_SHARE)))
    if (columns.length === 0 || this.#rows.length < 2) return nothing
    const head = `[${this.#passage.isObject ? 'key, ' : ''}${columns.map(showPath).join(', ')}]`
    let left = tokens - estimateTokens(head) - 24
    const chosen = new Set<number>()
    const texts = this.#rows.map((row) => this.#row(row, columns))
    const costs = texts.map((text) => estimateTokens(text) + 1)
    const take = (index: number): boolean => {
      if (chosen.has(index)) return true
      if (costs[index]! > left) return false
      left -= costs[index]!
      chosen.add(index)
      return true
    }
    for (const [index, { place }] of this.#rows.entries()) if (this.#wanted.has(place.index)) take(index)
    let first = 0
    let last = this.#rows.length - 1
    for (let spentFirst = 0, spentLast = 0; first <= last;) {
      const atFirst = spentFirst * (1 - FIRST_SHARE) <= spentLast * FIRST_SHARE
      const index = atFirst ? first++ : last--
      if (!take(index)) break
      if (atFirst) spentFirst += costs[index]!
      else spentLast += costs[index]!
    }
    if (chosen.size === 0) return nothing
    const lines = [head]
    let next = 0
    let nextLine = this.#passage.line
    const gap = (index: number, line: number): void => {
      if (index > next) lines.push(this.#gap(gaps, nextLine, line, index - next))
    }
    for (const [index, { place }] of this.#rows.entries()) {
      if (!chosen.has(index)) continue
      gap(place.index, place.line)
      const label = this.#byLine ? `${place.line}| ` : place.index > next ? `[${place.index}] ` : ''
      lines.push(label + texts[index]!)
      next = place.index + 1
      nextLine = this.#rows[index + 1]?.place.line ?? this.#passage.endLine
    }
    gap(this.#passage.entries, this.#passage.endLine + 1)
    return { text: `\n${lines.join('\n')}`, tokens: tokens - left }
  }

  #gap(gaps: GapMarks, startLine: number, endLine: number, entries: number): string {
    const what = this.#passage.isObject ? countOf(entries, 'key') : countOf(entries, 'item')
    return this.#byLine && endLine > startLine ? gaps.write(startLine, endLine - 1, what) : `[… ${what}]`
  }

  /** The columns that fit into a row: those of few tokens first, and those near the start. */
  #columns(room: number): string[] {
    const all = [...this.#costs.keys()]
    const ranked = all
      .filter((path) => !this.#constants.has(path))
      .map((path, index) => ({ path, rank: this.#costs.get(path)! * 0.6 + index + path.split('.').length * 5 }))
      .toSorted((one, other) => one.rank - other.rank)
    const chosen = new Set<string>()
    let left = room
    for (const { path } of ranked) {
      const cost = this.#costs.get(path)!
      if (cost > left && chosen.size > 0) continue
      left -= cost
      chosen.add(path)
    }
    return all.filter((path) => chosen.has(path))
  }

  #row({ name, cells }: Row, columns: readonly string[]): string {
    const shown = columns.map((path) => showCell(cells.get(path) ?? ''))
    return (this.#passage.isObject ? [showCell(`"${name}"`), ...shown] : shown).join(', ')
  }
}

/** A value without quotes, unless it would be taken for more than one value, or for none. */
function showCell(raw: string): string {
  if (!raw.startsWith('"')) return tidy(raw)
  const { text, cut } = showScalar(raw, CELL_UNITS)
  return cut || raw.length === 2 || /[,|\n]|^"\s|\s"$/.test(raw) ? text : text.slice(1, -1)
}

const showPath = (path: string): string => (path === '' ? 'value' : path.split('.').map(showKey).join('.'))
