/** A row of a table, to be read before the next one comes: all rows may come in one object. */
export interface TableRow {
  /** Return what a cell says; `undefined` if the row has no such cell, or one that is null. */
  cell(column: number): string | undefined
  /** Return whether only the beginning of a cell was kept. */
  isCut?(column: number): boolean
  /** Return what the source says a cell is; `undefined` if only its text tells. */
  kindOf?(column: number): 'string' | 'boolean' | undefined
}

/** Takes the tables of a text and their rows in order. */
export interface TableSink {
  /** A table begins, whose columns are called so; rows may bring further columns, at the end of the same array. */
  begin(names: readonly string[]): void
  row(row: TableRow): void
}

/** Reads the rows of a text that comes in pieces of any size. */
export interface RowReader {
  push(text: string): void
  /** End the text, and return what is to be said of it in sentences; `undefined` where it is no table after all. */
  finish(): readonly string[] | undefined
}

/** Names that are told apart, at most: those that come later are left out. */
const MOST_COLUMNS = 10_000
/** UTF-16 units of a name, at most: a longer one is left out with its cells. */
const LONGEST_NAME = 1_000

/** Columns of rows that each name their own. */
export class GrowingColumns {
  readonly #places = new Map<string, number>()
  readonly #names: string[] = []

  /** The names so far, in the order in which they came; the array grows. */
  get names(): readonly string[] {
    return this.#names
  }

  /** Return the place of a column, a new one for a new name; `undefined` where there are too many, or it is too long. */
  place(name: string): number | undefined {
    const known = this.#places.get(name)
    if (known !== undefined) return known
    if (this.#names.length >= MOST_COLUMNS || name.length > LONGEST_NAME) return undefined
    this.#places.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }
}

/** UTF-16 units of a name, at most. */
const LONGEST_SHOWN = 200

/** What a column is called: what the header says, on one line, or its number where that says nothing. */
export function columnName(header: string, column: number): string {
  const name = header
    .slice(0, LONGEST_SHOWN)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return name === '' ? `column ${column + 1}` : name
}
