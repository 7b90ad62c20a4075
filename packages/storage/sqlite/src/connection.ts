import { resolve } from 'node:path'
import {
  DatabaseFiles,
  databaseId,
  findDatabase,
  loadBetterSqlite,
  migrate,
  openFile,
  replacedError,
  type OpenDatabase,
} from './open-file.ts'
import { isHeld, Session } from './session.ts'
import {
  DatabaseInUse,
  explainSqliteError,
  isBusy,
  isSqliteDatabase,
  LogRemoved,
  sqliteCode,
  type SqliteDatabase,
} from './sqlite-error.ts'

export interface ConnectionOptions {
  readonly source: string | SqliteDatabase
  readonly busyTimeoutMs: number
  readonly fsync: boolean
}

/** Returns an open database, or resolves the path of one. Throws `TypeError` for anything else. */
export function sourceOf(source: unknown): string | SqliteDatabase {
  if (isSqliteDatabase(source)) return source
  if (typeof source !== 'string' || source !== source.trim() || source === '' || source.includes('\0'))
    throw new TypeError(`path must be a file path without leading or trailing blanks, for example './spill.db'.`)
  if (source === ':memory:')
    throw new TypeError(`For content in memory use @spillway/memory, or pass a database: new Database(':memory:').`)
  if (/^(?:(?:file|sqlite):|~[\\/])/i.test(source)) throw new TypeError('path must not be a URL, or begin with ~.')
  return resolve(source)
}

/** Opens the file on first use, waits for other connections, detects a missing file, and explains failures. */
export class Connection {
  readonly #options: ConnectionOptions
  /** Waits for the database. Readers have their own queue, so that they do not wait for writers. */
  readonly #reading: ReturnType<typeof patience>
  readonly #writing: ReturnType<typeof patience>
  #openDatabase: OpenDatabase | undefined
  #session: Session | undefined
  #files: DatabaseFiles | undefined
  #id: string | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    const pace = new Pace()
    this.#reading = patience(options.busyTimeoutMs, pace)
    this.#writing = patience(options.busyTimeoutMs, pace)
  }

  get isShared(): boolean {
    return typeof this.#options.source !== 'string'
  }

  /**
   * Whether the owner of a shared connection has an open transaction or query. Writers wait until the transaction or
   * query ends.
   */
  get isHeld(): boolean {
    const { source } = this.#options
    return typeof source !== 'string' && isHeld(source)
  }

  heldError(): unknown {
    return this.#explained(new DatabaseInUse())
  }

  get name(): string {
    const { source } = this.#options
    return typeof source === 'string' ? source : source.name
  }

  /** Returns `undefined` if nothing was stored so far. */
  async read<Result>(work: (session: Session) => Result): Promise<Result | undefined> {
    try {
      await this.#load()
      return await this.#reading(() => (this.#isNew() ? undefined : this.#current().read(work)))
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /** If another connection blocks the transaction, the whole transaction is repeated. */
  async write<Result>(work: (session: Session) => Result): Promise<Result> {
    try {
      await this.#load()
      const result = await this.#writing(() => this.#current().write(work))
      this.#secure()
      return result
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /** Returns `undefined` if nothing was stored so far. No file is created then. */
  async change<Result>(work: (session: Session) => Result): Promise<Result | undefined> {
    try {
      if (this.#isNew()) return undefined
    } catch (error) {
      throw this.#failed(error)
    }
    return this.write(work)
  }

  /** Closes the file. The next use opens it again, and detects a missing file. A shared connection stays open. */
  close(): void {
    // A writer on a shared connection continues.
    if (this.#session?.isShared === false) this.#letGo(this.#session)
  }

  async #load(): Promise<void> {
    if (typeof this.#options.source === 'string') this.#openDatabase ??= await loadBetterSqlite()
  }

  #isNew(): boolean {
    const { source } = this.#options
    return this.#files === undefined && typeof source === 'string' && findDatabase(source) === undefined
  }

  #current(): Session {
    const { source } = this.#options
    if (typeof source !== 'string') return (this.#session ??= shared(source))
    this.#secure()
    return (this.#session ??= this.#open(source))
  }

  /** Throws `unavailable` if the files were removed or renamed, because entries would seem to be missing. */
  #secure(): void {
    const [files, session] = [this.#files, this.#session]
    files?.assertInPlace(() => {
      if (session !== undefined && databaseId(session.database) !== this.#id) throw replacedError(this.name)
    })
    if (files === undefined || session === undefined) return
    if (files.hasLostLog()) this.#rescueLog(session)
  }

  /** If the log or its index was removed, writes the log back to the database, and closes the connection. */
  #rescueLog(session: Session): void {
    const [{ busy }] = session.database.pragma('wal_checkpoint(TRUNCATE)') as [{ readonly busy: number }]
    if (busy !== 0) throw new LogRemoved(this.name)
    this.#letGo(session)
  }

  #letGo(session: Session): void {
    this.#session = undefined
    session.database.close()
  }

  #open(path: string): Session {
    if (this.#openDatabase === undefined) throw new Error('better-sqlite3 has not been loaded.')
    findDatabase(path)
    const database = openFile({ open: this.#openDatabase, path, fsync: this.#options.fsync })
    try {
      const id = databaseId(database)
      if (id !== (this.#id ??= id)) throw replacedError(path)
      this.#files = new DatabaseFiles(path)
      return new Session(database, false)
    } catch (error) {
      database.close()
      throw error
    }
  }

  #failed(error: unknown): unknown {
    // If a file was read-only when it was opened, SQLite cannot write to it until the file is opened again.
    if (this.#session?.isShared === false && sqliteCode(error)?.startsWith('SQLITE_READONLY') === true)
      this.#letGo(this.#session)
    return this.#explained(error)
  }

  #explained(error: unknown): unknown {
    return explainSqliteError(error, this.name, this.#options.busyTimeoutMs)
  }
}

function shared(database: SqliteDatabase): Session {
  const session = new Session(database, true)
  session.read(() => migrate(database))
  return session
}

const PAUSES_MS: readonly number[] = [1, 1, 2, 4, 8, 16]

/** Repeats work that another connection blocks. Only the first waiting task is active. */
function patience(timeoutMs: number, pace: Pace) {
  let line: Promise<unknown> = Promise.resolve()
  let waiting = 0

  /** If `work` throws, it must have changed nothing. Throws the busy error after the timeout. */
  async function run<Result>(work: () => Result): Promise<Result> {
    const deadline = performance.now() + timeoutMs
    if (waiting === 0 && !pace.isDue)
      try {
        return pace.run(work)
      } catch (error) {
        if (!isBusy(error)) throw error
      }
    waiting += 1
    const result = line.then(() => persist(work, deadline))
    line = Promise.allSettled([result])
    try {
      return await result
    } finally {
      waiting -= 1
    }
  }

  async function persist<Result>(work: () => Result, deadline: number): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      if (pace.isDue) await pace.rest()
      try {
        return pace.run(work)
      } catch (error) {
        const left = deadline - performance.now()
        if (!isBusy(error) || left <= 0) throw error
        const longest = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 1
        const pause = Math.min(left, longest * (0.5 + Math.random() / 2))
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }

  return run
}

const MAX_WORK_MS = 10

/** Yields to the event loop regularly, because calls of better-sqlite3 are synchronous. */
class Pace {
  #worked = 0

  run<Result>(work: () => Result): Result {
    const begun = performance.now()
    try {
      return work()
    } finally {
      this.#worked += performance.now() - begun
    }
  }

  get isDue(): boolean {
    return this.#worked > MAX_WORK_MS
  }

  async rest(): Promise<void> {
    this.#worked = 0
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
