import type { Storage } from '@spillway/core'

/** What the service needs of a storage. */
export type ServedStorage = Storage & Required<Pick<Storage, 'scope' | 'stat' | 'list' | 'delete'>>

const METHODS = ['scope', 'stat', 'list', 'delete'] as const

/** Refuse a storage that cannot keep callers apart, or find what it holds. */
export function assertServedStorage(storage: Storage): asserts storage is ServedStorage {
  const missing = METHODS.filter((method) => typeof storage[method] !== 'function')
  if (missing.length === 0) return
  throw new TypeError(
    `The offloader's storage has no ${missing.map((method) => `${method}()`).join(', ')}. ` +
      'Use a backend of Spillway, such as FileStorage or InMemoryStorage, or make one with createStorage().',
  )
}
