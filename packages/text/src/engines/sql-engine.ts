/** Rows of one table, cell after cell, as UTF-8. */
export interface CellBatch {
  /** Index of the table; the first batch with it begins the table. */
  readonly table: number
  /** Names of the columns that come in addition to those of earlier batches. */
  readonly names: readonly string[]
  readonly bytes: Uint8Array
  /** For each cell of each row: -1 for NULL, otherwise twice its bytes, plus one if it must stay text. */
  readonly lengths: Int32Array
}

/** A column of a loaded table. */
export interface SqlColumn {
  readonly name: string
  readonly type: 'INTEGER' | 'REAL' | 'NUMERIC' | 'TEXT'
  /** Cells of a column of numbers that are text. */
  readonly misfits: number
  /** The first of them, and its row. */
  readonly misfit?: string
  readonly misfitRow?: number
}

/** A loaded table. */
export interface SqlTable {
  readonly rows: number
  /** The page of the database on which it begins. */
  readonly page: number
  readonly columns: readonly SqlColumn[]
}

/** The tables of one content, as a database in memory that workers share. */
export interface SqlDatabase {
  readonly id: number
  readonly bytes: Uint8Array<SharedArrayBuffer>
  readonly tables: readonly SqlTable[]
}

/** A statement, and which of its rows are wanted. */
export interface SqlStatement {
  readonly sql: string
  /** Rows to pass over. */
  readonly skip: number
  /** UTF-16 units of rows to return, at most; one row is returned in any case. */
  readonly maxUnits: number
}

/** Rows that a statement returned. */
export interface SqlRows {
  readonly names: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** Rows of the whole result, if `isCounted`; else rows seen. */
  readonly count: number
  readonly isCounted: boolean
  /** Rows of each table that the statement reads. */
  readonly over: readonly number[]
}

/** Rows, or why a statement returned none. */
export type SqlResult = SqlRows | { readonly error: string }

/** Limits of one call of the engine. */
export interface SqlLimits {
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  /** Who calls: callers that wait are served in turn. */
  readonly caller: object
}

/** Runs SQL over tables, in workers that are ended at a deadline. */
export interface SqlEngine {
  /**
   * Load the tables of a content. `readBatches` is called again if the first rows were not typical of a column. Rejects
   * with an `IsolationError`, and with what reading throws.
   */
  load(readBatches: () => AsyncIterable<CellBatch>, limits: SqlLimits): Promise<SqlDatabase>
  /**
   * Run one statement that reads. The tables of a single database are `t`, or `t1`, `t2` and so on, of which `t` is the
   * largest; of several databases, `t1`, `t2` and so on are the largest tables of each. Rejects with an `IsolationError`.
   */
  query(databases: readonly SqlDatabase[], statement: SqlStatement, limits: SqlLimits): Promise<SqlResult>
}

/** Return the index of the table with most rows. */
export function largestTable(tables: readonly SqlTable[]): number {
  return tables.reduce((largest, { rows }, index) => (rows > tables[largest]!.rows ? index : largest), 0)
}
