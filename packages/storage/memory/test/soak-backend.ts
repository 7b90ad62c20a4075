/** What soaks need to open memory storages: one for each process. */
import type { ManagedStorageOptions } from '@spillway/core'
import type { Backend } from '@spillway-internal/storage-suite'
import { InMemoryStorage } from '../src/index.ts'

/** Describe memory, of which there is nothing to say. */
export const memoryBackend: Backend<null> = { module: new URL(import.meta.url), config: null }

/** Open a storage of its own. */
export function open(_config: null, options: ManagedStorageOptions): InMemoryStorage {
  return new InMemoryStorage(options)
}
