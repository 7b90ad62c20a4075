import { cleanLine, cutAtGrapheme, estimateTokens } from '@spillway/text/internal'
import { countOf, sqlExample, withSqlExample } from '../layout/gap-marks.ts'
import { textItem, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { PreviewDrafts } from '../layout/write-preview.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { Shape } from './shape.ts'
import { ERROR, INFO, OK, severityOfLine, WARNING } from '../log/line-words.ts'
import { showKey, showScalar, tidy } from './show-value.ts'
import type { EntryPlace, NotableEntry, Passage, Rarity } from './passage-keeper.ts'
import { JsonTokenizer } from './json-tokenizer.ts'
import type { JsonSink } from './json-scan.ts'

/** Tokens of a row at most, at least, and as a share of the room for all rows. */
const MOST_ROW = 90
const LEAST_ROW = 30
const ROW_SHARE = 0.1
/** Share of the room that notable rows have at least, and how much more they are worth than others. */
const NOTABLE_SHARE = 0.5
const NOTABLE_WORTH = 10
/** What a row from the end is worth of one from the start. */
const LAST_WORTH = 0.66
/** Entries read at each end of a passage: some, and as many as rows of so many tokens fit. */
const FEWEST_READ = 24
const SHORTEST_ROW = 6
/** Rows that the columns are chosen by. */
const SAMPLED = 24
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
    this.#byLine =
      this.#rows[0]?.place.index === 0 && new Set(this.#rows.map(({ place }) => place.line)).size === this.#rows.length
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
  write(tokens: number, options: PreviewOptions): string {
    const columns = this.#chooseColumns(Math.min(MOST_ROW, Math.max(LEAST_ROW, tokens * ROW_SHARE)))
    if (columns.length === 0 || this.#rows.length < 2) return ''
    const name = this.#passage.keys.findLast((key) => key !== '')
    const place = [...(name === undefined ? [] : [showKey(name)]), ...(this.#byLine ? ['by line'] : [])].join(' ')
    const column = this.#columnToCount()
    const keys = `${this.#passage.isObject ? 'key, ' : ''}${columns.map(showPath).join(', ')}`
    const { text } = new PreviewDrafts(
      {
        ...(this.#byLine ? this.#lines() : this.#entries(sqlExample(options, column))),
        items: this.#rows.map((row, index) => this.#item(row, index, columns)),
        header: `${place}${place === '' ? '' : ': '}${keys}`,
        alwaysHeader: true,
        shares: [NOTABLE_SHARE, 1],
        lineShare: 1,
        endShare: 0,
      },
      withSqlExample(options, column),
    ).write(tokens)
    // A gap alone says nothing.
    return text.split('\n').length > 2 ? `\n${text}` : ''
  }

  /** Return a column with few values, if the entries are rows in SQL: it takes the objects of the largest array. */
  #columnToCount(): string | undefined {
    const { isObject, keys } = this.#passage
    if (isObject || keys.includes('') || this.#shape.objects === 0) return undefined
    return [...this.#columns.keys()].find((path) => !path.includes(KEY_SEPARATOR) && this.#varies(path))
  }

  #item(row: EntryRow, index: number, columns: readonly string[]): Item {
    const { place, nextLine, rank } = row
    const fromEnd = this.#rows.length - 1 - index
    const value = rank > 0 ? NOTABLE_WORTH + rank : Math.max(1 / (1 + index), LAST_WORTH / (1 + fromEnd))
    const text = showRow(row, columns, this.#passage.isObject)
    const item = textItem(this.#byLine ? place.line : place.index, text, value)
    if (this.#byLine && nextLine !== undefined) item.end = Math.max(place.line, nextLine - 1)
    item.numbered = this.#byLine
    item.part = rank > 0 ? 0 : 1
    return item
  }

  /** Entries by their lines. */
  #lines(): Pick<PreviewModel, 'from' | 'lines' | 'label' | 'counted' | 'hidden'> {
    const { entries, endLine, isTop } = this.#passage
    return {
      from: this.#rows[0]!.place.line,
      lines: isTop ? endLine : endLine - 1,
      label: (line) => `${line}: `,
      counted: (count) => countOf(count, 'line'),
      hidden: (start, end) => {
        const before = this.#rows.findLast(({ place }) => place.line < start)?.place.index ?? -1
        const after = this.#rows.find(({ place }) => place.line > end)?.place.index ?? entries
        const count = after - before - 1
        return count === end - start + 1 ? '' : this.#counted(count)
      },
    }
  }

  /** Entries by their places in the array or map. */
  #entries(call: string | undefined): Pick<PreviewModel, 'from' | 'lines' | 'label' | 'counted' | 'show'> {
    return {
      from: 0,
      lines: this.#passage.entries - 1,
      label: (index) => `[${index}] `,
      counted: (count) => this.#counted(count),
      show: () => call,
    }
  }

  #counted(entries: number): string {
    return countOf(entries, this.#passage.isObject ? 'key' : 'item')
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

/** Longest part of a value that is shown in a row, and of one that makes the row notable, in UTF-16 units. */
const CELL_UNITS = 56
const NOTABLE_UNITS = 200
/** An entry is notable if no larger share of all holds what it holds. */
const RARE_SHARE = 0.05
const RARE_TIMES = 3

/** An entry of an array or of a map, ready to be shown as a row. */
interface EntryRow {
  readonly place: EntryPlace
  /** The line that the next entry begins on; `undefined` where that is not known. */
  readonly nextLine: number | undefined
  /** Of a member, its key. */
  readonly name: string
  readonly cells: Cells
  /** What makes the entry notable: where it holds what few others do. */
  readonly rare: readonly Rarity[]
  /** Which notable entries come first; 0 for others. */
  readonly rank: number
}

/**
 * The entries that are kept of a passage, in order.
 *
 * @param shape - What the entries are made of.
 * @param most - How many of the first, and of the last, at most.
 */
function entryRows(passage: Passage, shape: Shape, most: number): EntryRow[] {
  const rows = new Map<number, EntryRow>()
  const kept = passage.kept(most)
  for (const [index, { place, text }] of kept.entries()) {
    const nextPlace = kept[index + 1]?.place
    const nextLine =
      nextPlace?.index === place.index + 1
        ? nextPlace.line
        : place.index === passage.entries - 1
          ? passage.endLine
          : undefined
    rows.set(place.index, { place, nextLine, ...readEntry(text, passage.isObject), rare: [], rank: 0 })
  }
  for (const entry of passage.notable) {
    const { place, nextLine, text, wanted } = entry
    const read = readEntry(text, passage.isObject)
    const rare = raritiesOf(entry, shape, passage.entries)
    if (wanted || rare.length > 0)
      rows.set(place.index, { place, nextLine, ...read, rare, rank: (wanted ? 1_000 : 0) + 1 + weight(read.cells) })
  }
  return [...rows.values()]
    .filter(({ cells }) => cells.size > 0)
    .toSorted((one, other) => one.place.index - other.place.index)
}

/** What turned out to be rare: it never came often, and stands under a key that is no data. */
function raritiesOf({ rarities }: NotableEntry, shape: Shape, entries: number): Rarity[] {
  const most = Math.max(RARE_TIMES, entries * RARE_SHARE)
  const rare = rarities.filter(({ path, value }) => {
    const at = shape.at(path)
    const times = value === undefined ? at?.seen : at?.scalars?.timesOf(value)
    return times !== undefined && times > 0 && times <= most
  })
  // A new member says that all in it is new.
  return rare.filter(({ path }) => !rare.some((other) => other.path.length < path.length && isWithin(path, other.path)))
}

const isWithin = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((key, index) => path[index] === key)

/** How much an entry looks like a failure by the severity of its values. */
const SEVERITY_RANKS = { 0: 0, [ERROR]: 100, [WARNING]: 50, [INFO]: 0, [OK]: 0 }

/** How much the values of an entry look like a failure, from 0 to 100. */
function weight(cells: Cells): number {
  let most = 0
  for (const raw of cells.values()) {
    if (/^"[^"]/.test(raw)) most = Math.max(most, SEVERITY_RANKS[severityOfLine(cleanLine(raw.slice(1, 513)))])
  }
  return most
}

/** Show a row as its values in `columns`, and what makes it notable with the keys. */
function showRow({ name, cells, rare }: EntryRow, columns: readonly string[], isMember: boolean): string {
  const shown = columns.map((path) => showCell(cells.get(path) ?? '', CELL_UNITS))
  if (isMember) shown.unshift(showCell(`"${name}"`, NOTABLE_UNITS))
  const known = new Set(columns)
  const notes: string[] = []
  for (const { path, value } of rare) {
    // A value in an array has no cell of its own.
    if (path.includes('')) notes.push(...(value === undefined ? [] : [note(path, value)]))
    else {
      for (const [cell, raw] of cells) {
        const keys = cell.split(KEY_SEPARATOR)
        if (!known.has(cell) && isWithin(keys, path)) notes.push(note(keys, raw))
      }
    }
  }
  return [...shown, ...new Set(notes)].join(', ').trimEnd()
}

const note = (keys: readonly string[], raw: string): string => `${showKeys(keys)}: ${showCell(raw, NOTABLE_UNITS)}`

/** A value without quotes, unless it would be taken for more than one value, or for none. */
function showCell(raw: string, units: number = CELL_UNITS): string {
  if (!raw.startsWith('"')) {
    const text = tidy(raw)
    return text.length > units ? `${cutAtGrapheme(text, units)}…` : text
  }
  const { text, cut } = showScalar(raw, units)
  return cut || raw.length === 2 || /[,|\n]|^"\s|\s"$/.test(raw) ? text : text.slice(1, -1)
}

/** The keys of a column, joined with points. */
function showPath(path: string): string {
  return path === '' ? 'value' : showKeys(path.split(KEY_SEPARATOR))
}

function showKeys(keys: readonly string[]): string {
  return keys.map((key, index) => (key === '' ? '[]' : (index > 0 ? '.' : '') + showKey(key))).join('')
}

/** Deepest object of an entry that is looked into. */
const DEEPEST = 4
/** Keys of an array that lead to its items stand for all items. */
const ITEM = '[]'
/** Simple items of an array that are kept. */
const MOST_ITEMS = 8

/** Joins the keys that lead to a value: no key of JSON has this character unescaped. */
const KEY_SEPARATOR = '\u0000'

/** The simple values of an entry, by the keys that lead to them, joined; of an array, its items or its length. */
type Cells = ReadonlyMap<string, string>

/** Read the simple values of an item of an array, or of a member of an object, as far as its text goes. */
function readEntry(text: string, isMember: boolean): { readonly name: string; readonly cells: Cells } {
  const reader = new EntryReader()
  const tokenizer = new JsonTokenizer(reader)
  // Brackets make an entry a document of its own, whatever it is.
  tokenizer.push(isMember ? '{' : '[')
  tokenizer.push(text)
  tokenizer.finish()
  return { name: isMember ? reader.name : '', cells: reader.cells }
}

class EntryReader implements JsonSink {
  readonly cells = new Map<string, string>()
  name = ''
  /** The keys that lead to what is open; in an array, `[]`. */
  readonly #path: string[] = []
  readonly #arrays: boolean[] = []
  readonly #counts: number[] = []
  /** Of each open array, its first simple items; `undefined` where it has others. */
  readonly #items: (string[] | undefined)[] = []
  #key = ''
  #long = ''

  reading(): void {}
  read(): void {}
  stray(): void {}
  abandon(): void {}

  open(isObject: boolean): void {
    this.#count()
    if (this.#items.length > 0) this.#items[this.#items.length - 1] = undefined
    this.#items.push([])
    if (this.#arrays.length > 0) this.#path.push(this.#arrays.at(-1)! ? ITEM : this.#key)
    this.#arrays.push(!isObject)
    this.#counts.push(0)
  }

  close(): void {
    const isArray = this.#arrays.pop()
    const count = this.#counts.pop()!
    const items = this.#items.pop()
    if (isArray && this.#arrays.length > 0) {
      const more = items !== undefined && count > items.length ? ', …' : ''
      this.#set(this.#at(''), items === undefined ? `[${countOf(count, 'item')}]` : `[${items.join(', ')}${more}]`)
    }
    this.#path.pop()
  }

  key(text: string, start: number, end: number): void {
    this.#key = text.slice(start, end)
    if (this.#arrays.length === 1) this.name = this.#key
  }

  string(text: string, start: number, end: number): void {
    this.#value(`"${text.slice(start, end)}"`)
  }

  openString(): void {
    this.#long = ''
  }

  stringPart(text: string, start: number, end: number): void {
    if (this.#long === '') this.#long = text.slice(start, Math.min(end, start + 4_096))
  }

  closeString(): void {
    this.#value(`"${this.#long}"`)
  }

  number(text: string, start: number, end: number): void {
    this.#value(text.slice(start, end))
  }

  word(text: string, start: number, end: number): void {
    this.#value(text.slice(start, end))
  }

  #count(): void {
    if (this.#counts.length > 0) this.#counts[this.#counts.length - 1]!++
  }

  #value(raw: string): void {
    this.#count()
    const items = this.#items.at(-1)
    if (items !== undefined && items.length < MOST_ITEMS) items.push(raw)
    this.#set(this.#at(this.#arrays.at(-1) === true ? ITEM : this.#key), raw)
  }

  /** The path below the entry itself. */
  #at(key: string): string {
    const path = key === '' ? this.#path : [...this.#path, key]
    return path.slice(1).join(KEY_SEPARATOR)
  }

  #set(path: string, raw: string): void {
    if (this.#path.length <= DEEPEST && !path.includes(ITEM) && !this.cells.has(path)) this.cells.set(path, raw)
  }
}
