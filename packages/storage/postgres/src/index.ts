export type { PostgresClient, PostgresPool } from './connection.ts'
export { PostgresJournal, type PostgresJournalOptions } from './postgres-journal.ts'
export { PostgresStorage, type PostgresStorageOptions } from './postgres-storage.ts'
export { postgresSchema, type PostgresSchemaOptions } from './schema.ts'
