import type { Storage } from '@spillway/core'
import { concatBytes, StorageError } from '@spillway/core/driver'
import type { TinyVariation } from '../../../packages/core/test/tiny-storage.ts'

/** A mistake in a storage. */
export interface Fault extends Omit<TinyVariation, 'name'> {
  /** The broken promise, as the end of a sentence about the storage. */
  readonly name: string
  /** The id of the case that must catch the fault. */
  readonly caughtBy: string
  /**
   * Further cases that fail because of the fault, by id, or `area/*` for a fault with many effects. Each of these cases
   * must fail.
   */
  readonly also?: readonly string[]
}

/** Returns methods that replace methods of one scope. */
export type Override = (inner: Required<Storage>, segments: readonly string[]) => Partial<Storage>

/** Replace methods of a storage and of all its scopes. */
export function overridden(storage: Storage, override: Override, segments: readonly string[] = []): Storage {
  const inner = storage as Required<Storage>
  return {
    store: (...parameters) => inner.store(...parameters),
    retrieve: (...parameters) => inner.retrieve(...parameters),
    scope: (...more) => overridden(inner.scope(...more), override, [...segments, ...more]),
    stat: (...parameters) => inner.stat(...parameters),
    retrieveRange: (...parameters) => inner.retrieveRange(...parameters),
    open: (...parameters) => inner.open(...parameters),
    storeStream: (...parameters) => inner.storeStream(...parameters),
    list: (...parameters) => inner.list(...parameters),
    delete: (...parameters) => inner.delete(...parameters),
    clear: (...parameters) => inner.clear(...parameters),
    endTurn: () => inner.endTurn(),
    gc: (...parameters) => inner.gc(...parameters),
    locate: (reference) => inner.locate(reference),
    close: () => inner.close(),
    ...override(inner, segments),
  }
}

/** Read a stream to its end. */
export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return concatBytes(parts)
}

/** Call a function. Returns `undefined` if the storage refuses the call. */
export async function unlessRefused<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await run()
  } catch (error) {
    if (StorageError.isInstance(error)) return undefined
    throw error
  }
}
