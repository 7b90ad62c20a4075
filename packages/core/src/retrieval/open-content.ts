import {
  withTextSource,
  type ContentSource,
  type ReadableStorage,
  type TextReadOptions,
} from '../content/content-source.ts'
import { orMiss, StorageError } from '../storage/storage-error.ts'
import type { Storage } from '../storage/storage.ts'
import { quote } from './plain-text.ts'
import { RetrievalError } from './retrieval-error.ts'

/**
 * Open content for a call of the model, use it as what its bytes are, and close it however that goes.
 *
 * Rejects with a `StorageError`, or with `unavailable` for anything else that the storage throws.
 */
export async function withContent<Result>(
  storage: Storage,
  reference: string,
  options: TextReadOptions,
  use: (source: ContentSource) => Promise<Result>,
): Promise<Result> {
  return await withTextSource(guarded(storage), reference, options, use)
}

/** Run a call of a storage. What it throws beside `StorageError` is taken for an outage. */
export async function guard<Result>(reference: string | undefined, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    if (StorageError.isInstance(cause)) throw cause
    const what = reference === undefined ? 'The storage failed.' : `The storage could not give ${quote(reference)}.`
    const check = reference === undefined ? '' : ' Check that it stands exactly so under [Stored references:].'
    throw new RetrievalError('unavailable', `${what}${check} If it should work, try the same call again.`, { cause })
  }
}

/** Equal for an equal storage: what is remembered of its contents belongs to the object. */
const guardedStorages = new WeakMap<Storage, ReadableStorage>()

function guarded(storage: Storage): ReadableStorage {
  const known = guardedStorages.get(storage) ?? guardedStorage(storage)
  guardedStorages.set(storage, known)
  return known
}

function guardedStorage(storage: Storage): ReadableStorage {
  const { retrieveRange, open } = storage
  return {
    retrieve: (reference, options) =>
      guard(reference, () => orMiss(reference, () => storage.retrieve(reference, options))),
    ...(retrieveRange === undefined
      ? {}
      : {
          retrieveRange: (reference, range, options) =>
            guard(reference, () => orMiss(reference, () => retrieveRange.call(storage, reference, range, options))),
        }),
    ...(open === undefined
      ? {}
      : {
          open: (reference, options) =>
            guard(reference, () => orMiss(reference, () => open.call(storage, reference, options))),
        }),
  }
}
