import { describeDamaged, EvictionLog } from './entry-lifetime.ts'
import { childScope, idPrefix, rootScope, scopePath, splitId, type EntryId } from './entry-names.ts'
import { ScopedStorage, StorageState } from './scoped-storage.ts'
import type { CompleteDriver, StorageDriver, WrapperKind } from './storage-driver.ts'
import { missingError } from './storage-error.ts'
import { assertSegments } from './storage-input.ts'
import { assertManagedStorageOptions, type ManagedStorageOptions } from './storage.ts'

const DRIVER_METHODS = ['write', 'read', 'remove', 'list'] as const
const DEFAULT_REFRESH_MS = 60_000
const NO_BYTES = { offset: 0, length: 0 }
const FIRST_READ_BYTES = 65_536

/**
 * Base class of all backends: a storage over a driver. A managed storage isolates scopes, validates input, evicts
 * entries, and turns driver failures into `StorageError`.
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
  private readonly shared: StorageState

  constructor(driver: StorageDriver, options: ManagedStorageOptions = {}) {
    for (const method of DRIVER_METHODS)
      if (typeof (driver as Partial<StorageDriver> | undefined)?.[method] !== 'function')
        throw new TypeError(`A storage driver needs ${method}(). Required methods: ${DRIVER_METHODS.join(', ')}.`)
    assertManagedStorageOptions(options)
    const shared = new StorageState(completeDriver(driver), options)
    super(shared, rootScope())
    this.shared = shared
  }

  /** Close the driver's connections and handles. Closing twice is allowed. */
  override async close(): Promise<void> {
    await this.shared.close()
  }
}

/**
 * Create a storage from a driver. The driver needs the methods `write`, `read`, `remove` and `list`.
 *
 * @throws TypeError if a method is missing or an option is invalid.
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

export function stateOf(storage: unknown): StorageState | undefined {
  return storage instanceof ManagedStorage ? storage['shared'] : undefined
}

/** Wraps a storage. The settings do not change, so references, scopes and eviction are the same. */
export function wrapStorage(
  storage: ManagedStorage,
  kind: WrapperKind,
  wrap: (driver: CompleteDriver) => CompleteDriver,
): ManagedStorage {
  const { driver, options } = partsOf(storage, kind)
  const below = driver.layers
  if (below.includes(kind)) throw new TypeError(`The storage is ${kind} already. Call ${kind}() once.`)
  // The outer wrapper sees stored content first.
  if (below.includes('compressed'))
    throw new TypeError(
      'Encrypted bytes cannot be compressed, so content must be compressed first. ' +
        'Write compressed(encrypted(storage, { key })): content passes the outer wrapper first.',
    )
  return new ManagedStorage(wrap(driver), options)
}

function partsOf(storage: unknown, kind: WrapperKind): StorageState {
  const parts = stateOf(storage)
  if (parts !== undefined) return parts
  if (storage instanceof ScopedStorage)
    throw new TypeError(
      `A scope cannot be ${kind} by itself. Wrap the storage, and create scopes of the wrapped storage.`,
    )
  throw new TypeError(
    `${kind}() takes a storage that createStorage or a Spillway backend made with this copy of @spillway/core: ` +
      'it needs the driver, which other storages do not have. If yours is one of these, two copies of @spillway/core ' +
      'are installed: deduplicate them.',
  )
}

export function completeDriver(driver: StorageDriver): CompleteDriver {
  if (isComplete(driver)) return driver
  const tombstones = new EvictionLog()
  const { ephemeral = false, refreshMs = DEFAULT_REFRESH_MS, tellsCreated = false, touchFirstBytes = 0 } = driver
  const { collectsHourly = false } = driver
  const complete: CompleteDriver = {
    layers: [],
    ephemeral,
    isInMemory: ephemeral && driver.open !== undefined,
    refreshMs,
    tellsCreated,
    collectsHourly,
    touchFirstBytes: driver.touch === undefined ? Infinity : touchFirstBytes,
    async write(id, chunks, info, lineIndex) {
      // Without `touch`, core writes again to record a use, and each use must have a later time.
      const before = driver.touch === undefined && !tellsCreated ? await complete.stat(id) : undefined
      const lastUsedAt = Math.max(info.lastUsedAt, (before?.lastUsedAt ?? 0) + 1)
      const described =
        before === undefined ? info : { ...info, storedAt: before.storedAt, metadata: before.metadata, lastUsedAt }
      const written = await driver.write(id, chunks, described, lineIndex)
      tombstones.remove(id)
      if (typeof written === 'object') return written
      const created = written ?? before === undefined
      // The driver has touched the existing entry. Another touch returns the time of this use.
      const touched = created ? undefined : await complete.touch(id, described.lastUsedAt)
      return { created, lastUsedAt: touched ?? described.lastUsedAt }
    },
    read: (id, range) => driver.read(id, range),
    async remove(id) {
      tombstones.remove(id)
      return await driver.remove(id)
    },
    list: (prefix, options) => driver.list(prefix, options),
    stat: async (id) => (driver.stat === undefined ? (await driver.read(id, NO_BYTES))?.info : await driver.stat(id)),
    open: async (id) => (driver.open === undefined ? await openByRanges(driver, id) : await driver.open(id)),
    async touch(id, lastUsedAt) {
      if (driver.touch === undefined) return null
      const touched = await driver.touch(id, lastUsedAt)
      if (typeof touched === 'number') tombstones.remove(id)
      return touched
    },
    async evict(id, unusedSince, eviction) {
      const isGone =
        driver.evict === undefined
          ? ((await describeDamaged(complete, id))?.lastUsedAt ?? Infinity) <= unusedSince && (await driver.remove(id))
          : await driver.evict(id, unusedSince, eviction)
      if (isGone && eviction !== undefined && driver.findEviction === undefined) tombstones.add(id, eviction)
      return isGone
    },
    findEviction: async (id) => (driver.findEviction ? await driver.findEviction(id) : tombstones.find(id)),
    async *removeAll(prefix) {
      for await (const id of driver.removeAll?.(prefix) ?? removeEach(driver, prefix)) {
        tombstones.remove(id)
        yield id
      }
    },
    collect: async (prefix, now) => (await driver.collect?.(prefix, now)) ?? { leftovers: 0, bytes: 0 },
    ...(driver.evictAll && { evictAll: driver.evictAll.bind(driver) }),
    ...(driver.locate && { locate: driver.locate.bind(driver) }),
    close: async () => driver.close?.(),
  }
  return complete
}

const isComplete = (driver: StorageDriver): driver is CompleteDriver => 'layers' in driver && 'isInMemory' in driver

async function openByRanges(driver: StorageDriver, id: EntryId): ReturnType<CompleteDriver['open']> {
  const first = await driver.read(id, { offset: 0, length: FIRST_READ_BYTES })
  if (first === undefined) return undefined
  const { content, info } = first
  return {
    info,
    read: async ({ offset, length }) => {
      if (offset + length <= content.length) return content.subarray(offset, offset + length)
      const read = await driver.read(id, { offset, length })
      if (read === undefined) throw missingError(splitId(id).reference, undefined)
      return read.content
    },
    close: async () => undefined,
  }
}

async function* removeEach(driver: StorageDriver, prefix: string): AsyncGenerator<EntryId> {
  for await (const { id } of driver.list(prefix)) if (id.startsWith(prefix) && (await driver.remove(id))) yield id
}

/** Returns the prefix of the ids in a scope. Without segments, all ids have the prefix. */
export async function prefixOf(segments: readonly string[] = []): Promise<string> {
  assertSegments(segments)
  return segments.length === 0 ? '' : idPrefix(await scopePath(childScope(rootScope(), segments)))
}
