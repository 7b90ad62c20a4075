import { concatBytes } from '@spillway/text/internal'
import type { CachedContents, ContentInfo } from '../storage/cached-content.ts'
import type { OpenContent, OperationOptions, Storage } from '../storage/storage.ts'

/** Runs a call of the user's storage, and throws in the place of what that throws. */
export type CallStorage = <Result>(reference: string, run: () => Promise<Result>) => Promise<Result>

/** How content is opened. */
export interface OpenOptions extends OperationOptions {
  /** Called with each call that opening and reading makes; by default they are made as they are. */
  readonly call?: CallStorage | undefined
}

/** Content that is open and says where its lines begin. */
export type IndexedContent = OpenContent & Required<Pick<OpenContent, 'lineIndex'>>

/** The optional methods that core uses, beside `open`. */
type Filled = 'storeStream' | 'list' | 'delete' | 'endTurn' | 'locate'

/**
 * Any storage as core works with it: nothing is missing.
 *
 * Where it cannot do something by itself, streams are collected first, nothing is listed, removed or located, a turn evicts
 * nothing, and opening reads it by ranges or as a whole.
 */
export interface AdoptedStorage extends Omit<Storage, Filled | 'open'>, Required<Pick<Storage, Filled>> {
  /** What the storage can do by itself. */
  readonly can: Readonly<Record<'list' | 'delete' | 'locate' | 'openEntry', boolean>>
  /** Open content, and close it after reading. What was read is remembered, whatever the storage. */
  open(reference: string, options?: OpenOptions): Promise<IndexedContent>
}

/** Fill in what a storage leaves out. */
export function adoptStorage(storage: Storage): AdoptedStorage {
  let contents: CachedContents<ContentInfo> | undefined
  return {
    can: {
      list: storage.list !== undefined,
      delete: storage.delete !== undefined,
      locate: storage.locate !== undefined,
      openEntry: storage.openEntry !== undefined,
    },
    store: (...entry) => storage.store(...entry),
    async storeStream(key, chunks, contentType, options) {
      if (storage.storeStream !== undefined) return await storage.storeStream(key, chunks, contentType, options)
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(new Uint8Array(chunk))
      return await storage.store(key, concatBytes(parts), contentType, options)
    },
    retrieve: (reference, options) => storage.retrieve(reference, options),
    async open(reference, options = {}) {
      const { newContents, StoredContent } = await import('./stored-content.ts')
      contents ??= newContents()
      return await new StoredContent(storage, contents, reference, options).open()
    },
    list: (options) => storage.list?.(options) ?? nothing(),
    async delete(reference, options) {
      await storage.delete?.(reference, options)
    },
    async endTurn() {
      return (await storage.endTurn?.()) ?? { evicted: [] }
    },
    locate: (reference) => storage.locate?.(reference),
  }
}

async function* nothing(): AsyncGenerator<never> {}
