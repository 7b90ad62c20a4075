import { ContextOffloader } from '../offload/context-offloader.ts'
import { ManagedStorage, storageParts } from '../storage/managed-storage.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Storage } from '../storage/storage.ts'

/** Options of adapters whose framework passes the run with each tool call. */
export interface RunOptions<Run> {
  /**
   * Returns the scope of a run as segments, such as a tenant's and a session's id; an empty list means the offloader's own scope.
   *
   * Each adapter has a default, the id of the framework's session. If it throws, or returns an invalid scope, nothing of that
   * run is stored or read, and `onEvent` gets the error.
   */
  readonly scope?: ((run: Run) => readonly string[]) | undefined
  /** Names of tools whose results stay as they are. Defaults to none. */
  readonly except?: readonly string[] | undefined
}

/** How {@link assertRunOptions} checks. */
export interface RunOptionsCheck {
  /** The call, as messages show it: `offloadPlugin(offloader, options)`. */
  readonly usage: string
  /** Names of the adapter's other options, which it checks itself. */
  readonly others?: readonly string[] | undefined
}

/**
 * Check an offloader and options before any tool runs.
 *
 * @throws TypeError for an invalid or unknown option, and for a storage without scopes if there is no `scope`, as all
 * sessions would share its content.
 */
export function assertRunOptions(
  offloader: unknown,
  options: RunOptions<never>,
  { usage, others = [] }: RunOptionsCheck,
): asserts offloader is ContextOffloader {
  assertOffloader(offloader, usage)
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`options must be an object, got ${options === null ? 'null' : typeof options}: ${usage}.`)
  const known = ['scope', 'except', ...others]
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(`Unknown option ${JSON.stringify(name)}. Known: ${known.join(', ')}.`)
  const { scope, except = [] } = options
  if (scope !== undefined && typeof scope !== 'function')
    throw new TypeError(`scope must be a function of the run, got ${typeof scope}. For one scope: scope: () => ['id'].`)
  if (!Array.isArray(except) || except.some((name) => typeof name !== 'string'))
    throw new TypeError("except must be an array of tool names, such as ['read_file'].")
  if (scope === undefined && typeof offloader.options.storage.scope !== 'function')
    throw new TypeError(
      'This storage has no scope() and cannot keep sessions apart. Wrap it with createStorage(), ' +
        'or let all sessions share it with scope: () => [].',
    )
}

/**
 * Check that a value is an offloader.
 *
 * @param usage - The call, as the message shows it: `offloadTools(tools, offloader)`.
 * @throws TypeError for any other value, such as a storage.
 */
export function assertOffloader(offloader: unknown, usage: string): asserts offloader is ContextOffloader {
  const { offload, forScope } = Object(offloader) as Partial<ContextOffloader>
  if (typeof offload === 'function' && typeof forScope === 'function') return
  throw new TypeError(
    `offloader must be a ContextOffloader, got ${typeof offloader}: ${usage}. Make one: new ContextOffloader({ storage }).`,
  )
}

/**
 * Make the function that returns the offloader for a run's scope. That function never throws.
 *
 * An empty list means the offloader's own scope. If `scope` throws, or returns an invalid scope, the run gets an offloader
 * that can neither store nor read: results stay in the context, and events carry the error.
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

/** Results stay in the context, and every reference is refused, as if the storage were unavailable. */
function withoutStorage({ options }: ContextOffloader, cause: unknown): ContextOffloader {
  const error = StorageError.isInstance(cause)
    ? cause
    : new StorageError('invalid-key', 'The scope of this run could not be named. Mend the option scope.', { cause })
  const refuse = (): Promise<never> => Promise.reject(error)
  const list = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) })
  const storage = { store: refuse, retrieve: refuse, list, locate: () => undefined }
  return new ContextOffloader({ ...options, storage })
}

/**
 * Return a storage over the same backend that evicts after other turns, for a framework with such a setting. All other
 * settings stay. For a storage that cannot count turns, `null` returns the storage itself.
 *
 * @param evictAfterTurns - Turns without use, 1 or more; `null` for no eviction by turns.
 * @param option - The name of the setting in messages.
 * @throws TypeError for other numbers, and for a storage that cannot count turns: a third-party one, or a scope.
 *
 * @example
 * ```ts
 * import { withEvictAfterTurns } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = withEvictAfterTurns(new InMemoryStorage(), 1)
 * await storage.store('call_1_0', new TextEncoder().encode('hello'))
 * await storage.endTurn?.()
 * console.assert((await storage.endTurn?.())?.evicted.length === 1)
 * ```
 */
export function withEvictAfterTurns(
  storage: Storage,
  evictAfterTurns: number | null,
  option = 'evictAfterTurns',
): Storage {
  if (evictAfterTurns !== null && !(Number.isInteger(evictAfterTurns) && evictAfterTurns >= 1))
    throw new TypeError(`${option} must be a positive integer, or null for never, got ${String(evictAfterTurns)}.`)
  const parts = storageParts(Object(storage) as object)
  if (parts !== undefined) return new ManagedStorage(parts.driver, { ...parts.options, evictAfterTurns })
  if (evictAfterTurns === null) return storage
  throw new TypeError(
    `${option} needs a storage that counts turns: one that createStorage or a Spillway backend made, and no scope of it. ` +
      'Leave it out, or pass such a storage.',
  )
}
