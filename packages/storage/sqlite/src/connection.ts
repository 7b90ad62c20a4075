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
  LogRemoved,
  sqliteCode,
  type SqliteDatabase,
} from './sqlite-error.ts'

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
  /** The files that are open or were last, whatever their paths may lead to by now, and the id of their database. */
  #files: DatabaseFiles | undefined
  #id: string | undefined

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
      const result = await this.#writing.run(() => this.#current().write(work))
      this.#secure()
      return result
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
    return this.#files === undefined && typeof source === 'string' && findDatabase(source) === undefined
  }

  #current(): Session {
    const { source } = this.#options
    if (typeof source !== 'string') return (this.#session ??= shared(source))
    this.#secure()
    return (this.#session ??= this.#open(source))
  }

  /**
   * Make sure that everything acknowledged is in files that still have their names. Throws `unavailable` if it is not:
   * going on with other files would turn an outage into a miss.
   */
  #secure(): void {
    const [files, session] = [this.#files, this.#session]
    files?.assertInPlace(() => {
      if (session !== undefined && databaseId(session.database) !== this.#id) throw replacedError(this.name)
    })
    if (files === undefined || session === undefined) return
    if (files.hasLostLog()) this.#rescueLog(session)
  }

  /** Bring a log that has lost its name, or whose index has, into the file, and let go of it. */
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
    // A file that could only be read when it was opened stays so for SQLite: the next use opens it again.
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

/** Pauses between tries, in milliseconds; the last one is repeated. */
const PAUSES_MS: readonly number[] = [1, 1, 2, 4, 8, 16]

/**
 * Do work that another connection may be in the way of, again and again, without holding the event loop meanwhile.
 *
 * Those who wait stand in line, so that one of them asks for all: many that ask at the same time would keep each other
 * from getting through. Whoever comes when others of the event loop are due stands there too, so that each rests before
 * the next one goes on.
 */
class Patience {
  readonly #timeoutMs: number
  readonly #pace: Pace
  #line: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(timeoutMs: number, pace: Pace) {
    this.#timeoutMs = timeoutMs
    this.#pace = pace
  }

  /** Run `work`, which must have no effect where it throws; what keeps it busy beyond the timeout is thrown. */
  async run<Result>(work: () => Result): Promise<Result> {
    const deadline = performance.now() + this.#timeoutMs
    if (this.#waiting === 0 && !this.#pace.isDue)
      try {
        return this.#pace.run(work)
      } catch (error) {
        if (!isBusy(error)) throw error
      }
    this.#waiting += 1
    const result = this.#line.then(() => this.#persist(work, deadline))
    this.#line = Promise.allSettled([result])
    try {
      return await result
    } finally {
      this.#waiting -= 1
    }
  }

  async #persist<Result>(work: () => Result, deadline: number): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#pace.isDue) await this.#pace.rest()
      try {
        return this.#pace.run(work)
      } catch (error) {
        const left = deadline - performance.now()
        if (!isBusy(error) || left <= 0) throw error
        const longest = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 1
        const pause = Math.min(left, longest * (0.5 + Math.random() / 2))
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }
}

/** How long to work before others get a turn, in milliseconds. */
const MAX_WORK_MS = 10

/**
 * Give others a turn of the event loop once in a while: better-sqlite3 answers at once, so that a row of calls would
 * otherwise go on without one, however long it is.
 */
class Pace {
  #worked = 0

  /** Run some work and count how long it takes. */
  run<Result>(work: () => Result): Result {
    const begun = performance.now()
    try {
      return work()
    } finally {
      this.#worked += performance.now() - begun
    }
  }

  /** Whether others are due. */
  get isDue(): boolean {
    return this.#worked > MAX_WORK_MS
  }

  /** Let others have their turn. */
  async rest(): Promise<void> {
    this.#worked = 0
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
