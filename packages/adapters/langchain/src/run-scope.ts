import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'
import { ContextOffloader, StorageError } from '@spillway/core'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  /** What the caller passed as `configurable`, such as `thread_id`; empty where there is nothing. */
  readonly configurable: Readonly<Record<string, unknown>>
  /** What the caller passed as `context`: the run's own, typed by the agent's `contextSchema`. */
  readonly context: unknown
}

/** Names the scope of a run by its segments; none stand for the offloader as it is. */
export type RunScope = (run: ScopeRun) => readonly string[]

/** Make the function that gives each run the offloader of its scope. It never throws. */
export function offloaderOfRun(
  offloader: ContextOffloader,
  scope: RunScope = threadScope,
): (runtime: unknown) => ContextOffloader {
  // A run asks several times in each round; runs that take turns make theirs anew.
  let latest: { readonly segments: readonly string[]; readonly offloader: ContextOffloader } | undefined
  return (runtime) => {
    try {
      const segments: unknown = scope(scopeRun(runtime))
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

function threadScope({ configurable: { thread_id: id } }: ScopeRun): readonly string[] {
  if (id === undefined || id === null || id === '') return []
  if (typeof id === 'string' || typeof id === 'number') return [String(id)]
  throw new TypeError(`thread_id must be a string or a number to be a scope, got ${typeof id}. Pass the option scope.`)
}

/** Before 1.0.3 the runtime of LangChain lacks `configurable`; the config of the run has it. */
function scopeRun(runtime: unknown): ScopeRun {
  const { configurable, context } = Object(runtime) as Partial<ScopeRun>
  if (configurable !== undefined) return { configurable, context }
  const config = Object(AsyncLocalStorageProviderSingleton.getRunnableConfig()) as Partial<ScopeRun>
  return { configurable: config.configurable ?? {}, context: context ?? config.context }
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
