/** Rows of a table, cell after cell, as UTF-8. */
export interface CellBatch {
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

/** A table as a database in memory that workers share. */
export interface SqlTable {
  readonly id: number
  readonly database: Uint8Array<SharedArrayBuffer>
  readonly rows: number
  readonly columns: readonly SqlColumn[]
}

/** A statement, and which of its rows are wanted. */
export interface SqlStatement {
  readonly sql: string
  /** Rows to pass over. */
  readonly skip: number
  /** UTF-16 units of rows to return, at most; one row is returned in any case. */
  readonly maxUnits: number
}

/** Rows that a statement returned, or why it did not. */
export type SqlResult =
  | {
      readonly names: readonly string[]
      readonly rows: readonly (readonly (string | null)[])[]
      /** Rows of the whole result, if `isCounted`; else rows seen. */
      readonly count: number
      readonly isCounted: boolean
    }
  | { readonly error: string }

/** Runs SQL over tables, in workers that are ended at a deadline. */
export interface SqlEngine {
  /**
   * Load a table. `readBatches` is called again if the first rows were not typical of a column. Rejects with an
   * `IsolationError`, and with what reading throws.
   */
  load(readBatches: () => AsyncIterable<CellBatch>, deadlineMs: number, signal?: AbortSignal): Promise<SqlTable>
  /** Run one statement that reads: over `t`, or over `t1`, `t2` and so on. Rejects with an `IsolationError`. */
  query(
    tables: readonly SqlTable[],
    statement: SqlStatement,
    deadlineMs: number,
    signal?: AbortSignal,
  ): Promise<SqlResult>
}
