import { detach, formatCount } from '@spillway/text/internal'
import type { TableKind, TableRow, TableSink } from '@spillway/text/internal/tables'
import { closestNames } from '../closest-names.ts'
import { RetrievalError, type RetrievalCall } from '../retrieval-tool.ts'
import { quote } from '../show-hits.ts'
import { isNull, numberOf, timeOf } from './cell-value.ts'
import { ColumnPlaces, parseCondition, writeName, type TableCondition } from './parse-condition.ts'

/** UTF-16 units kept of one cell, at most. */
const LONGEST_CELL = 65_536
/** UTF-16 units of a list of names in an error, at most. */
const LONGEST_LIST = 1_500
const MOST_SUGGESTED = 3
const MOST_REPAIRED = 16
const MOST_OTHER_NAMES = 1_000

/** A cell of a row that is kept. */
export interface SelectedCell {
  /** The cell or its beginning; `undefined` where there is none, or it is null. */
  readonly text: string | undefined
  /** UTF-16 units of the whole cell. */
  readonly length: number
}

/** A row that is kept for the answer. */
export interface SelectedRow {
  /** Among the rows of its table, 1-based. */
  readonly number: number
  /** The line on which it begins. */
  readonly line: number
  readonly cells: readonly SelectedCell[]
}

/** What a selection keeps. */
interface SelectionOptions {
  /** UTF-16 units kept of all rows together, at most; one row is kept in any case. */
  readonly keep: number
  /** Whether reading may end once the limit is reached, so that not all rows are counted. */
  readonly endsEarly: boolean
}

/** Takes the rows of a text, counts those that a call asks for, and keeps the first of them. */
export class TableSelection implements TableSink {
  readonly #request: TableRequest
  readonly #options: SelectionOptions
  readonly #kept: SelectedRow[] = []
  readonly #values = new ColumnValues()
  /** The columns asked for, by their places; `undefined` for a column that has not come. */
  #places: (number | undefined)[] | undefined
  #where: { readonly condition: TableCondition; place: number | undefined } | undefined
  #names: readonly string[] = []
  #columns = new ColumnPlaces([])
  #known = 0
  /** Names of columns of tables that do not fit the call. */
  readonly #otherNames: string[] = []
  #isBound = false
  #isSkipped = false
  #units = 0
  #isFull = false
  /** Rows of the tables that have the columns. */
  rows = 0
  /** Rows of other tables. */
  otherRows = 0
  /** Of the rows, those that meet the condition. */
  matched = 0
  /** The last row that was read. */
  last: { readonly number: number; readonly line: number } = { number: 0, line: 0 }

  constructor(request: TableRequest, options: SelectionOptions) {
    this.#request = request
    this.#options = options
  }

  /** Whether nothing more needs to be read. */
  get isDone(): boolean {
    const { limit, countOnly } = this.#request
    const isComplete = limit !== undefined && this.#kept.length >= limit
    return !countOnly && isComplete && this.#options.endsEarly && this.#missing().length === 0
  }

  /** The names of all columns of the table. */
  get names(): readonly string[] {
    return this.#names
  }

  get kept(): readonly SelectedRow[] {
    return this.#kept
  }

  /** The names of the columns that are shown. */
  get shownNames(): readonly string[] {
    const { columns = [] } = this.#request
    return this.#places?.map((place, index) => this.#names[place ?? -1] ?? columns[index]!) ?? this.#names
  }

  begin(names: readonly string[], kind: TableKind): void {
    if (this.#isBound) {
      // Of several tables, those count that have the same columns as the first one that fits the call.
      this.#isSkipped = !this.#isSame(names)
      return
    }
    this.#names = names
    this.#columns = new ColumnPlaces(names)
    this.#places = undefined
    this.#where = undefined
    this.#resolve()
    if (kind === 'only') this.assertColumns()
    this.#isSkipped = kind === 'one of several' && this.#missing().length > 0
    this.#isBound = !this.#isSkipped
    if (this.#isSkipped && this.#otherNames.length < MOST_OTHER_NAMES) this.#otherNames.push(...names)
  }

  row(row: TableRow): void {
    if (this.isDone) return
    if (this.#isSkipped) {
      this.otherRows++
      return
    }
    if (this.#names.length !== this.#known) this.#resolve()
    this.rows++
    this.last = { number: this.rows, line: row.line }
    const where = this.#where
    if (where !== undefined) {
      const cell = where.place === undefined ? undefined : row.cell(where.place)
      if (!where.condition.holds(cell)) {
        if (this.matched === 0) this.#values.add(cell)
        return
      }
    }
    this.matched++
    const { skip, limit = Infinity, countOnly } = this.#request
    if (countOnly || this.#isFull || this.matched <= skip || this.#kept.length >= limit) return
    this.#keep(row)
  }

  /** Throw `unknown-column` where a column did not come that the call names. */
  assertColumns(): void {
    const [missing] = this.#missing()
    if (missing === undefined) return
    const names = this.#otherNames.length > 0 && !this.#isBound ? [...new Set(this.#otherNames)] : this.#names
    const closest = closestNames(missing, names, MOST_SUGGESTED)
    const meant = closest.length === 0 ? '' : ` Closest: ${closest.map((name) => quote(name)).join(', ')}.`
    throw new RetrievalError(
      'unknown-column',
      `The table has no column ${quote(missing)}.${meant} Its columns are ${listNames(names, LONGEST_LIST)}. A right call:`,
      { call: this.#repaired(names) },
    )
  }

  /** The call with the closest column in place of each that the table has not; without those that are like none. */
  #repaired(names: readonly string[]): RetrievalCall {
    const { reference, columns, where } = this.#request
    const places = new ColumnPlaces(names)
    const known = (name: string): string[] => (places.find(name) === undefined ? closestNames(name, names, 1) : [name])
    const condition = this.#where?.condition
    const [column] = condition === undefined ? [] : known(condition.column)
    const isSame = column === undefined || column === condition?.column
    const repaired = isSame ? undefined : `${writeName(column)}${condition?.rest}`
    const shown = columns?.slice(0, MOST_REPAIRED).flatMap(known)
    return {
      reference,
      columns: shown?.length === 0 ? names.slice(0, MOST_SUGGESTED) : shown,
      where: repaired ?? (column === undefined ? undefined : where),
    }
  }

  /** Say which values the column of the condition has. */
  describeValues(): string | undefined {
    const where = this.#where
    if (where?.place === undefined) return undefined
    return this.#values.describe(this.#names[where.place]!, where.condition.values)
  }

  #isSame(names: readonly string[]): boolean {
    return names.length === this.#names.length && names.every((name, index) => name === this.#names[index])
  }

  #missing(): string[] {
    const { columns = [] } = this.#request
    const missing = columns.filter((_, index) => this.#places?.[index] === undefined)
    const where = this.#where
    return where !== undefined && where.place === undefined ? [where.condition.column, ...missing] : missing
  }

  /** Find the columns that the call names among those that have come. */
  #resolve(): void {
    const { columns, where, reference } = this.#request
    this.#known = this.#names.length
    const placeOf = (name: string): number | undefined => this.#columns.find(name)
    if (columns !== undefined) this.#places = columns.map((name, index) => this.#places?.[index] ?? placeOf(name))
    if (where === undefined) return
    this.#where ??= { condition: parseCondition(where, this.#names, reference), place: undefined }
    this.#where.place ??= placeOf(this.#where.condition.column)
  }

  #keep(row: TableRow): void {
    const places = this.#places ?? Array.from({ length: row.cells }, (_, column) => column)
    const cells: SelectedCell[] = []
    for (const place of places) {
      const room = Math.min(LONGEST_CELL, Math.max(0, this.#options.keep - this.#units))
      const text = place === undefined ? undefined : row.cell(place)
      const length = place === undefined || text === undefined ? 0 : row.lengthOf(place)
      cells.push({ text: text === undefined ? undefined : detach(text.slice(0, room)), length })
      this.#units += Math.min(length, room) + 1
    }
    if (this.#kept.length > 0 && this.#units > this.#options.keep) {
      this.#isFull = true
      return
    }
    this.#kept.push({ number: this.rows, line: row.line, cells })
  }
}

/** Write names with commas between them, those in quotes that need them, as many as `most` UTF-16 units hold. */
export function listNames(names: readonly string[], most: number): string {
  let list = ''
  for (const [index, name] of names.entries()) {
    const next = `${index === 0 ? '' : ', '}${/^[\p{L}\p{N}_.-][\p{L}\p{N}_. -]*$/u.test(name) ? name : quote(name)}`
    if (list.length + next.length > most && index > 0) return `${list} and ${names.length - index} more`
    list += next
  }
  return list
}

/** Values that are told apart, at most. */
const MOST_VALUES = 1_000
const SHOWN_VALUES = 10
/** UTF-16 units of a value by which it is told from others, and of one that is shown. */
const LONGEST_VALUE = 200
const SHOWN_UNITS = 40

/** Sums up the values of a column, to say which there are where none was found. */
export class ColumnValues {
  readonly #counts = new Map<string, number>()
  #isFull = false
  #rows = 0
  #empty = 0
  #numbers = 0
  #times = 0
  #first: { readonly text: string; readonly order: number } | undefined
  #last: { readonly text: string; readonly order: number } | undefined

  add(cell: string | undefined): void {
    this.#rows++
    if (isNull(cell)) {
      this.#empty++
      return
    }
    const text = cell!.slice(0, LONGEST_VALUE).trim()
    const count = this.#counts.get(text)
    if (count !== undefined) {
      this.#counts.set(text, count + 1)
      if (!this.#isFull) return
    } else if (this.#counts.size < MOST_VALUES) this.#counts.set(detach(text), 1)
    else this.#isFull = true
    this.#range(text)
  }

  /** Say which values there are in one sentence, those that are like `wanted` first. */
  describe(name: string, wanted: readonly string[]): string {
    const column = quote(name)
    const empty = this.#empty === 0 ? '' : ` ${formatCount(this.#empty)} of its cells are empty.`
    if (this.#rows === this.#empty) return `${column} has no values: all cells are empty.`
    const range = this.#writeRange()
    const size = this.#counts.size
    const likes = wanted.map((text) => text.toLowerCase())
    const isLike = ([value]: readonly [string, number]): boolean =>
      likes.some((like) => value.toLowerCase() === like || (like.length > 2 && value.toLowerCase().includes(like)))
    const entries = [...this.#counts].toSorted((one, two) => two[1] - one[1])
    const alike = entries.filter(isLike)
    const ordered = [...alike, ...entries.filter((entry) => !alike.includes(entry))].slice(0, SHOWN_VALUES)
    const list = ordered
      .map(([value, count]) => `${quote(value, SHOWN_UNITS)}${this.#isFull ? '' : ` (${formatCount(count)})`}`)
      .join(', ')
    if (this.#isFull) {
      const values = `more than ${formatCount(MOST_VALUES)} values`
      return range === undefined
        ? `${column} has ${values}, such as ${list}.${empty}`
        : `${column} has ${values}, ${range}.${empty}`
    }
    if (size <= SHOWN_VALUES) return `${column} has ${size === 1 ? 'one value' : `these values`}: ${list}.${empty}`
    const which = `${formatCount(size)} values${range === undefined ? '' : `, ${range}`}`
    return `${column} has ${which}, ${alike.length > 0 ? 'such as' : 'most often'} ${list}.${empty}`
  }

  #range(text: string): void {
    const number = numberOf(text)
    const order = number ?? timeOf(text)
    if (order === undefined) return
    if (number === undefined) this.#times++
    else this.#numbers++
    if (this.#first === undefined || order < this.#first.order) this.#first = { text: detach(text), order }
    if (this.#last === undefined || order > this.#last.order) this.#last = { text: detach(text), order }
  }

  /** The least and the greatest value, where all of them are numbers, or all dates. */
  #writeRange(): string | undefined {
    if (this.#first === undefined || this.#last === undefined) return undefined
    const kind = this.#times === 0 ? 'numbers' : this.#numbers === 0 ? 'dates' : undefined
    if (kind === undefined) return undefined
    const others = [...this.#counts.keys()].some((value) => (numberOf(value) ?? timeOf(value)) === undefined)
    return others ? undefined : `from ${quote(this.#first.text, SHOWN_UNITS)} to ${quote(this.#last.text, SHOWN_UNITS)}`
  }
}

/** A checked call for rows of a table. */
export interface TableRequest {
  readonly mode: 'table'
  readonly reference: string
  /** Columns by name, in the order to show; absent for all. */
  readonly columns: readonly string[] | undefined
  /** A condition as the model wrote it, such as `status >= 500`; absent for all rows. */
  readonly where: string | undefined
  /** Rows to pass over. */
  readonly skip: number
  /** Rows to show, at most; absent for as many as fit. */
  readonly limit: number | undefined
  readonly countOnly: boolean
}
