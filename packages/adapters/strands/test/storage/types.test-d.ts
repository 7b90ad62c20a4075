/** Type tests of storages for Strands' own offloader. `tsc -p tsconfig.test.json` checks them. */
import type { Sandbox } from '@strands-agents/sdk/sandbox'
import type { Storage as StrandsStorage } from '@strands-agents/sdk/storage'
import type { ContextOffloaderConfig } from '@strands-agents/sdk/vended-plugins/context-offloader'
import { FileStorage, ShellFileSystem } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { PostgresStorage } from '@spillway/postgres'
import { RedisStorage } from '@spillway/redis'
import { S3Storage } from '@spillway/s3'
import { SqliteStorage } from '@spillway/sqlite'
import { expectTypeOf } from 'vitest'
import { strandsStorage, type KeyedStorage } from '../../src/storage/index.ts'

declare const sandbox: Sandbox

// The legacy form: storages and their scopes, unchanged.
for (const storage of [
  new InMemoryStorage(),
  new FileStorage(),
  new SqliteStorage('spillway.db'),
  new RedisStorage('redis://localhost'),
  new PostgresStorage('postgres://localhost/app'),
  new S3Storage('my-bucket'),
]) {
  expectTypeOf(storage).toExtend<ContextOffloaderConfig['storage']>()
  expectTypeOf(storage.scope('session-1')).toExtend<ContextOffloaderConfig['storage']>()
}

// The unified form: a storage of Strands, with its own methods.
const storage = strandsStorage(new InMemoryStorage())
const unified: StrandsStorage = storage
expectTypeOf(unified).toExtend<ContextOffloaderConfig['storage']>()
expectTypeOf<KeyedStorage['read']>().returns.toEqualTypeOf<Promise<Uint8Array | null>>()
expectTypeOf<KeyedStorage['namespace']>().returns.toEqualTypeOf<KeyedStorage>()
expectTypeOf<NonNullable<KeyedStorage['forSandbox']>>().parameters.toEqualTypeOf<[sandbox: Sandbox]>()

// One storage for each sandbox, whose shell can read the files.
strandsStorage((own) => {
  expectTypeOf(own).toEqualTypeOf<Sandbox>()
  return new FileStorage({ directory: '/artifacts', fileSystem: new ShellFileSystem(own) })
})
storage.forSandbox?.(sandbox)

// @ts-expect-error: a storage of Strands is not a storage of Spillway
strandsStorage(unified)
// @ts-expect-error: a path is not a storage
strandsStorage('./artifacts')
// @ts-expect-error: a number has no shell
export const wrong: ShellFileSystem = new ShellFileSystem(7)
