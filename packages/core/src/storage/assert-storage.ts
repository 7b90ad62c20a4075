import { StorageError } from './storage-error.ts'
import type { Storage } from './storage.ts'

/** Refuse with a `TypeError` what has not at least `store` and `retrieve`. */
export function assertStorage(value: unknown): asserts value is Storage {
  for (const method of ['store', 'retrieve'] as const)
    if (typeof (value as Partial<Storage> | null | undefined)?.[method] !== 'function')
      throw new TypeError(
        `storage must have the methods store() and retrieve(); ${method}() is missing. ` +
          'Pass a backend such as new InMemoryStorage(), or createStorage() with a driver.',
      )
}

/**
 * Return the scope of a storage, or refuse with `unsupported`: a storage that cannot wall scopes off would mix tenants.
 *
 * @example
 * ```ts
 * import { scopeOf, StorageError, type Storage } from '@spillway/core'
 *
 * const twoMethods: Storage = {
 *   store: async (key) => key,
 *   retrieve: async () => ({ content: new Uint8Array(), contentType: 'text/plain' }),
 * }
 * try {
 *   scopeOf(twoMethods, ['tenant-1'])
 *   throw new Error('was not refused')
 * } catch (error) {
 *   console.assert(StorageError.isInstance(error) && error.code === 'unsupported')
 * }
 * ```
 */
export function scopeOf(storage: Storage, segments: readonly string[]): Storage {
  if (typeof storage.scope !== 'function')
    throw new StorageError(
      'unsupported',
      'This storage has no scope() and cannot keep tenants or sessions apart. Use it without a scope, or wrap it with createStorage().',
    )
  return storage.scope(...segments)
}
