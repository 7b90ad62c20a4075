import { errorCode, StorageError, type StorageErrorCode } from '@spillway/core/driver'

interface Explanation {
  readonly code: StorageErrorCode
  /** Explanation, in which `FILE` is replaced by the database. */
  readonly text: string
  readonly retryable?: boolean
}

const unavailable = (text: string): Explanation => ({ code: 'unavailable', text })
const READ_ONLY = unavailable(
  'FILE cannot be written: make it, its directory, and FILE-wal and FILE-shm if they are there, writable for this user.',
)

/**
 * Explanations by SQLite result code. An extended code without its own explanation gets the explanation of its prefix.
 */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  SQLITE_FULL: unavailable('The disk with FILE is full: free some space.'),
  SQLITE_IOERR: unavailable('The disk with FILE reports errors or is full: check it.'),
  SQLITE_READONLY: READ_ONLY,
  SQLITE_PERM: READ_ONLY,
  SQLITE_AUTH: READ_ONLY,
  SQLITE_CANTOPEN: unavailable(
    'FILE cannot be opened: it must be a file, readable and writable for this user, and so must its directory, where SQLite keeps FILE-wal and FILE-shm. If too many files are open, raise the limit (ulimit -n).',
  ),
  SQLITE_NOMEM: unavailable('SQLite has no memory left: store less at the same time.'),
  SQLITE_SCHEMA: unavailable('The tables of FILE keep being changed.'),
  SQLITE_ERROR: unavailable('The tables of FILE have an unexpected structure: restore FILE from a backup.'),
  SQLITE_CORRUPT: { code: 'corrupt', text: 'FILE is damaged: restore it from a backup, or move it away.' },
  SQLITE_NOTADB: {
    code: 'corrupt',
    text: 'FILE is not an SQLite database, or is damaged: choose another path, or restore it from a backup.',
  },
  SQLITE_TOOBIG: { code: 'too-large', text: 'The content exceeds the limit of SQLite.' },
}
const OTHER = unavailable('Try again; if it persists, check FILE.')

export function sqliteCode(error: unknown): string | undefined {
  const code = errorCode(error)
  return /^SQLITE_\w+$/.test(code) ? code : undefined
}

export function isBusy(error: unknown): boolean {
  if (error instanceof DatabaseInUse || error instanceof LogRemoved) return true
  const code = sqliteCode(error)
  if (code !== undefined) return /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(code)
  return isExecuting(error)
}

/** Whether the connection is executing a statement. better-sqlite3 has no code for this error. */
export const isExecuting = (error: unknown): boolean =>
  error instanceof TypeError && error.message.includes('busy executing a query')

/** The owner has an open transaction or query: a write could be rolled back, and reads may be stale. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
  constructor() {
    super('The Database that was passed to SqliteStorage has an open transaction or an unfinished query.')
  }
}

/** The log was removed while another connection may still use it. */
export class LogRemoved extends Error {
  override readonly name = 'LogRemoved'
  constructor(file: string) {
    super(
      `${file}-wal or ${file}-shm was removed while it was in use. Processes that use ${file} save their data when they next use or close it. If there is no such process, the content of ${file}-wal is lost: remove ${file}-shm to continue without it.`,
    )
  }
}

/** Converts an error of SQLite to one that explains the fix. Returns other errors unchanged. */
export function explainSqliteError(error: unknown, file: string, busyTimeoutMs: number): unknown {
  if (StorageError.isInstance(error)) return error
  if (error instanceof LogRemoved) return new StorageError('unavailable', error.message)
  const because = error instanceof Error ? error.message : String(error)
  if (isBusy(error))
    return new StorageError(
      'unavailable',
      `${file} was in use for longer than busyTimeoutMs (${busyTimeoutMs}): ${because}. Try again, or raise busyTimeoutMs.`,
      { cause: error },
    )
  if (error instanceof TypeError && error.message.includes('connection is not open'))
    return new StorageError('unavailable', `The Database that was passed to SqliteStorage, ${file}, was closed.`, {
      cause: error,
      retryable: false,
    })
  const code = sqliteCode(error)
  if (code === undefined) return isFileError(error) ? fileError(error, file) : error
  const explanation = EXPLANATIONS[code] ?? EXPLANATIONS[/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? ''] ?? OTHER
  return new StorageError(
    explanation.code,
    `${explanation.text.replaceAll('FILE', () => file)} (${code}: ${because})`,
    {
      cause: error,
    },
  )
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && /^E[A-Z0-9]+$/.test(String((error as NodeJS.ErrnoException).code))

function fileError(error: NodeJS.ErrnoException, file: string): StorageError {
  const tooMany = /^E[MN]FILE$/.test(error.code ?? '')
  const fix = tooMany ? 'Raise the limit of open files (ulimit -n).' : 'Choose another path, or correct this one.'
  return new StorageError('unavailable', `${file} cannot be opened: ${error.message}. ${fix}`, { cause: error })
}

/** The methods of a prepared statement that {@link SqliteStorage} uses. */
export interface SqliteStatement {
  run(...parameters: unknown[]): { readonly changes: number }
  get(...parameters: unknown[]): unknown
  all(...parameters: unknown[]): unknown[]
  safeIntegers(toggle?: boolean): unknown
}

/** The methods of better-sqlite3's `Database` that `SqliteStorage` uses. Its types need not be installed. */
export interface SqliteDatabase {
  readonly name: string
  readonly open: boolean
  readonly inTransaction: boolean
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  pragma(sql: string, options?: { readonly simple?: boolean }): unknown
  close(): unknown
}

export const isSqliteDatabase = (value: unknown): value is SqliteDatabase =>
  typeof value === 'object' && value !== null && typeof (value as Partial<SqliteDatabase>).prepare === 'function'
