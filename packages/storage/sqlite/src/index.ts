export { SqliteJournal } from './sqlite-journal.ts'
export type { SqliteDatabase, SqliteStatement } from './sqlite-error.ts'
export { SqliteStorage, type SqliteStorageOptions } from './sqlite-storage.ts'
