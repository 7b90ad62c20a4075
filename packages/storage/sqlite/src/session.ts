import { DatabaseInUse, isExecuting, type SqliteDatabase, type SqliteStatement } from './sqlite-error.ts'

/** Largest number of content numbers to reserve at once. The number grows, so that few stores write the counter. */
const MAX_PORTION = 64

export class Session {
  readonly database: SqliteDatabase
  /** Whether another part of the program owns the connection. */
  readonly isShared: boolean
  readonly #statements = new Map<string, SqliteStatement>()
  #next = 0
  #end = 0
  #portion = 1

  constructor(database: SqliteDatabase, isShared: boolean) {
    this.database = database
    this.isShared = isShared
  }

  prepare(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.database.prepare(sql)
      // The owner may have made big integers the default. Statements without rows have no such setting.
      if (/^SELECT|RETURNING/.test(sql)) statement.safeIntegers(false)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  run(sql: string, ...parameters: unknown[]): number {
    return this.prepare(sql).run(...parameters).changes
  }

  /** Runs the statement to its end, because some errors occur only at the end. */
  get(sql: string, ...parameters: unknown[]): unknown {
    return this.prepare(sql).all(...parameters)[0]
  }

  all(sql: string, ...parameters: unknown[]): unknown[] {
    return this.prepare(sql).all(...parameters)
  }

  read<Result>(work: (session: Session) => Result): Result {
    return this.#withoutWaiting(() => work(this))
  }

  write<Result>(work: (session: Session) => Result): Result {
    // The owner's rollback would undo a write in its transaction.
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

  /** Throws if an open transaction or query of the owner may show an old snapshot. Content that is found is valid. */
  assertCurrent(): void {
    if (this.isShared && isHeld(this.database)) throw new DatabaseInUse()
  }

  #rollBack(): void {
    // The reserved numbers may be from this transaction, which SQLite may have rolled back.
    this.#next = this.#end
    if (this.database.inTransaction) this.run('ROLLBACK')
  }

  /** Returns an unused content number. Must be called in a transaction. */
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

  /** Turns off SQLite's own waiting, which would block the event loop. A shared connection gets its setting back. */
  #withoutWaiting<Result>(work: () => Result): Result {
    if (!this.isShared) return work()
    const timeout = busyTimeout(this.database)
    // The timeout cannot change while rows are read, and reads need no change.
    if (timeout === undefined || timeout === 0) return work()
    this.database.pragma('busy_timeout = 0')
    try {
      return work()
    } finally {
      this.database.pragma(`busy_timeout = ${timeout}`)
    }
  }
}

export const isHeld = (database: SqliteDatabase): boolean =>
  database.open && (database.inTransaction || busyTimeout(database) === undefined)

/** Returns `undefined` if the connection is in the middle of reading rows. */
function busyTimeout(database: SqliteDatabase): number | undefined {
  try {
    return Number(database.pragma('busy_timeout', { simple: true }))
  } catch (error) {
    if (!isExecuting(error)) throw error
    return undefined
  }
}
