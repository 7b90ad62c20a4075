import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { known } from '../../report/known.ts'
import { PEERS } from '../../speed/lib.mjs'
import type { Place } from '../place.ts'
import { s3Client } from '../s3-client.ts'
import type { Subject } from './subject.ts'

const FOLDER = join(PEERS, 'storage')
const STRANDS = 'node_modules/@strands-agents/sdk/dist/src/storage'

/** Whether setup.sh has installed the peers. */
export const hasPeers = (): boolean => existsSync(join(FOLDER, 'node_modules/unstorage'))
/** Whether setup.sh has also compiled the driver of `@keyv/sqlite`. */
export const hasKeyvSqlite = (): boolean => existsSync(join(FOLDER, 'node_modules/sqlite3/build/Release'))

/** The methods of unstorage that are used here. */
interface Unstorage {
  setItemRaw(key: string, value: Uint8Array): Promise<void>
  getItemRaw(key: string): Promise<Uint8Array>
  clear(): Promise<void>
  dispose(): Promise<void>
}

/** The methods of Keyv that are used here. */
interface Keyv {
  set(key: string, value: Uint8Array): Promise<unknown>
  get(key: string): Promise<Uint8Array>
  clear(): Promise<void>
  disconnect(): Promise<void>
}

/** The methods of Strands' storages that are used here. */
interface StrandsStorage {
  write(key: string, value: Uint8Array): Promise<void>
  read(key: string): Promise<Uint8Array>
  delete(key: string): Promise<void>
}

type Create<Options, Made> = (options: Options) => Made
type Class<Made> = new (...options: readonly unknown[]) => Made

/** unstorage with one of its drivers. */
export async function unstorage(driver: string, options: object): Promise<Subject> {
  const { createStorage } = await peer<{ createStorage: Create<{ driver: unknown }, Unstorage> }>('unstorage')
  const made = await peer<{ default: Create<object, unknown> }>(`unstorage/drivers/${driver}`)
  const storage = createStorage({ driver: made.default(options) })
  return {
    store: async (key, bytes) => {
      await storage.setItemRaw(key, bytes)
      return key
    },
    retrieve: (key) => storage.getItemRaw(key),
    clear: () => storage.clear(),
    close: () => storage.dispose(),
  }
}

/** unstorage with SQLite. */
export async function unstorageSqlite({ directory }: Place): Promise<Subject> {
  const { createDatabase } = await peer<{ createDatabase: Create<unknown, unknown> }>('db0')
  const connector = await peer<{ default: Create<object, unknown> }>('db0/connectors/better-sqlite3')
  const database = createDatabase(connector.default({ path: join(directory, 'unstorage.db') }))
  return unstorage('db0', { database })
}

/** Keyv with one of its stores. */
export async function keyv(store: unknown): Promise<Subject> {
  const { Keyv } = await peer<{ Keyv: Class<Keyv> }>('keyv')
  const storage = new Keyv(store === undefined ? {} : { store })
  return {
    store: async (key, bytes) => {
      await storage.set(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      return key
    },
    retrieve: (key) => storage.get(key),
    clear: () => storage.clear(),
    close: () => storage.disconnect(),
  }
}

/** Keyv with Redis. */
export async function keyvRedis({ redis, prefix }: Place): Promise<Subject> {
  const { default: module } = await peer<{ default: { default: Class<unknown> } }>('@keyv/redis')
  return keyv(new module.default(redis, { namespace: prefix }))
}

/** Keyv with SQLite. */
export async function keyvSqlite({ directory }: Place): Promise<Subject> {
  const { KeyvSqlite } = await peer<{ KeyvSqlite: Class<unknown> }>('@keyv/sqlite')
  return keyv(new KeyvSqlite(`sqlite://${join(directory, 'keyv.db')}`))
}

/** The storage of Strands in memory. */
export const strandsMemory = async (): Promise<Subject> =>
  strands(new (await strandsModule<'InMemoryStorage'>('in-memory-storage.js')).InMemoryStorage())

/** The storage of Strands in files. */
export async function strandsFile({ directory }: Place): Promise<Subject> {
  const { LocalFileStorage } = await strandsModule<'LocalFileStorage'>('local-file-storage.js')
  return strands(new LocalFileStorage(directory))
}

/** The storage of Strands in S3. */
export async function strandsS3({ s3, prefix }: Place): Promise<Subject> {
  const { S3Storage } = await strandsModule<'S3Storage'>('s3-storage.js')
  return strands(new S3Storage(s3?.bucket, { s3Client: s3Client(known(s3)), prefix }))
}

function strands(storage: StrandsStorage): Subject {
  const keys: string[] = []
  return {
    store: async (key, bytes) => {
      // The bytes are a plain `Uint8Array`, as in Strands' plugin. The storage would not copy a `Buffer`.
      await storage.write(key, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      keys.push(key)
      return key
    },
    retrieve: (key) => storage.read(key),
    clear: async () => {
      for (const key of keys.splice(0)) await storage.delete(key)
    },
  }
}

const require = createRequire(join(FOLDER, 'package.json'))

async function peer<Module>(name: string): Promise<Module> {
  return (await import(pathToFileURL(require.resolve(name)).href)) as Module
}

async function strandsModule<Name extends string>(
  file: string,
): Promise<Readonly<Record<Name, Class<StrandsStorage>>>> {
  return (await import(pathToFileURL(join(FOLDER, STRANDS, file)).href)) as Readonly<
    Record<Name, Class<StrandsStorage>>
  >
}
