import { join } from 'node:path'
import type { Storage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { RedisStorage } from '@spillway/redis'
import { SqliteStorage } from '@spillway/sqlite'

/** A backend, or the URL of a Redis server. */
export type StorageName = 'memory' | 'file' | 'sqlite' | `redis:${string}`

/** Open a storage that evicts nothing. Files are in a folder. */
export function openStorage(name: StorageName, folder: string): Storage {
  if (name === 'memory') return new InMemoryStorage({ evictAfterTurns: null, maxBytes: null })
  if (name === 'file') return new FileStorage(folder)
  return name === 'sqlite' ? new SqliteStorage(join(folder, 'results.db')) : new RedisStorage(name)
}
