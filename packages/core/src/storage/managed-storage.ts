import { childScope, rootScope, type Scope } from './reference.ts'
import type { StorageDriver } from './storage-driver.ts'
import { StorageEngine } from './storage-engine.ts'
import {
  assertManagedStorageOptions,
  type ByteRange,
  type DeleteOptions,
  type EntryWriter,
  type EvictionReport,
  type GcReport,
  type ListOptions,
  type Location,
  type ManagedStorageOptions,
  type OpenContent,
  type OpenEntryOptions,
  type OperationOptions,
  type Storage,
  type StoredContent,
  type StoredInfo,
  type StoredRange,
  type StoreOptions,
} from './storage.ts'

const DRIVER_METHODS = ['write', 'read', 'remove', 'list'] as const
const DEFAULT_CONTENT_TYPE = 'text/plain'

/** What a storage was made of. */
interface StorageParts {
  readonly driver: StorageDriver
  readonly options: ManagedStorageOptions
}

/** What wrappers need to know of a storage, and nobody else. */
const PARTS = new WeakMap<object, StorageParts>()

/** Return what a {@link ManagedStorage} was made of; `undefined` for anything else, a scope of it too. */
export const storageParts = (storage: object): StorageParts | undefined => PARTS.get(storage)

/**
 * A scope of a {@link ManagedStorage}: everything a storage can do, behind one wall.
 *
 * @example
 * ```ts
 * import type { ScopedStorage } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage()
 * const session: ScopedStorage = storage.scope('tenant-1', 'session-1')
 * await session.store('call_1_0', new TextEncoder().encode('hello'))
 * console.assert((await session.clear()) === 1 && (await storage.clear()) === 0)
 * ```
 */
export class ScopedStorage implements Storage {
  readonly #engine: StorageEngine
  readonly #scope: Scope
  /** Present where the driver can say how a shell reaches an entry. */
  readonly locate?: (reference: string) => Location | undefined

  /** @internal */
  constructor(engine: StorageEngine, scope: Scope) {
    this.#engine = engine
    this.#scope = scope
    if (engine.driver.locate !== undefined) this.locate = (reference) => engine.locate(scope, reference)
  }

  scope(...segments: string[]): ScopedStorage {
    return new ScopedStorage(this.#engine, childScope(this.#scope, segments))
  }

  async store(
    key: string,
    content: Uint8Array,
    contentType: string = DEFAULT_CONTENT_TYPE,
    options: StoreOptions = {},
  ): Promise<string> {
    return this.#engine.store(this.#scope, key, content, contentType, options)
  }

  async storeStream(
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    contentType: string = DEFAULT_CONTENT_TYPE,
    options: StoreOptions = {},
  ): Promise<string> {
    return this.#engine.storeStream(this.#scope, key, chunks, contentType, options)
  }

  async openEntry(
    key: string,
    contentType: string = DEFAULT_CONTENT_TYPE,
    options: OpenEntryOptions = {},
  ): Promise<EntryWriter> {
    return this.#engine.openEntry(this.#scope, key, contentType, options)
  }

  async retrieve(reference: string, options: OperationOptions = {}): Promise<StoredContent> {
    return this.#engine.retrieve(this.#scope, reference, options)
  }

  async retrieveRange(reference: string, range: ByteRange, options: OperationOptions = {}): Promise<StoredRange> {
    return this.#engine.retrieveRange(this.#scope, reference, range, options)
  }

  async open(reference: string, options: OperationOptions = {}): Promise<OpenContent> {
    return this.#engine.open(this.#scope, reference, options)
  }

  async stat(reference: string, options: OperationOptions = {}): Promise<StoredInfo> {
    return this.#engine.stat(this.#scope, reference, options)
  }

  list(options: ListOptions = {}): AsyncIterable<StoredInfo> {
    return this.#engine.list(this.#scope, options)
  }

  async delete(reference: string, options: DeleteOptions = {}): Promise<void> {
    return this.#engine.delete(this.#scope, reference, options)
  }

  async clear(options: OperationOptions = {}): Promise<number> {
    return this.#engine.clear(this.#scope, options)
  }

  async endTurn(): Promise<EvictionReport> {
    return this.#engine.endTurn(this.#scope)
  }

  async gc(options: OperationOptions = {}): Promise<GcReport> {
    return this.#engine.gc(this.#scope, options)
  }

  /** Leave the connection open: it belongs to the storage that this view came from. */
  async close(): Promise<void> {}
}

/**
 * A storage over a driver: the base class of all backends.
 *
 * It mints references, walls scopes off, validates, makes storing idempotent, counts turns, ages and bytes, remembers
 * what it evicted, and turns every failure of the driver into a `StorageError`.
 *
 * @example
 * ```ts
 * import { ManagedStorage, type StorageDriver } from '@spillway/core'
 *
 * class BucketStorage extends ManagedStorage {
 *   constructor(driver: StorageDriver) {
 *     super(driver, { ttlMs: 7 * 24 * 60 * 60 * 1000 })
 *   }
 * }
 * console.assert(typeof BucketStorage === 'function')
 * ```
 */
export class ManagedStorage extends ScopedStorage {
  readonly #engine: StorageEngine

  constructor(driver: StorageDriver, options: ManagedStorageOptions = {}) {
    for (const method of DRIVER_METHODS)
      if (typeof (driver as Partial<StorageDriver> | undefined)?.[method] !== 'function')
        throw new TypeError(
          `A storage driver needs the method ${method}(). It has to have ${DRIVER_METHODS.join(', ')}.`,
        )
    assertManagedStorageOptions(options)
    const engine = new StorageEngine(driver, options)
    super(engine, rootScope())
    this.#engine = engine
    PARTS.set(this, { driver, options })
  }

  /** Release the driver's connections and handles. Closing twice is fine. */
  override async close(): Promise<void> {
    await this.#engine.close()
  }
}

/**
 * Make a storage from a driver of your own: four methods, `write`, `read`, `remove` and `list`, and optional extras.
 *
 * @throws TypeError where a method is missing or an option cannot be.
 *
 * @example
 * ```ts
 * import { createStorage, type DriverContent } from '@spillway/core'
 *
 * const entries = new Map<string, DriverContent>()
 * const storage = createStorage({
 *   async write(id, chunks, info) {
 *     const parts: Uint8Array[] = []
 *     for await (const chunk of chunks) parts.push(chunk)
 *     const content = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer())
 *     entries.set(id, { content, info: { ...info, size: content.length } })
 *   },
 *   async read(id, range) {
 *     const entry = entries.get(id)
 *     if (entry === undefined) return undefined
 *     const { offset, length } = range ?? { offset: 0, length: entry.content.length }
 *     return { ...entry, content: entry.content.slice(offset, offset + length) }
 *   },
 *   remove: async (id) => entries.delete(id),
 *   async *list(prefix) {
 *     for (const [id, { info }] of entries) if (id.startsWith(prefix)) yield { id, info }
 *   },
 * })
 *
 * const reference = await storage.scope('tenant-1').store('call_1_0', new TextEncoder().encode('hello'))
 * const { content } = await storage.scope('tenant-1').retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'hello')
 * ```
 */
export function createStorage(driver: StorageDriver, options: ManagedStorageOptions = {}): ManagedStorage {
  return new ManagedStorage(driver, options)
}

/** What can be done to the bytes between a storage and its backend. */
type WrapperKind = 'compressed' | 'encrypted'

/** What was done already to the bytes that reach a driver, the outermost first. */
const WRAPPERS = new WeakMap<StorageDriver, readonly WrapperKind[]>()

/**
 * Make a storage over the changed driver of another one, with the same settings: references, scopes and eviction stay as
 * they are.
 *
 * @throws TypeError where there is no driver to change, or the order of wrappers makes no sense.
 */
export function wrapStorage(
  storage: ManagedStorage,
  kind: WrapperKind,
  wrap: (driver: StorageDriver) => StorageDriver,
): ManagedStorage {
  const { driver, options } = partsOf(storage, kind)
  const below = WRAPPERS.get(driver) ?? []
  if (below.includes(kind)) throw new TypeError(`The storage is ${kind} already. Call ${kind}() once.`)
  // The outer wrapper is the first to see what is stored.
  if (below.includes('compressed'))
    throw new TypeError(
      'Encrypted bytes cannot be compressed, and content goes through the outer wrapper first. ' +
        'Write compressed(encrypted(storage, { key })): it compresses, then encrypts.',
    )
  const wrapped = wrap(driver)
  WRAPPERS.set(wrapped, [kind, ...below])
  return new ManagedStorage(wrapped, options)
}

function partsOf(storage: unknown, kind: WrapperKind): StorageParts {
  const parts = typeof storage === 'object' && storage !== null ? storageParts(storage) : undefined
  if (parts !== undefined) return parts
  if (storage instanceof ScopedStorage)
    throw new TypeError(`A scope cannot be ${kind} alone. Wrap the storage, and take scopes of the result.`)
  throw new TypeError(
    `${kind}() takes a storage that createStorage or a Spillway backend made with this copy of @spillway/core: ` +
      'it works between a storage and its driver, which others do not show. If it is one, two copies of @spillway/core ' +
      'are installed: deduplicate them.',
  )
}
