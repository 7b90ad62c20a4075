/** A row of a table, which is valid only until the next row. */
export interface TableRow {
  /** Return the value of a cell. Columns count from 0. Returns `undefined` if the cell is missing or null. */
  cell(column: number): string | undefined
  /** Return the declared kind of a cell. Returns `undefined` if only the text can show the kind. */
  kindOf?(column: number): 'string' | 'boolean' | undefined
}

/** Receives the tables of a text and their rows in order. */
export interface TableSink {
  /** Start a table with these column names. Names may be added to the array while rows are read. */
  begin(names: readonly string[]): void
  row(row: TableRow): void
}

/** Reads the rows of a text that is passed in chunks of any size. */
export interface RowReader {
  push(text: string): void
  /** End the text, and return remarks as sentences. Returns `undefined` if the text is not a table. */
  finish(): readonly string[] | undefined
}

const MOST_COLUMNS = 10_000
/** Longest column name in UTF-16 units. Columns with longer names are ignored. */
const LONGEST_NAME = 1_000

export class GrowingColumns {
  readonly #places = new Map<string, number>()
  readonly names: string[] = []

  /** Return the index of a column. Adds the column if it is new. Returns `undefined` if a limit is exceeded. */
  place(name: string): number | undefined {
    const known = this.#places.get(name)
    if (known !== undefined) return known
    if (this.names.length >= MOST_COLUMNS || name.length > LONGEST_NAME) return undefined
    this.#places.set(name, this.names.length)
    return this.names.push(name) - 1
  }
}

const LONGEST_SHOWN = 200

export function columnName(header: string, column: number): string {
  const name = header
    .slice(0, LONGEST_SHOWN)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return name === '' ? `column ${column + 1}` : name
}
