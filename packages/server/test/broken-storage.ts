import { createStorage, type ManagedStorage } from '@spillway/core'

/** Create a storage whose backend is unreachable. */
export function brokenStorage(): ManagedStorage {
  const fail = (): Promise<never> => Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3:6379'))
  const list = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: fail }) })
  return createStorage({ write: fail, read: fail, remove: fail, list })
}
