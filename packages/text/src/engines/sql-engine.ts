/** Rows of one table, cell after cell, as UTF-8. */
export interface CellBatch {
  /** Index of the table. The first batch with a new index begins the table. */
  readonly table: number
  /** Names of the columns that earlier batches did not have. */
  readonly names: readonly string[]
  readonly bytes: Uint8Array
  /** For each cell of each row: -1 for NULL, otherwise twice its bytes, plus one if it must stay text. */
  readonly lengths: Int32Array
}

/** A column of a loaded table. */
export interface SqlColumn {
  readonly name: string
  readonly type: 'INTEGER' | 'REAL' | 'NUMERIC' | 'TEXT'
  /** Number of text cells in a numeric column. */
  readonly misfits: number
  /** The first of these cells, and its row. */
  readonly misfit?: string
  readonly misfitRow?: number
}

export interface SqlTable {
  readonly rows: number
  /** Root page of the table in the database. */
  readonly page: number
  readonly columns: readonly SqlColumn[]
}

/** The tables of one content, as a database in memory that workers share. */
export interface SqlDatabase {
  readonly id: number
  readonly bytes: Uint8Array<SharedArrayBuffer>
  readonly tables: readonly SqlTable[]
}

export interface SqlStatement {
  readonly sql: string
  readonly skip: number
  /** Maximum UTF-16 units of the returned rows; at least one row is returned. */
  readonly maxUnits: number
}

/** Rows returned by a statement. */
export interface SqlRows {
  readonly names: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** Rows of the whole result if `isCounted`, else the rows seen. */
  readonly count: number
  readonly isCounted: boolean
  /** Rows of each table that the statement reads. */
  readonly over: readonly number[]
}

export type SqlResult = SqlRows | { readonly error: string }

/** Limits of one call of the engine. */
export interface SqlLimits {
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  /** Identity of the caller; callers are served in turn. */
  readonly caller: unknown
}

/** Runs SQL over tables, in workers that are terminated at a deadline. */
export interface SqlEngine {
  /** Load the tables of a content. `readBatches` is called again if the first rows were not typical. */
  load(readBatches: () => AsyncIterable<CellBatch>, limits: SqlLimits): Promise<SqlDatabase>
  /**
   * Run one read-only statement. Rejects with an `IsolationError`. Tables are `t1`, `t2` and so on; of a single
   * database, `t` is the largest. Of several databases, each number is the largest table of one.
   */
  query(databases: readonly SqlDatabase[], statement: SqlStatement, limits: SqlLimits): Promise<SqlResult>
}

/** Return the index of the table with the most rows. */
export function largestTable(tables: readonly SqlTable[]): number {
  return tables.reduce((largest, { rows }, index) => (rows > tables[largest]!.rows ? index : largest), 0)
}
