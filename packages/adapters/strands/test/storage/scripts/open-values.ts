/** Opens the values that several processes share. */
import { FileStorage } from '@spillway/file'
import { SqliteStorage } from '@spillway/sqlite'
import { strandsStorage, type KeyedStorage } from '../../../src/storage/index.ts'

export const openValues = (kind: string, path: string): KeyedStorage =>
  strandsStorage(kind === 'file' ? new FileStorage(path) : new SqliteStorage(path))
