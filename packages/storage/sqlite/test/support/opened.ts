import { onTestFinished } from 'vitest'
import { SqliteStorage, type SqliteStorageOptions } from '../../src/index.ts'

/** Open a storage that is closed when the test ends. */
export function opened(options: string | SqliteStorageOptions): SqliteStorage {
  const storage = new SqliteStorage(options)
  onTestFinished(() => storage.close())
  return storage
}
