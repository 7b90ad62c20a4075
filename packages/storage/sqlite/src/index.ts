export type { SqliteDatabase, SqliteStatement } from './sqlite-database.ts'
export { SqliteStorage, type SqliteStorageOptions } from './sqlite-storage.ts'
