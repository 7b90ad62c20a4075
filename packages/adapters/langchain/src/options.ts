import type { ContextOffloader } from '@spillway/core'
import type { RunScope } from './run-scope.ts'

/** Options of {@link offloadMiddleware}, {@link offloadTools} and {@link retrievalTool}. */
export interface OffloadOptions {
  /**
   * Name the scope of a run: its segments, such as a tenant's and a thread's id, or none for the offloader as it is.
   *
   * Defaults to the `thread_id` of the run, and to no segments where there is none. Where it throws, or returns what
   * cannot be a scope, nothing of that run is stored or read, and `onEvent` gets the error.
   */
  readonly scope?: RunScope | undefined
  /** Names of tools whose results stay as they are. Defaults to none. */
  readonly except?: readonly string[] | undefined
}

/** Options of {@link offloadMiddleware}. */
export interface OffloadMiddlewareOptions extends OffloadOptions {
  /**
   * What becomes of what a tool throws.
   *
   * With `message`, the default, the model gets the message that LangChain writes where no middleware is around tool
   * calls. With `throw` it is thrown on, for middleware outside of this one, and ends the run where there is none.
   */
  readonly toolErrors?: 'message' | 'throw' | undefined
}

const NAMES: ReadonlySet<string> = new Set<keyof OffloadMiddlewareOptions>(['scope', 'except', 'toolErrors'])

/** Refuse with a `TypeError` an offloader or options that cannot work, before any tool runs. */
export function assertOptions(offloader: ContextOffloader, options: OffloadMiddlewareOptions): void {
  const { offload, forScope } = Object(offloader) as Partial<ContextOffloader>
  if (typeof offload !== 'function' || typeof forScope !== 'function')
    throw new TypeError('offloader must be a ContextOffloader: new ContextOffloader({ storage }).')
  for (const name of Object.keys(options))
    if (!NAMES.has(name))
      throw new TypeError(`Unknown option ${JSON.stringify(name)}. Known: ${[...NAMES].join(', ')}.`)
  const { scope, except = [], toolErrors = 'message' } = options
  if (scope !== undefined && typeof scope !== 'function')
    throw new TypeError(`scope must be a function of the run, got ${typeof scope}. For one scope: scope: () => ['id'].`)
  if (!Array.isArray(except) || except.some((name) => typeof name !== 'string'))
    throw new TypeError("except must be an array of tool names, such as ['read_file'].")
  if (toolErrors !== 'message' && toolErrors !== 'throw')
    throw new TypeError(`toolErrors must be 'message' or 'throw', got ${String(toolErrors)}.`)
  if (scope === undefined && typeof offloader.options.storage.scope !== 'function')
    throw new TypeError(
      'This storage has no scope() and cannot keep threads apart. Wrap it with createStorage(), ' +
        'or let all threads share it with scope: () => [].',
    )
}
