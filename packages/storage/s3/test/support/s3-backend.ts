/** Opens storages in a bucket from other processes, for soak tests and the conformance suite. */
import type { StoredInfo } from '@spillway/core'
import { createStorage, type ManagedStorage, type ManagedStorageOptions } from '@spillway/core/driver'
import type { Backend } from '@spillway-internal/storage-suite'
import type { S3StorageOptions } from '../../src/index.ts'
import { S3Connection } from '../../src/s3-connection.ts'
import { s3Driver } from '../../src/s3-storage.ts'
import { resolveOptions } from '../../src/s3-storage-options.ts'
import { keysOf } from './test-bucket.ts'

/** S3 cannot compare and delete in one step, so an entry that is stored again may be lost. */
export const losesRevived = true

interface Config {
  readonly options: S3StorageOptions
  readonly partBytes: number
}

/** Describe the storage with these options. Uploads have parts of `partBytes`, even below the minimum of S3. */
export function s3Backend(options: S3StorageOptions, partBytes: number): Backend<Config> {
  return { module: new URL(import.meta.url), config: { options, partBytes } }
}

/** Open one more storage. */
export function open({ options, partBytes }: Config, managed: ManagedStorageOptions): ManagedStorage {
  const { connection, prefix, conditionalPut } = resolveOptions(options, 'S3Storage')
  const driver = s3Driver({ connection: new S3Connection(connection), prefix, conditionalPut, partBytes })
  return createStorage(driver, managed)
}

/** Find objects and unfinished uploads that belong to no entry. */
export async function residue({ options }: Config, entries: readonly StoredInfo[]): Promise<readonly string[]> {
  const { connection, prefix } = resolveOptions(options, 'S3Storage')
  const reached = new S3Connection(connection)
  try {
    const keys = await reached.use(async (client) => keysOf(client, connection.bucket, `${prefix}/`))
    const siblings = keys.filter((key) => key.startsWith(`${prefix}/.index/`))
    const others = keys.length - siblings.length - entries.length
    const orphans = siblings.filter((key) => !keys.includes(key.replace('.index/', '').replace(/\.[^.]*$/, '')))
    const problems = orphans.map((key) => `${key} belongs to no entry`)
    return others === 0 ? problems : [...problems, `${others} objects or uploads more than entries`]
  } finally {
    reached.close()
  }
}
