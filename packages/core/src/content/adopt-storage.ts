import { concatBytes } from '@spillway/text/internal'
import { callerOf } from '../storage/entry-names.ts'
import type { CachedContents, ContentInfo, IndexedContent } from '../storage/opened-content.ts'
import type { OperationOptions, Storage, StoredInfo } from '../storage/storage.ts'

/** Runs a call of the user's storage and translates its errors. */
export type CallStorage = <Result>(reference: string, run: () => Promise<Result>) => Promise<Result>

export interface OpenOptions extends OperationOptions {
  readonly call?: CallStorage | undefined
}

type Filled = 'storeStream' | 'list' | 'delete' | 'endTurn' | 'locate'

const ADOPTED: unique symbol = Symbol('adopted storage')

/** Any storage, with fallbacks for the optional methods that core uses. */
export interface AdoptedStorage extends Omit<Storage, Filled | 'open'>, Required<Pick<Storage, Filled>> {
  readonly [ADOPTED]: true
  /** Capabilities that the storage has without fallbacks. */
  readonly can: Readonly<Record<'list' | 'delete' | 'locate' | 'openEntry', boolean>>
  /** Identity of the caller, for fair turns between callers. */
  readonly caller: unknown
  open(reference: string, options?: OpenOptions): Promise<IndexedContent>
  /** Returns `undefined` if the storage cannot describe entries. */
  describe(reference: string, options?: OperationOptions): Promise<StoredInfo | undefined>
}

export function adoptStorage(storage: Storage | AdoptedStorage): AdoptedStorage {
  if (ADOPTED in storage) return storage
  let contents: CachedContents<ContentInfo> | undefined
  return {
    [ADOPTED]: true,
    can: {
      list: storage.list !== undefined,
      delete: storage.delete !== undefined,
      locate: storage.locate !== undefined,
      openEntry: storage.openEntry !== undefined,
    },
    caller: callerOf(storage),
    store: (...entry) => storage.store(...entry),
    async storeStream(key, chunks, contentType, options) {
      if (storage.storeStream !== undefined) return await storage.storeStream(key, chunks, contentType, options)
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(new Uint8Array(chunk))
      return await storage.store(key, concatBytes(parts), contentType, options)
    },
    retrieve: (reference, options) => storage.retrieve(reference, options),
    async open(reference, options = {}) {
      const { openStored } = await import('./stored-content.ts')
      const { newContents } = await import('../storage/opened-content.ts')
      contents ??= newContents()
      return await openStored(storage, contents, reference, options)
    },
    describe: async (reference, options) => storage.stat?.(reference, options),
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
