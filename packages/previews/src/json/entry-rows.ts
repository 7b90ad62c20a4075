import { estimateTokens } from '@spillway/text/internal'
import { countOf, type GapMarks } from '../layout/gap-marks.ts'
import { entryRows, showCell, showPath, showRow, type EntryRow } from './entry-row.ts'
import type { Passage } from './passage.ts'
import { KEY_SEPARATOR } from './read-entry.ts'
import type { Shape } from './shape.ts'
import { showKey } from './skeleton-node.ts'

/** Tokens of a row at most, at least, and as a share of the room for all rows. */
const MOST_ROW = 90
const LEAST_ROW = 30
const ROW_SHARE = 0.1
/** Share of the room that notable rows have at most. */
const NOTABLE_SHARE = 0.5
/** Share of the other rows that comes from the start. */
const FIRST_SHARE = 0.6
/** Entries read at each end of a passage: some, and as many as rows of so many tokens fit. */
const FEWEST_READ = 24
const SHORTEST_ROW = 6
/** Rows that the columns are chosen by. */
const SAMPLED = 24
/** Tokens that a row may have beside its values: a line number, and a gap before it. */
const LABEL_TOKENS = 3
const GAP_TOKENS = 7

interface Column {
  /** Of a value, on average. */
  readonly tokens: number
  /** The lower, the sooner the column is shown. */
  readonly rank: number
}

/** Writes entries of an array or of a map as rows of a table: keys once, then the values of each entry on a line. */
export class EntryRows {
  readonly #passage: Passage
  readonly #shape: Shape
  readonly #rows: readonly EntryRow[]
  /** Whether each entry begins on a line of its own. */
  readonly #byLine: boolean
  /** Columns that tell rows apart. */
  readonly #columns = new Map<string, Column>()

  /**
   * @param shape - What the entries are made of.
   * @param budgetTokens - What the whole preview may have at most.
   */
  constructor(passage: Passage, shape: Shape, budgetTokens: number) {
    this.#passage = passage
    this.#shape = shape
    this.#rows = entryRows(passage, shape, FEWEST_READ + budgetTokens / SHORTEST_ROW)
    this.#byLine = new Set(this.#rows.map(({ place }) => place.line)).size === this.#rows.length
    this.#measure()
  }

  /** Find the columns that tell rows apart, and their mean tokens. */
  #measure(): void {
    const step = Math.max(1, Math.floor(this.#rows.length / SAMPLED))
    const sample = this.#rows.filter((_, index) => index % step === 0)
    const all = new Set(sample.flatMap(({ cells }) => [...cells.keys()]))
    // Keys that are data make no columns.
    const paths = [...all].filter((path) => this.#shapeAt(path) !== undefined)
    const told = new Set<string>()
    for (const path of paths) {
      const cells = sample.map((row) => row.cells.get(path) ?? '')
      // What stands in each row twice is shown once, and what is the same in all rows stands in the shape.
      const column = cells.join('\n').replaceAll('"', '')
      if (told.has(column) || (sample.length > 1 && new Set(cells).size === 1 && !this.#varies(path))) continue
      told.add(column)
      const tokens = cells.reduce((sum, raw) => sum + estimateTokens(showCell(raw)) + 1, 0) / cells.length
      const empty = cells.filter((raw) => raw === '').length / cells.length
      const worded = cells.filter((raw) => /^"[^"]*\p{L} +\p{L}/u.test(raw)).length / cells.length
      const place = this.#columns.size + path.split(KEY_SEPARATOR).length * 4
      const kind = (this.#varies(path) ? -4 : 0) + (this.#isCount(path) ? 12 : 0)
      const rank = tokens * 0.6 + place + kind + empty * 12 - worded * 8
      this.#columns.set(path, { tokens, rank })
    }
  }

  #shapeAt(path: string): Shape | undefined {
    return this.#shape.at(path === '' ? [] : path.split(KEY_SEPARATOR))
  }

  /** Whether a column says no more than how many items there are. */
  #isCount(path: string): boolean {
    const item = this.#shapeAt(path)?.item
    return item !== undefined && item.scalars === undefined
  }

  /** Whether a column has one of a few values in each entry, but not the same one in all. */
  #varies(path: string): boolean {
    const values = this.#shapeAt(path)?.scalars
    return values !== undefined && !values.more && values.values.length > 1
  }

  /** Write rows of about `tokens` at most. Returns the text, with a newline before it, or nothing. */
  write(tokens: number, gaps: GapMarks): { text: string; tokens: number } {
    const columns = this.#chooseColumns(Math.min(MOST_ROW, Math.max(LEAST_ROW, tokens * ROW_SHARE)))
    const { isObject } = this.#passage
    const name = this.#passage.keys.findLast((key) => key !== '')
    const place = [...(name === undefined ? [] : [showKey(name)]), ...(this.#byLine ? ['by line'] : [])].join(' ')
    const head = `[${place}${place === '' ? '' : ': '}${isObject ? 'key, ' : ''}${columns.map(showPath).join(', ')}]`
    const texts = this.#rows.map((row) => showRow(row, columns, isObject))
    const room = tokens - estimateTokens(head) - 3 * GAP_TOKENS
    const { chosen, spent } = this.#choose(texts, room)
    if (columns.length === 0 || this.#rows.length < 2 || chosen.size === 0) return { text: '', tokens: 0 }
    return { text: `\n${[head, ...this.#lines(texts, chosen, gaps)].join('\n')}`, tokens: tokens - room + spent }
  }

  /** Take notable rows, then rows from both ends. */
  #choose(texts: readonly string[], room: number): { chosen: ReadonlySet<number>; spent: number } {
    const costs = texts.map((text) => estimateTokens(text) + 1 + (this.#byLine ? LABEL_TOKENS : 0))
    const chosen = new Set<number>()
    let spent = 0
    const take = (index: number, limit: number, extra: number): boolean => {
      if (chosen.has(index)) return true
      if (spent + costs[index]! + extra > limit) return false
      spent += costs[index]! + extra
      chosen.add(index)
      return true
    }
    const notable = [...this.#rows.keys()]
      .filter((index) => this.#rows[index]!.rank > 0)
      .toSorted((one, other) => this.#rows[other]!.rank - this.#rows[one]!.rank || one - other)
    for (const index of notable) take(index, room * NOTABLE_SHARE, GAP_TOKENS)
    const spentBefore = spent
    let first = 0
    let last = this.#rows.length - 1
    for (let spentFirst = 0; first <= last;) {
      const atFirst = spentFirst <= (spent - spentBefore) * FIRST_SHARE
      const index = atFirst ? first++ : last--
      const before = spent
      if (!take(index, room, 0)) break
      if (atFirst) spentFirst += spent - before
    }
    return { chosen, spent }
  }

  #lines(texts: readonly string[], chosen: ReadonlySet<number>, gaps: GapMarks): string[] {
    const lines: string[] = []
    let next = 0
    let nextLine: number | undefined = this.#rows[0]?.place.index === 0 ? this.#rows[0].place.line : undefined
    const gap = (index: number, line: number): void => {
      if (index > next) lines.push(this.#gap(gaps, nextLine, line, index - next))
    }
    for (const [index, row] of this.#rows.entries()) {
      if (!chosen.has(index)) continue
      const { place } = row
      gap(place.index, place.line)
      const label = this.#byLine ? `${place.line}: ` : place.index > next ? `[${place.index}] ` : ''
      lines.push(label + texts[index]!)
      next = place.index + 1
      nextLine = row.nextLine
    }
    gap(this.#passage.entries, this.#passage.endLine + (this.#passage.isTop ? 1 : 0))
    return lines
  }

  #gap(gaps: GapMarks, startLine: number | undefined, endLine: number, entries: number): string {
    const what = countOf(entries, this.#passage.isObject ? 'key' : 'item')
    if (!this.#byLine || startLine === undefined || endLine <= startLine) return `[… ${what}]`
    return gaps.write(startLine, endLine - 1, endLine - startLine === entries ? '' : what)
  }

  /** The columns that fit into a row, those that say most for their tokens first. */
  #chooseColumns(room: number): string[] {
    const ranked = [...this.#columns].toSorted(([, one], [, other]) => one.rank - other.rank)
    const chosen = new Set<string>()
    let left = room
    for (const [path, { tokens }] of ranked) {
      if (tokens > left && chosen.size > 0) continue
      left -= tokens
      chosen.add(path)
    }
    return [...this.#columns.keys()].filter((path) => chosen.has(path))
  }
}
