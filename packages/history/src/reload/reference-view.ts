import { toolMetadata } from '@spillway/core/internal'
import type { Storage, StoredInfo } from '@spillway/core'
import type { HistoryArchive } from '../archive/history-archive.ts'
import { isMiss } from '../archive/unless-missing.ts'
import type { HistoryReference } from './history-reference.ts'

const CONCURRENT_LOOKS = 8

/**
 * Return a view of a storage that lists nothing but these references, as far as they are still there. What else is in the
 * scope can be read by whoever names it.
 *
 * @param archive - Where the names lead that are no references of the storage.
 */
export function referenceView(
  storage: Storage,
  references: readonly HistoryReference[],
  archive: HistoryArchive | undefined,
): Storage {
  const byName = new Map(references.map((reference) => [reference.name, reference]))
  const describe = async (
    reference: HistoryReference,
    signal: AbortSignal | undefined,
  ): Promise<StoredInfo | undefined> => {
    try {
      if (archive !== undefined) {
        return (await archive.has?.(reference.name, { signal })) === false ? undefined : infoOf(reference)
      }
      return storage.stat === undefined ? infoOf(reference) : await storage.stat(reference.name, { signal })
    } catch (error) {
      if (isMiss(error)) return undefined
      throw error
    }
  }
  async function* list({ signal }: { readonly signal?: AbortSignal | undefined } = {}): AsyncGenerator<StoredInfo> {
    const all = [...byName.values()]
    for (let start = 0; start < all.length; start += CONCURRENT_LOOKS) {
      const batch = all.slice(start, start + CONCURRENT_LOOKS)
      for (const info of await Promise.all(batch.map((one) => describe(one, signal))))
        if (info !== undefined) yield info
    }
  }
  const store: Storage['store'] = (...input) => storage.store(...input)
  if (archive !== undefined) return { store, retrieve: (name, options) => archive.retrieve(name, options), list }
  const { stat, retrieveRange, open } = storage
  return {
    store,
    retrieve: (reference, options) => storage.retrieve(reference, options),
    ...(stat === undefined ? {} : { stat: stat.bind(storage) }),
    ...(retrieveRange === undefined ? {} : { retrieveRange: retrieveRange.bind(storage) }),
    ...(open === undefined ? {} : { open: open.bind(storage) }),
    list,
  }
}

/** What is known of an entry without asking for it; times that are not known are no number, and so are not shown. */
const infoOf = ({ name, contentType, size, toolName }: HistoryReference): StoredInfo => ({
  reference: name,
  key: name,
  contentType,
  size,
  storedAt: Number.NaN,
  lastUsedAt: Number.NaN,
  metadata: toolName === undefined ? {} : toolMetadata(toolName),
})
