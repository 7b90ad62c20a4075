import { assertManagedStorageOptions, type ManagedStorageOptions } from './managed-storage-options.ts'
import { childScope, rootScope, type Scope } from './scope.ts'
import { StorageEngine } from './storage-engine.ts'
import type { StorageDriver } from './storage-driver.ts'
import type {
  ByteRange,
  DeleteOptions,
  EvictionReport,
  GcReport,
  ListOptions,
  Location,
  OpenContent,
  OperationOptions,
  Storage,
  StoredContent,
  StoredInfo,
  StoredRange,
  StoreOptions,
} from './storage.ts'

const DRIVER_METHODS = ['write', 'read', 'remove', 'list'] as const
const DEFAULT_CONTENT_TYPE = 'text/plain'

/** What a storage was made of. */
export interface StorageParts {
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
