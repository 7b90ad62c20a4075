import { DatabaseInUse, isExecuting, type SqliteDatabase, type SqliteStatement } from './sqlite-error.ts'

/** Content numbers are taken in portions, so that not every store has to write the counter; they grow up to this. */
const MAX_PORTION = 64

/** An open database: its prepared statements, transactions, and the content numbers that were set aside for it. */
export class Session {
  readonly database: SqliteDatabase
  /** Whether the connection belongs to somebody else, who uses it too. */
  readonly isShared: boolean
  readonly #statements = new Map<string, SqliteStatement>()
  #next = 0
  #end = 0
  #portion = 1

  constructor(database: SqliteDatabase, isShared: boolean) {
    this.database = database
    this.isShared = isShared
  }

  /** Return a statement that was prepared once, and gives numbers as numbers. */
  prepare(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.database.prepare(sql)
      // The owner of a shared connection may have made big integers the default; of some statements nothing is read.
      if (/^SELECT|RETURNING/.test(sql)) statement.safeIntegers(false)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** Run a statement; return how many rows it changed. */
  run(sql: string, ...parameters: unknown[]): number {
    return this.prepare(sql).run(...parameters).changes
  }

  /** Return the first row. The statement runs to its end, since its failure may show there only. */
  get(sql: string, ...parameters: unknown[]): unknown {
    return this.prepare(sql).all(...parameters)[0]
  }

  all(sql: string, ...parameters: unknown[]): unknown[] {
    return this.prepare(sql).all(...parameters)
  }

  /** Read something, without waiting where another connection is in the way. */
  read<Result>(work: (session: Session) => Result): Result {
    return this.#withoutWaiting(() => work(this))
  }

  /** Write something in one transaction that holds the database from its beginning. */
  write<Result>(work: (session: Session) => Result): Result {
    // What would be written into a transaction of somebody else could be rolled back with it.
    if (this.isShared && this.database.inTransaction) throw new DatabaseInUse()
    return this.#withoutWaiting(() => {
      let isDone = false
      try {
        this.run('BEGIN IMMEDIATE')
        const result = work(this)
        this.run('COMMIT')
        isDone = true
        return result
      } finally {
        if (!isDone) this.#rollBack()
      }
    })
  }

  /**
   * Throw where what is read now may be old: while the owner of a shared connection has a transaction or a query open, it
   * shows what was there when that began. What is found is still right, since content does not change.
   */
  assertCurrent(): void {
    if (this.isShared && isHeld(this.database)) throw new DatabaseInUse()
  }

  #rollBack(): void {
    // The portion may have been taken in this transaction, which SQLite itself may have rolled back already.
    this.#next = this.#end
    if (this.database.inTransaction) this.run('ROLLBACK')
  }

  /** Return a number for new content, which no other content has or will have; call it in a transaction. */
  nextContent(): number {
    if (this.#next === this.#end) {
      const sql = 'UPDATE spillway_schema SET next_content = next_content + ? RETURNING next_content'
      const { next_content } = this.get(sql, this.#portion) as { readonly next_content: number }
      this.#end = next_content
      this.#next = next_content - this.#portion
      this.#portion = Math.min(MAX_PORTION, 2 * this.#portion)
    }
    return this.#next++
  }

  /** Do without SQLite's own way of waiting, which would hold the event loop; a shared connection keeps its setting. */
  #withoutWaiting<Result>(work: () => Result): Result {
    if (!this.isShared) return work()
    const timeout = busyTimeout(this.database)
    // While rows are being read nothing can be set, and reading has no need of it: it goes on as the query has begun.
    if (timeout === undefined || timeout === 0) return work()
    this.database.pragma('busy_timeout = 0')
    try {
      return work()
    } finally {
      this.database.pragma(`busy_timeout = ${timeout}`)
    }
  }
}

/** Whether the owner of a connection has a transaction of his own open, or is reading rows. */
export const isHeld = (database: SqliteDatabase): boolean =>
  database.open && (database.inTransaction || busyTimeout(database) === undefined)

/** How long a connection waits by itself; `undefined` where it does not say, since rows are being read through it. */
function busyTimeout(database: SqliteDatabase): number | undefined {
  try {
    return Number(database.pragma('busy_timeout', { simple: true }))
  } catch (error) {
    if (!isExecuting(error)) throw error
    return undefined
  }
}
