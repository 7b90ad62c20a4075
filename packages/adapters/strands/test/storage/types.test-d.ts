/** What the compiler must accept and refuse of storages for Strands' own offloader. `tsc -p tsconfig.test.json` checks it. */
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

// The legacy form: as they are, and scopes of them.
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

// The unified form: a storage of Strands, with methods of its own kind.
const storage = strandsStorage(new InMemoryStorage())
const unified: StrandsStorage = storage
expectTypeOf(unified).toExtend<ContextOffloaderConfig['storage']>()
expectTypeOf<KeyedStorage['read']>().returns.toEqualTypeOf<Promise<Uint8Array | null>>()
expectTypeOf<KeyedStorage['namespace']>().returns.toEqualTypeOf<KeyedStorage>()
expectTypeOf<NonNullable<KeyedStorage['forSandbox']>>().parameters.toEqualTypeOf<[sandbox: Sandbox]>()

// One for each sandbox, whose files a shell reaches.
strandsStorage((own) => {
  expectTypeOf(own).toEqualTypeOf<Sandbox>()
  return new FileStorage({ directory: '/artifacts', fileSystem: new ShellFileSystem(own) })
})
storage.forSandbox?.(sandbox)

// @ts-expect-error A storage of Strands is none of Spillway.
strandsStorage(unified)
// @ts-expect-error A path is no storage.
strandsStorage('./artifacts')
// @ts-expect-error A number is nothing that has a shell.
export const wrong: ShellFileSystem = new ShellFileSystem(7)
