import { existsSync, lstatSync, statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '@spillway/core'
import { loadBetterSqlite, type OpenDatabase } from './load-better-sqlite.ts'
import { openFile } from './open-file.ts'
import { Pace } from './pace.ts'
import { Patience } from './patience.ts'
import { migrate } from './schema.ts'
import { isHeld, Session } from './session.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { DatabaseInUse, explainSqliteError, sqliteCode } from './sqlite-error.ts'

/** How to get at the database. */
export interface ConnectionOptions {
  /** An absolute path, or a connection of somebody else. */
  readonly source: string | SqliteDatabase
  readonly busyTimeoutMs: number
  readonly fsync: boolean
}

/**
 * Reach the database: open its file at the first use, wait where other connections are in the way, notice when the file
 * is not there any more, and say in all failures what to do.
 */
export class Connection {
  readonly #options: ConnectionOptions
  /** Readers do not wait in line behind writers, who are not in their way. */
  readonly #reading: Patience
  readonly #writing: Patience
  #openDatabase: OpenDatabase | undefined
  #session: Session | undefined
  /** The file that is open or was last, whatever its path may lead to by now. */
  #file: Stats | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    const pace = new Pace()
    this.#reading = new Patience(options.busyTimeoutMs, pace)
    this.#writing = new Patience(options.busyTimeoutMs, pace)
  }

  /** Whether the connection is somebody else's. */
  get isShared(): boolean {
    return typeof this.#options.source !== 'string'
  }

  /** Whether the owner of a shared connection has a transaction or a query open, which writers wait for. */
  get isHeld(): boolean {
    const { source } = this.#options
    return typeof source !== 'string' && isHeld(source)
  }

  /** What writers throw in the end where {@link Connection.isHeld} stays. */
  heldError(): unknown {
    return this.#explained(new DatabaseInUse())
  }

  /** What the database is called in messages. */
  get name(): string {
    const { source } = this.#options
    return typeof source === 'string' ? source : source.name
  }

  /** Read something in one go; `undefined` where nothing has ever been stored. */
  async read<Result>(work: (session: Session) => Result): Promise<Result | undefined> {
    try {
      await this.#load()
      return await this.#reading.run(() => (this.#isNew() ? undefined : this.#current().read(work)))
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /** Write something in one transaction, from the start again where others were in the way. */
  async write<Result>(work: (session: Session) => Result): Promise<Result> {
    try {
      await this.#load()
      return await this.#writing.run(() => this.#current().write(work))
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /** Write something about what is there: where nothing has ever been stored, it is `undefined` and makes no file. */
  async change<Result>(work: (session: Session) => Result): Promise<Result | undefined> {
    try {
      if (this.#isNew()) return undefined
    } catch (error) {
      throw this.#failed(error)
    }
    return this.write(work)
  }

  /**
   * Let go of the file; the next use opens it again, and finds an outage where it is gone by then. A connection of somebody
   * else stays as it is.
   */
  close(): void {
    // Who is in the middle of writing to a connection of somebody else goes on.
    if (this.#session?.isShared === false) this.#letGo(this.#session)
  }

  async #load(): Promise<void> {
    if (typeof this.#options.source === 'string') this.#openDatabase ??= await loadBetterSqlite()
  }

  /** Whether there is no file yet. */
  #isNew(): boolean {
    const { source } = this.#options
    return this.#file === undefined && typeof source === 'string' && status(source) === undefined
  }

  #current(): Session {
    const { source } = this.#options
    if (typeof source !== 'string') return (this.#session ??= shared(source))
    const found = status(source)
    if (this.#session !== undefined && isSame(this.#file, found)) return this.#session
    if (this.#session !== undefined) this.#letGo(this.#session)
    // What was acknowledged lies in the file that is gone: going on with an empty one would make an outage a miss.
    if (this.#file !== undefined && found === undefined) throw goneError(source)
    return this.#open(source)
  }

  #letGo(session: Session): void {
    this.#session = undefined
    session.database.close()
  }

  #open(path: string): Session {
    if (this.#openDatabase === undefined) throw new Error('better-sqlite3 has not been loaded.')
    const database = openFile({ open: this.#openDatabase, path, fsync: this.#options.fsync })
    this.#file = statSync(path)
    return (this.#session = new Session(database, false))
  }

  #failed(error: unknown): unknown {
    // A file that could only be read when it was opened stays so for SQLite: the next use opens it again.
    if (this.#session?.isShared === false && sqliteCode(error)?.startsWith('SQLITE_READONLY') === true)
      this.#letGo(this.#session)
    return this.#explained(error)
  }

  #explained(error: unknown): unknown {
    return explainSqliteError(error, this.name, this.#options.busyTimeoutMs)
  }
}

/**
 * Return what a path leads to, `undefined` where there is nothing yet. Throws where a part of it is no directory, or a link
 * that leads nowhere, such as to a disk that is not there: what has been stored may be behind it.
 */
function status(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const link = brokenLink(path)
  if (link === undefined) return undefined
  throw new StorageError(
    'unavailable',
    `${path} cannot be opened: the link ${link} leads nowhere. Put back what it leads to, or remove the link.`,
  )
}

function brokenLink(path: string): string | undefined {
  // What is found first from behind is a link that leads nowhere, or the last directory that there is.
  let last = path
  while (lstatSync(last, { throwIfNoEntry: false }) === undefined && dirname(last) !== last) last = dirname(last)
  return existsSync(last) ? undefined : last
}

const isSame = (file: Stats | undefined, other: Stats | undefined): boolean =>
  file !== undefined && file.ino === other?.ino && file.dev === other.dev

function shared(database: SqliteDatabase): Session {
  const session = new Session(database, true)
  session.read(() => migrate(database))
  return session
}

const goneError = (path: string): StorageError =>
  new StorageError(
    'unavailable',
    `${path} was removed or moved while it was in use. Put it back, or begin anew with another SqliteStorage.`,
  )
