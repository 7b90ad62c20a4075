import { ContextOffloader } from '../offload/context-offloader.ts'
import { limitsOf } from '../offload/result-limits.ts'
import { ManagedStorage, stateOf } from '../storage/managed-storage.ts'
import { StorageError } from '../storage/storage-error.ts'
import { assertKnownOptions, shown } from '../storage/storage-input.ts'
import type { Storage } from '../storage/storage.ts'

/** Options of adapters whose framework passes the run with each tool call. */
export interface RunOptions<Run> {
  /**
   * Returns the scope of a run as segments, such as the ids of a tenant and a session. An empty list means the
   * offloader's own scope.
   *
   * Defaults to the id of the framework's session. If the scope is invalid, the run stores and reads nothing, and
   * `onEvent` gets the error.
   */
  readonly scope?: ((run: Run) => readonly string[]) | undefined
}

/** Settings of {@link assertRunOptions}. */
export interface RunOptionsCheck {
  /** The call to quote in messages, for example `offloadPlugin(offloader, options)`. */
  readonly usage: string
  /** Names of options that the adapter checks itself. `any` allows all names. */
  readonly others?: readonly string[] | 'any' | undefined
  /** Whether all runs may share a storage without scopes. */
  readonly mayShare?: boolean | undefined
}

/** Functions that read a framework's runs, and the messages of a check. */
export interface RunForm<Run, ScopeRun> extends RunOptionsCheck {
  /** Reads the run for the option `scope`. */
  readonly read: (run: Run) => ScopeRun
  /** The default of the option `scope`. */
  readonly scope: (run: ScopeRun) => readonly string[]
}

/** The scopes of a framework's runs. */
export interface Runs<Run> {
  /** Returns the segments of a run's scope. */
  readonly segmentsOf: (run: Run) => readonly string[]
  /** Returns the offloader for a run's scope. Never throws. */
  readonly offloaderOf: (run: Run) => ContextOffloader
  /** Definition of the tool for models. If runs have scopes, models may search without a reference. */
  readonly retrievalTool: Pick<ContextOffloader['retrievalTool'], 'name' | 'description' | 'inputSchema'>
}

/**
 * Check an offloader and options before any tool runs, and return the scopes of a framework's runs.
 *
 * @throws TypeError for an invalid or unknown option, and for a storage without scopes if there is no `scope`.
 */
export function runsOf<Run, ScopeRun>(
  offloader: ContextOffloader,
  options: RunOptions<ScopeRun>,
  form: RunForm<Run, ScopeRun>,
): Runs<Run> {
  assertRunOptions(offloader, options, form)
  const { scope = form.scope } = options
  const segmentsOf = (run: Run): readonly string[] => scope(form.read(run))
  return {
    segmentsOf,
    offloaderOf: offloaderOfRun(offloader, segmentsOf),
    get retrievalTool() {
      const isScoped = offloader.options.storage.scope !== undefined
      return (isScoped ? offloader.forScope('run') : offloader).retrievalTool
    },
  }
}

/**
 * Check an offloader and options before any tool runs.
 *
 * @throws TypeError for an invalid or unknown option, and for a storage without scopes if there is no `scope`.
 */
export function assertRunOptions(
  offloader: unknown,
  options: RunOptions<never>,
  { usage, others = [], mayShare = false }: RunOptionsCheck,
): asserts offloader is ContextOffloader {
  assertOffloader(offloader, usage)
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`options must be an object, got ${shown(options)}: ${usage}.`)
  const known = others === 'any' ? Object.keys(options) : ['scope', ...others]
  assertKnownOptions(options, known, usage)
  const { scope } = options
  if (scope !== undefined && typeof scope !== 'function')
    throw new TypeError(
      `scope must be a function that gets the run, got ${shown(scope)}. For one scope: scope: () => ['id'].`,
    )
  if (!mayShare && scope === undefined && typeof offloader.options.storage.scope !== 'function')
    throw new TypeError(
      'This storage has no scope() and cannot isolate sessions. Wrap it with createStorage(), ' +
        'or let all sessions share it with scope: () => [].',
    )
}

/**
 * Check that a value is an offloader.
 *
 * @param usage - Call to quote in messages: `offloadTools(tools, offloader)`.
 * @throws TypeError for any other value, such as a storage.
 */
export function assertOffloader(offloader: unknown, usage: string): asserts offloader is ContextOffloader {
  const { offload, forScope } = Object(offloader) as Partial<ContextOffloader>
  if (typeof offload === 'function' && typeof forScope === 'function') return
  throw new TypeError(
    `offloader must be a ContextOffloader, got ${shown(offloader)}: ${usage}. Make one: new ContextOffloader({ storage }).`,
  )
}

/** Make the function that returns a run's offloader. If the scope is invalid, results stay in the context. */
export function offloaderOfRun<Run>(
  offloader: ContextOffloader,
  scope: (run: Run) => readonly string[],
): (run: Run) => ContextOffloader {
  // A run asks for its offloader several times in each round, so the latest offloader is kept.
  let latest: { readonly segments: readonly string[]; readonly offloader: ContextOffloader } | undefined
  return (run) => {
    try {
      const segments: unknown = scope(run)
      if (!Array.isArray(segments))
        throw new TypeError(`scope must return an array of segments, got ${shown(segments)}. Return [] for no scope.`)
      if (segments.length === 0) return offloader
      if (latest === undefined || !isEqual(latest.segments, segments))
        latest = { segments: [...segments], offloader: offloader.forScope(...(segments as string[])) }
      return latest.offloader
    } catch (error) {
      // After any error, the run must continue, and must not reach content of other runs.
      return withoutStorage(offloader, error)
    }
  }
}

function isEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((segment, index) => segment === b[index])
}

function withoutStorage({ options }: ContextOffloader, cause: unknown): ContextOffloader {
  const error = StorageError.isInstance(cause)
    ? cause
    : new StorageError('invalid-key', 'The option scope failed for this run. Correct the function.', { cause })
  const refuse = (): Promise<never> => Promise.reject(error)
  const list = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) })
  const storage = { store: refuse, retrieve: refuse, list, locate: () => undefined }
  return new ContextOffloader({ ...options, storage })
}

/** Return the limit for results of a tool, in tokens. `Infinity` if its results are never offloaded. */
export function maxResultTokensOf({ options }: ContextOffloader, toolName: string): number {
  return limitsOf(options, toolName).maxResultTokens
}

/**
 * Return a storage over the same backend that has another `evictAfterTurns`.
 *
 * @param evictAfterTurns - Number of turns without use, at least 1. `null` for never.
 * @param option - Name of the option in messages.
 * @throws TypeError for other numbers, and for a storage that cannot count turns, such as a scope.
 */
export function withEvictAfterTurns(
  storage: Storage,
  evictAfterTurns: number | null,
  option = 'evictAfterTurns',
): Storage {
  if (evictAfterTurns !== null && !(Number.isInteger(evictAfterTurns) && evictAfterTurns >= 1))
    throw new TypeError(`${option} must be a positive integer, or null for never, got ${String(evictAfterTurns)}.`)
  const parts = stateOf(storage)
  if (parts !== undefined) return new ManagedStorage(parts.driver, { ...parts.options, evictAfterTurns })
  if (evictAfterTurns === null) return storage
  throw new TypeError(
    `${option} needs a storage that counts turns: a whole storage of createStorage() or of a Spillway backend. ` +
      'Leave it out, or pass such a storage.',
  )
}
