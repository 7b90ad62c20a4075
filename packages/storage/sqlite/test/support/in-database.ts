import Database from 'better-sqlite3'

/** Do something in a database through a connection of its own. */
export function inDatabase<Result>(path: string, work: (database: Database.Database) => Result): Result {
  const database = new Database(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
