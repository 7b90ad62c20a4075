import type { ManagedStorage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A storage for the tests of one file. */
export interface TestStorage {
  readonly storage: ManagedStorage
  readonly dispose: () => Promise<void>
}

/** The storages that the file system is tested on, by name. */
export const STORAGES: Readonly<Record<string, () => Promise<TestStorage>>> = {
  memory: async () => ({ storage: new InMemoryStorage({ evictAfterTurns: null }), dispose: async () => undefined }),
  file: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'deepagents-'))
    return { storage: new FileStorage(directory), dispose: () => rm(directory, { recursive: true }) }
  },
}
