/** Opens memory storages for soak tests, one for each process. */
import type { ManagedStorageOptions } from '@spillway/core'
import type { Backend } from '@spillway-internal/storage-suite'
import { InMemoryStorage } from '../src/index.ts'

/** Backend of memory storages, which need no configuration. */
export const memoryBackend: Backend<null> = { module: new URL(import.meta.url), config: null }

/** Open a new storage. */
export function open(_config: null, options: ManagedStorageOptions): InMemoryStorage {
  return new InMemoryStorage(options)
}
