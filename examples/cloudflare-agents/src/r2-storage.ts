import {
  createStorage,
  type EntryInfo,
  type ManagedStorage,
  type ManagedStorageOptions,
  type StorageDriver,
} from '@spillway/core'
import { collectChunks } from './collect-chunks.ts'

/** Limit well below the 2 KB that the metadata of an object may have. */
const MAX_METADATA_LENGTH = 1_500

/** Options of {@link r2Storage}. */
export interface R2StorageOptions extends ManagedStorageOptions {
  /** Prefix of the keys of all objects. Defaults to `spillway/`. */
  readonly prefix?: string
}

/** Store each entry in one object of an R2 bucket: its content, and its info in the metadata of the object. */
export function r2Storage(bucket: R2Bucket, options: R2StorageOptions = {}): ManagedStorage {
  const { prefix = 'spillway/', ...managed } = options
  const driver: StorageDriver & Required<Pick<StorageDriver, 'touch'>> = {
    async write(id, chunks, { lastUsedAt, ...description }) {
      const content = await collectChunks(chunks)
      const info = JSON.stringify({ ...description, size: content.size })
      const usedAt = String(lastUsedAt)
      // The info of an entry with a very long key does not fit into the metadata, so it follows the content.
      const fits = /^[\x20-\x7e]*$/.test(info) && info.length <= MAX_METADATA_LENGTH
      const body = fits ? content : new Blob([content, info])
      const customMetadata = fits ? { usedAt, info } : { usedAt, infoAt: String(content.size) }
      const onlyIf = { etagDoesNotMatch: '*' }
      while ((await bucket.put(prefix + id, body, { customMetadata, onlyIf })) === null) {
        if ((await driver.touch(id, lastUsedAt)) !== undefined) return false
      }
      return true
    },

    async read(id, range) {
      const info = await infoOf(await bucket.head(prefix + id))
      if (info === undefined) return undefined
      const offset = range?.offset ?? 0
      const length = Math.min(range?.length ?? Infinity, info.size - offset)
      // R2 refuses a range of no bytes.
      if (length <= 0) return { content: new Uint8Array(), info }
      const object = await bucket.get(prefix + id, { range: { offset, length } })
      return object === null ? undefined : { content: await object.bytes(), info }
    },

    async remove(id) {
      const object = await bucket.head(prefix + id)
      await bucket.delete(prefix + id)
      return object !== null
    },

    async *list(start) {
      let cursor: string | undefined
      do {
        const options = { prefix: prefix + start, include: ['customMetadata' as const] }
        const page = await bucket.list(cursor === undefined ? options : { ...options, cursor })
        for (const object of page.objects) {
          const info = await infoOf(object)
          if (info !== undefined) yield { id: object.key.slice(prefix.length), info }
        }
        cursor = page.truncated ? page.cursor : undefined
      } while (cursor !== undefined)
    },

    /** Metadata can only be changed with the whole object, so core requests this at most once a minute during reads. */
    async touch(id, lastUsedAt) {
      const object = await bucket.get(prefix + id)
      if (object === null) return undefined
      const { usedAt: before, ...metadata } = object.customMetadata ?? {}
      const usedAt = Math.max(lastUsedAt, Number(before) + 1)
      const customMetadata = { ...metadata, usedAt: String(usedAt) }
      const onlyIf = { etagMatches: object.etag }
      return (await bucket.put(prefix + id, object.body, { customMetadata, onlyIf })) === null ? undefined : usedAt
    },
  }

  async function infoOf(object: R2Object | null): Promise<EntryInfo | undefined> {
    const { usedAt, info, infoAt } = object?.customMetadata ?? {}
    if (object === null || usedAt === undefined) return undefined
    const description = info ?? (await (await bucket.get(object.key, { range: { offset: Number(infoAt) } }))?.text())
    return description === undefined ? undefined : { ...JSON.parse(description), lastUsedAt: Number(usedAt) }
  }

  return createStorage(driver, managed)
}
