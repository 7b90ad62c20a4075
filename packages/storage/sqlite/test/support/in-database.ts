import Database from 'better-sqlite3'

/** Run `work` on a database through a separate connection. */
export function inDatabase<Result>(path: string, work: (database: Database.Database) => Result): Result {
  const database = new Database(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
