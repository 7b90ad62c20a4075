import { StorageError } from '@spillway/core/driver'
import type { SqliteDatabase } from './sqlite-database.ts'

/** How better-sqlite3 opens a file. */
export type OpenDatabase = (
  path: string,
  options: { readonly readonly: boolean; readonly timeout: number },
) => SqliteDatabase

/** Load better-sqlite3, which is only needed where a path is to be opened; `unavailable` where it is not installed. */
export async function loadBetterSqlite(): Promise<OpenDatabase> {
  try {
    const { default: Database } = await import('better-sqlite3')
    return (path, options) => new Database(path, options)
  } catch (cause) {
    throw new StorageError(
      'unavailable',
      'SqliteStorage needs the package better-sqlite3, which could not be loaded. Run: npm install better-sqlite3',
      { cause, retryable: false },
    )
  }
}
