import { ContextOffloader } from '../offload/context-offloader.ts'
import { ManagedStorage, storageParts } from '../storage/managed-storage.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Storage } from '../storage/storage.ts'

/** Options of adapters whose framework tells them the run in which a tool is called. */
export interface RunOptions<Run> {
  /**
   * Name the scope of a run: its segments, such as a tenant's and a session's id, or none for the offloader as it is.
   *
   * Each adapter has a default, the id of the framework's own session. Where it throws, or returns what cannot be a
   * scope, nothing of that run is stored or read, and `onEvent` gets the error.
   */
  readonly scope?: ((run: Run) => readonly string[]) | undefined
  /** Names of tools whose results stay as they are. Defaults to none. */
  readonly except?: readonly string[] | undefined
}

/** What {@link assertRunOptions} checks by. */
export interface RunOptionsCheck {
  /** Where they belong, as messages show it: `offloadPlugin(offloader, options)`. */
  readonly usage: string
  /** Options that the adapter has beside those of {@link RunOptions}, which it checks itself. */
  readonly others?: readonly string[] | undefined
}

/**
 * Refuse an offloader or options that cannot work, before any tool runs.
 *
 * An option that there is not is refused by its name. So is a storage without scopes, unless `scope` is given, as all
 * sessions would share what it holds.
 *
 * @throws TypeError where something is not usable; the message says what to write.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { assertRunOptions } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * assertRunOptions(offloader, { except: ['read_file'] }, { usage: 'offloadPlugin(offloader, options)' })
 * ```
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
 * Refuse what is no offloader, such as the storage or the options of one.
 *
 * @param usage - Where it belongs, as the message shows it: `offloadTools(tools, offloader)`.
 * @throws TypeError where it is none.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { assertOffloader } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage()
 * assertOffloader(new ContextOffloader({ storage }), 'offloadTools(tools, offloader)')
 * let message = ''
 * try {
 *   assertOffloader(storage, 'offloadTools(tools, offloader)')
 * } catch (error) {
 *   message = (error as TypeError).message
 * }
 * console.assert(message.startsWith('offloader must be a ContextOffloader'))
 * ```
 */
export function assertOffloader(offloader: unknown, usage: string): asserts offloader is ContextOffloader {
  const { offload, forScope } = Object(offloader) as Partial<ContextOffloader>
  if (typeof offload === 'function' && typeof forScope === 'function') return
  throw new TypeError(
    `offloader must be a ContextOffloader, got ${typeof offloader}: ${usage}. Make one: new ContextOffloader({ storage }).`,
  )
}

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

/**
 * Finds what a tool call runs with by its input, where a framework tells `toModelOutput` the input of the call and no more;
 * and the input by the run.
 *
 * An input that several runs have in common finds none, as they may be of different users; a schema may make such inputs.
 * Runs and inputs are held weakly.
 *
 * @example
 * ```ts
 * import { RunsByInput } from '@spillway/core/adapter'
 *
 * const runs = new RunsByInput<{ session: string }>()
 * const [input, run] = [{ path: 'app.log' }, { session: 'a' }]
 * runs.start(input, run)
 * console.assert(runs.find(input) === run && runs.inputOf(run) === input)
 * console.assert(runs.find({ path: 'app.log' }) === undefined)
 * ```
 */
export class RunsByInput<Run extends object> {
  readonly #runs = new WeakMap<object, Run | 'several'>()
  readonly #inputs = new WeakMap<Run, unknown>()

  /** Remember the input of a run when it starts; again it does nothing. */
  start(input: unknown, run: Run): void {
    this.#inputs.set(run, input)
    if (typeof input !== 'object' || input === null) return
    const before = this.#runs.get(input)
    if (before !== run) this.#runs.set(input, before === undefined ? run : 'several')
  }

  /** Find the run with this very input, an object; `undefined` where there is none, or several have it. */
  find(input: unknown): Run | undefined {
    const run = typeof input === 'object' && input !== null ? this.#runs.get(input) : undefined
    return run === 'several' ? undefined : run
  }

  /** Return the input that a run was started with; `undefined` where it was not. */
  inputOf(run: Run): unknown {
    return this.#inputs.get(run)
  }
}

/**
 * Return a storage over the same backend that evicts after so many turns, for a framework that has such a setting of its
 * own. All other settings stay. Of a storage that cannot count turns, `null` returns the storage itself.
 *
 * @param evictAfterTurns - Turns without use, 1 or more, or `null` for no eviction by turns.
 * @param option - What the setting is called, as messages show it.
 * @throws TypeError for other numbers, and for turns of a storage that does not count them: one of others, or a scope.
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
