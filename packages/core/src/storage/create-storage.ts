import type { ManagedStorageOptions } from './managed-storage-options.ts'
import { ManagedStorage } from './managed-storage.ts'
import type { StorageDriver } from './storage-driver.ts'

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
