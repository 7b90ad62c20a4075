/** Rows of one table as UTF-8, cell by cell. */
export interface CellBatch {
  /** Index of the table. The first batch with a new index starts the table. */
  readonly table: number
  /** Names of new columns, which earlier batches did not have. */
  readonly names: readonly string[]
  readonly bytes: Uint8Array
  /** For each cell -1 for NULL, otherwise twice its number of bytes, plus 1 if the cell must be read as text. */
  readonly lengths: Int32Array
}

/** A column of a loaded table. */
export interface SqlColumn {
  readonly name: string
  readonly type: 'INTEGER' | 'REAL' | 'NUMERIC' | 'TEXT'
  /** Number of cells in a numeric column that contain text. */
  readonly misfits: number
  /** The first cell with text, and the number of its row. */
  readonly misfit?: string
  readonly misfitRow?: number
  /** The longest short cell with text, which shows the most of the column's notation. */
  readonly sample?: string
  /** Whether most cells are numbers, even if the column is text. */
  readonly isMixed?: boolean
}

export interface SqlTable {
  readonly rows: number
  /** Root page of the table in the database. */
  readonly page: number
  readonly columns: readonly SqlColumn[]
}

/** The tables of one content as a database in shared memory, which all workers can read. */
export interface SqlDatabase {
  readonly id: number
  readonly bytes: Uint8Array<SharedArrayBuffer>
  readonly tables: readonly SqlTable[]
}

export interface SqlStatement {
  readonly sql: string
  readonly skip: number
  /** Largest number of UTF-16 units in all returned rows. At least one row is returned. */
  readonly maxUnits: number
}

export interface SqlRows {
  readonly names: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** Number of rows in the whole result if `isCounted`, otherwise the number of rows that were read. */
  readonly count: number
  readonly isCounted: boolean
  /** Number of rows of each table that the statement reads. */
  readonly over: readonly number[]
}

export type SqlResult = SqlRows | { readonly error: string }

/** Limits of one call of the engine. */
export interface SqlLimits {
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  readonly caller: unknown
}

/** Runs SQL over tables in workers. The workers are terminated at a deadline. */
export interface SqlEngine {
  /** Load the tables of a content. If types guessed from the first rows are wrong, `readBatches` is called again. */
  load(readBatches: () => AsyncIterable<CellBatch>, limits: SqlLimits): Promise<SqlDatabase>
  /**
   * Run one read-only statement. Rejects with an `IsolationError`. The tables of a single database are called `t1`,
   * `t2` and so on, and its largest table is also called `t`. If there are several databases, each number is the
   * largest table of one database.
   */
  query(databases: readonly SqlDatabase[], statement: SqlStatement, limits: SqlLimits): Promise<SqlResult>
}

export function largestTable(tables: readonly SqlTable[]): number {
  return tables.reduce((largest, { rows }, index) => (rows > tables[largest]!.rows ? index : largest), 0)
}
