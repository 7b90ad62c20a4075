import { ContextOffloader } from '../offload/context-offloader.ts'
import { StorageError } from '../storage/storage-error.ts'

/**
 * Make the function that gives each run the offloader of its scope. That function never throws.
 *
 * No segments stand for the offloader as it is. Where `scope` throws, or returns what cannot be a scope, the run gets an
 * offloader that can neither store nor read: results stay in the context, and events carry the error.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloaderOfRun } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const offloaderOf = offloaderOfRun(offloader, (run: { session?: string }) => (run.session ? [run.session] : []))
 * console.assert(offloaderOf({}) === offloader && offloaderOf({ session: 'a' }) !== offloader)
 * ```
 */
export function offloaderOfRun<Run>(
  offloader: ContextOffloader,
  scope: (run: Run) => readonly string[],
): (run: Run) => ContextOffloader {
  // A run asks several times in each round; runs that take turns make theirs anew.
  let latest: { readonly segments: readonly string[]; readonly offloader: ContextOffloader } | undefined
  return (run) => {
    try {
      const segments: unknown = scope(run)
      if (!Array.isArray(segments))
        throw new TypeError(`scope must return an array of segments, got ${typeof segments}. Return [] for no scope.`)
      if (segments.length === 0) return offloader
      if (latest === undefined || !isEqual(latest.segments, segments))
        latest = { segments: [...segments], offloader: offloader.forScope(...(segments as string[])) }
      return latest.offloader
    } catch (error) {
      // Whatever it was: a run must neither end by it nor reach what other runs have stored.
      return withoutStorage(offloader, error)
    }
  }
}

function isEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((segment, index) => segment === b[index])
}

/** Keep results in the context and refuse every reference, as if storage were out of reach. */
function withoutStorage({ options }: ContextOffloader, cause: unknown): ContextOffloader {
  const error = StorageError.isInstance(cause)
    ? cause
    : new StorageError('invalid-key', 'The scope of this run could not be named. Mend the option scope.', { cause })
  const refuse = (): Promise<never> => Promise.reject(error)
  const list = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) })
  const storage = { store: refuse, retrieve: refuse, list, locate: () => undefined }
  return new ContextOffloader({ ...options, storage })
}
