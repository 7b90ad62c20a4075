export type { PostgresClient, PostgresPool } from './connection.ts'
export { PostgresStorage, type PostgresStorageOptions } from './postgres-storage.ts'
export { postgresSchema, type PostgresSchemaOptions } from './schema.ts'
