/** A prepared statement, as far as {@link SqliteStorage} uses it. */
export interface SqliteStatement {
  run(...parameters: unknown[]): { readonly changes: number }
  get(...parameters: unknown[]): unknown
  all(...parameters: unknown[]): unknown[]
  safeIntegers(toggle?: boolean): unknown
}

/** The part of better-sqlite3's `Database` that `SqliteStorage` uses, so that its types need not be installed. */
export interface SqliteDatabase {
  readonly name: string
  readonly open: boolean
  readonly inTransaction: boolean
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  pragma(sql: string, options?: { readonly simple?: boolean }): unknown
  close(): unknown
}

/** Tell a database from an object of options. */
export const isSqliteDatabase = (value: unknown): value is SqliteDatabase =>
  typeof value === 'object' && value !== null && typeof (value as Partial<SqliteDatabase>).prepare === 'function'
