import { ManagedStorage, ScopedStorage, storageParts, type StorageParts } from './managed-storage.ts'
import type { StorageDriver } from './storage-driver.ts'

/** What can be done to the bytes between a storage and its backend. */
export type WrapperKind = 'compressed' | 'encrypted'

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
