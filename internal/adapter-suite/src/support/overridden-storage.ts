import type { Storage } from '@spillway/core'

/** Returns methods that replace methods of one scope, which `segments` name. */
export type Override = (inner: Required<Omit<Storage, 'locate'>>, segments: readonly string[]) => Partial<Storage>

/** Replace methods of a storage that has all methods, and of all its scopes. */
export function overriddenStorage(
  storage: Required<Omit<Storage, 'locate'>>,
  override: Override,
  segments: readonly string[] = [],
): Storage {
  return {
    store: (...parameters) => storage.store(...parameters),
    retrieve: (...parameters) => storage.retrieve(...parameters),
    scope: (...more) => {
      // The scopes of a storage with all methods also have all methods.
      const inner = storage.scope(...more) as Required<Omit<Storage, 'locate'>>
      return overriddenStorage(inner, override, [...segments, ...more])
    },
    stat: (...parameters) => storage.stat(...parameters),
    retrieveRange: (...parameters) => storage.retrieveRange(...parameters),
    storeStream: (...parameters) => storage.storeStream(...parameters),
    list: (...parameters) => storage.list(...parameters),
    delete: (...parameters) => storage.delete(...parameters),
    clear: (...parameters) => storage.clear(...parameters),
    endTurn: () => storage.endTurn(),
    gc: (...parameters) => storage.gc(...parameters),
    close: () => storage.close(),
    ...override(storage, segments),
  }
}
