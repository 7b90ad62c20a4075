import { cleanLine, countOf, cutWithMark, estimateTokens, TextCodes } from '@spillway/text/internal'
import { sqlExample, withSqlExample } from '../layout/gap-marks.ts'
import { textItem, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { previewDrafts } from '../layout/write-preview.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { Shape } from './shape.ts'
import { ERROR, INFO, OK, severityOfLine, WARNING } from '../log/line-words.ts'
import { showKey, showKeys, showScalar, tidy } from './show-value.ts'
import type { EntryPlace, NotableEntry, Passage, Rarity } from './passage-keeper.ts'
import { JsonTokenizer } from './json-tokenizer.ts'
import type { JsonSink } from './json-scan.ts'

/** Largest and smallest number of tokens of a row, and its largest share of the space for rows. */
const MOST_ROW = 90
const LEAST_ROW = 30
const ROW_SHARE = 0.1
/** Share of the space for notable rows, and the value that is added to their value. */
const NOTABLE_SHARE = 0.5
const NOTABLE_WORTH = 10
/** Value of the last row, compared with the first row. */
const LAST_WORTH = 0.66
/** Number of entries to read at each end of a passage: a minimum, and one more for each `SHORTEST_ROW` tokens. */
const FEWEST_READ = 24
const SHORTEST_ROW = 6
/** Number of rows in the sample that decides about the columns. */
const SAMPLED = 24
interface Column {
  /** Average number of tokens in a value. */
  readonly tokens: number
  /** Rank of the column. Columns with low ranks are shown first. */
  readonly rank: number
}

/** Write the entries of an array or a map as table rows: the keys once, and then one line of values for each entry. */
export function rowsWriter(passage: Passage, shape: Shape, options: PreviewOptions): (tokens: number) => string {
  const columns = new Map<string, Column>()
  /** Drafts by their columns, so that each row is written only once. */
  const drafts = new Map<string, ReturnType<typeof previewDrafts>>()
  const rows = entryRows(passage, shape, FEWEST_READ + options.budgetTokens / SHORTEST_ROW)
  const byLine = rows[0]?.place.index === 0 && new Set(rows.map(({ place }) => place.line)).size === rows.length
  measure()

  function measure(): void {
    const step = Math.max(1, Math.floor(rows.length / SAMPLED))
    const sample = rows.filter((_, index) => index % step === 0)
    const all = new Set(sample.flatMap(({ cells }) => [...cells.keys()]))
    // Keys that are data do not become columns.
    const paths = [...all].filter((path) => shapeAt(path) !== undefined)
    const told = new Set<string>()
    for (const path of paths) {
      const cells = sample.map((row) => row.cells.get(path) ?? '')
      // A column is left out if another column has the same cells, or if all rows have the same value.
      const column = cells.join('\n').replaceAll('"', '')
      if (told.has(column) || (sample.length > 1 && new Set(cells).size === 1 && !varies(path))) continue
      told.add(column)
      const tokens = cells.reduce((sum, raw) => sum + estimateTokens(showCell(raw)) + 1, 0) / cells.length
      const empty = cells.filter((raw) => raw === '').length / cells.length
      const worded = cells.filter((raw) => /^"[^"]*\p{L} +\p{L}/u.test(raw)).length / cells.length
      const place = columns.size + path.split(KEY_SEPARATOR).length * 4
      const kind = (varies(path) ? -4 : 0) + (isCount(path) ? 12 : 0)
      const rank = tokens * 0.6 + place + kind + empty * 12 - worded * 8
      columns.set(path, { tokens, rank })
    }
  }

  function shapeAt(path: string): Shape | undefined {
    return shape.at(path === '' ? [] : path.split(KEY_SEPARATOR))
  }

  function isCount(path: string): boolean {
    const item = shapeAt(path)?.item
    return item !== undefined && item.scalars === undefined
  }

  /** Whether a column has more than one value, but only a few different values. */
  function varies(path: string): boolean {
    const values = shapeAt(path)?.scalars
    return values !== undefined && !values.more && values.values.length > 1
  }

  /** Return the rows after a newline. Returns an empty text if no row fits. */
  function write(tokens: number): string {
    const columns = chooseColumns(Math.min(MOST_ROW, Math.max(LEAST_ROW, tokens * ROW_SHARE)))
    if (columns.length === 0 || rows.length < 2) return ''
    const key = JSON.stringify(columns)
    const draft = drafts.get(key) ?? draftsOf(columns)
    drafts.set(key, draft)
    const { text } = draft(tokens)
    // A gap without rows is useless.
    return text.split('\n').length > 2 ? `\n${text}` : ''
  }

  function draftsOf(columns: readonly string[]): ReturnType<typeof previewDrafts> {
    const name = passage.keys.findLast((key) => key !== '')
    const place = [...(name === undefined ? [] : [showKey(name)]), ...(byLine ? ['by line'] : [])].join(' ')
    const column = columnToCount()
    const paths = columns.map((path) => (path === '' ? 'value' : showKeys(path.split(KEY_SEPARATOR), shape)))
    const keys = `${passage.isObject ? 'key, ' : ''}${paths.join(', ')}`
    return previewDrafts(
      {
        ...(byLine ? lines() : entries(sqlExample(options, column))),
        items: rows.map((row, index) => item(row, index, columns)),
        header: `${place}${place === '' ? '' : ': '}${keys}`,
        alwaysHeader: true,
        shares: [NOTABLE_SHARE, 1],
        lineShare: 1,
        endShare: 0,
      },
      withSqlExample(options, column),
    )
  }

  /** Return a column for an example SQL statement. Only the largest array is a table in SQL. */
  function columnToCount(): string | undefined {
    const { isObject, keys } = passage
    if (isObject || keys.includes('') || shape.objects === 0) return undefined
    return [...columns.keys()].find((path) => !path.includes(KEY_SEPARATOR) && varies(path))
  }

  function item(row: EntryRow, index: number, columns: readonly string[]): Item {
    const { place, nextLine, rank } = row
    const fromEnd = rows.length - 1 - index
    const value = rank > 0 ? NOTABLE_WORTH + rank : Math.max(1 / (1 + index), LAST_WORTH / (1 + fromEnd))
    const text = showRow(row, columns, passage.isObject, shape)
    const item = textItem(byLine ? place.line : place.index, text, value)
    if (byLine && nextLine !== undefined) item.end = Math.max(place.line, nextLine - 1)
    item.numbered = byLine
    item.part = rank > 0 ? 0 : 1
    return item
  }

  function lines(): Pick<PreviewModel, 'from' | 'lines' | 'label' | 'counted' | 'hidden'> {
    const { entries, endLine, lastLine, isTop } = passage
    return {
      from: rows[0]!.place.line,
      lines: isTop ? endLine : Math.max(lastLine, endLine - 1),
      label: (line) => `${line}: `,
      counted: (count) => countOf(count, 'line'),
      hidden: (start, end) => {
        const before = rows.findLast(({ place }) => place.line < start)?.place.index ?? -1
        const after = rows.find(({ place }) => place.line > end)?.place.index ?? entries
        const count = after - before - 1
        return count === end - start + 1 ? '' : counted(count)
      },
    }
  }

  function entries(call: string | undefined): Pick<PreviewModel, 'from' | 'lines' | 'label' | 'counted' | 'show'> {
    return {
      from: 0,
      lines: passage.entries - 1,
      label: (index) => `[${index}] `,
      counted: (count) => counted(count),
      show: () => call,
    }
  }

  function counted(entries: number): string {
    return countOf(entries, passage.isObject ? 'key' : 'item')
  }

  /** Choose the columns with the most information for their tokens. */
  function chooseColumns(room: number): string[] {
    const ranked = [...columns].toSorted(([, one], [, other]) => one.rank - other.rank)
    const chosen = new Set<string>()
    let left = room
    for (const [path, { tokens }] of ranked) {
      if (tokens > left && chosen.size > 0) continue
      left -= tokens
      chosen.add(path)
    }
    return [...columns.keys()].filter((path) => chosen.has(path))
  }

  return write
}

/** Longest shown value in a row, and longest shown notable value, in UTF-16 units. */
const CELL_UNITS = 56
const NOTABLE_UNITS = 200
/** Largest share of entries, or largest number of entries, in which a value is notable. */
const RARE_SHARE = 0.05
const RARE_TIMES = 3
/** Rank of an entry that the call searches for, in addition to its other rank. */
const WANTED_RANK = 1_000

interface EntryRow {
  readonly place: EntryPlace
  /** Line of the next entry. `undefined` if unknown. */
  readonly nextLine: number | undefined
  /** Key of the entry if it is a member of a map. */
  readonly name: string
  readonly cells: Cells
  readonly rare: readonly Rarity[]
  /** Rank of a notable entry. 0 for all other entries. */
  readonly rank: number
}

/** @param most - Largest number of entries to read at each end. */
function entryRows(passage: Passage, shape: Shape, most: number): EntryRow[] {
  const rows = new Map<number, EntryRow>()
  const kept = passage.kept(most)
  for (const [index, { place, text }] of kept.entries()) {
    const nextPlace = kept[index + 1]?.place
    const nextLine =
      nextPlace?.index === place.index + 1
        ? nextPlace.line
        : place.index === passage.entries - 1
          ? passage.nextLine
          : undefined
    rows.set(place.index, { place, nextLine, ...readEntry(text, passage.isObject, shape.isRow), rare: [], rank: 0 })
  }
  for (const entry of passage.notable) {
    const { place, nextLine, text, wanted } = entry
    const read = readEntry(text, passage.isObject, shape.isRow)
    const rare = raritiesOf(entry, shape, passage.entries)
    if (wanted || rare.length > 0)
      rows.set(place.index, {
        place,
        nextLine,
        ...read,
        rare,
        rank: (wanted ? WANTED_RANK : 0) + 1 + weight(read.cells),
      })
  }
  return [...rows.values()]
    .filter(({ cells }) => cells.size > 0)
    .toSorted((one, other) => one.place.index - other.place.index)
}

/** Return the rare values of an entry, without values that became frequent later and keys that are data. */
function raritiesOf({ rarities }: NotableEntry, shape: Shape, entries: number): Rarity[] {
  const most = Math.max(RARE_TIMES, entries * RARE_SHARE)
  const rare = rarities.filter(({ path, value }) => {
    const at = shape.at(path)
    const times = value === undefined ? at?.seen : at?.scalars?.timesOf(value)
    return times !== undefined && times > 0 && times <= most
  })
  // If a member is new, its values are new too and need no separate mention.
  return rare.filter(({ path }) => !rare.some((other) => other.path.length < path.length && isWithin(path, other.path)))
}

const isWithin = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((key, index) => path[index] === key)

const SEVERITY_RANKS = { 0: 0, [ERROR]: 100, [WARNING]: 50, [INFO]: 0, [OK]: 0 }

/** Return the highest severity of the texts in an entry, as a number from 0 to 100. */
function weight(cells: Cells): number {
  let most = 0
  for (const raw of cells.values()) {
    if (/^"[^"]/.test(raw)) most = Math.max(most, SEVERITY_RANKS[severityOfLine(cleanLine(raw.slice(1, 513)))])
  }
  return most
}

function showRow(row: EntryRow, columns: readonly string[], isMember: boolean, shape: Shape): string {
  const { name, cells, rare, rank } = row
  const note = (keys: readonly string[], raw: string): string =>
    `${showKeys(keys, shape)}: ${showCell(raw, NOTABLE_UNITS)}`
  const isNotable = (path: string): boolean =>
    rank > WANTED_RANK || rare.some((rarity) => rarity.path.join(KEY_SEPARATOR) === path)
  const shown = columns.map((path) => showCell(cells.get(path) ?? '', isNotable(path) ? NOTABLE_UNITS : CELL_UNITS))
  if (isMember) shown.unshift(showCell(`"${name}"`, NOTABLE_UNITS))
  if (rare.length === 0) return shown.join(', ').trimEnd()
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

/** Show a value. Its quotes are kept if it would otherwise look like several values, or like no value. */
function showCell(raw: string, units: number = CELL_UNITS): string {
  if (!raw.startsWith('"')) return cutWithMark(tidy(raw), units)
  const { text, cut } = showScalar(raw, units)
  return cut || raw.length === 2 || /[,|\n]|^"\s|\s"$/.test(raw) ? text : text.slice(1, -1)
}

/** Largest depth of shown values in an entry. */
const DEEPEST = 4
/** Key of all items of an array. */
const ITEM = '[]'
const MOST_ITEMS = 8
/** Separator of joined keys, which never occurs unescaped in a JSON key. */
const KEY_SEPARATOR = '\u0000'
const entryCodes = new TextCodes()

/** Simple values of an entry by their joined keys. The value of an array is its items or its length. */
type Cells = ReadonlyMap<string, string>

/** Parse an entry. If its text was cut, parsing ends at the cut. */
function readEntry(text: string, isMember: boolean, isRow: boolean): { readonly name: string; readonly cells: Cells } {
  const reader = new EntryReader()
  reader.isRow = isRow
  const tokenizer = new JsonTokenizer(reader, entryCodes)
  // The bracket turns the entry into a JSON document.
  tokenizer.push(isMember ? '{' : '[')
  tokenizer.push(text)
  tokenizer.finish()
  return { name: isMember ? reader.name : '', cells: reader.cells }
}

class EntryReader implements JsonSink {
  readonly cells = new Map<string, string>()
  /** Whether the entry is an array whose items have columns. */
  isRow = false
  name = ''
  /** Joined keys of each open level, without the key of the entry. The key of an array item is `[]`. */
  readonly #paths: string[] = []
  readonly #arrays: boolean[] = []
  readonly #counts: number[] = []
  /** The first items of each open array. `undefined` if the array has items that are not simple values. */
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
    if (this.#arrays.length > 0) this.#paths.push(this.#below(this.#arrays.at(-1)! ? ITEM : this.#key))
    this.#arrays.push(!isObject && !(this.isRow && this.#arrays.length === 1))
    this.#counts.push(0)
  }

  close(): void {
    const isArray = this.#arrays.pop()
    const count = this.#counts.pop()!
    const items = this.#items.pop()
    if (isArray && this.#arrays.length > 0) {
      const more = items !== undefined && count > items.length ? ', …' : ''
      this.#set(
        this.#paths.at(-1)!,
        items === undefined ? `[${countOf(count, 'item')}]` : `[${items.join(', ')}${more}]`,
      )
    }
    this.#paths.pop()
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
    if (this.isRow && this.#counts.length === 2) this.#key = String(this.#counts[1])
    if (this.#counts.length > 0) this.#counts[this.#counts.length - 1]!++
  }

  #value(raw: string): void {
    this.#count()
    const items = this.#items.at(-1)
    if (items !== undefined && items.length < MOST_ITEMS) items.push(raw)
    const isItem = this.#arrays.at(-1) === true
    if (isItem && this.#paths.length > 0) return
    this.#set(isItem || this.#key === '' ? (this.#paths.at(-1) ?? '') : this.#below(this.#key), raw)
  }

  /** Return the joined keys of a value in the innermost open level. */
  #below(key: string): string {
    if (this.#paths.length < 2) return this.#paths.length === 0 ? '' : key
    return `${this.#paths.at(-1)!}${KEY_SEPARATOR}${key}`
  }

  #set(path: string, raw: string): void {
    if (this.#paths.length <= DEEPEST && !path.includes(ITEM) && !this.cells.has(path)) this.cells.set(path, raw)
  }
}
