import type { ContextOffloader } from '../offload/context-offloader.ts'
import { assertOffloader } from './assert-offloader.ts'

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
