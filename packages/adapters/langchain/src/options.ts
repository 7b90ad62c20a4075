import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, type RunOptions } from '@spillway/core/adapter'
import type { ScopeRun } from './run-scope.ts'

/**
 * Options of {@link offloadMiddleware}, {@link offloadTools} and {@link retrievalTool}.
 *
 * The scope of a run defaults to its `thread_id`, and to no segments where there is none.
 */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

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

/** Refuse with a `TypeError` an offloader or options that cannot work, before any tool runs. */
export function assertOptions(offloader: ContextOffloader, options: OffloadMiddlewareOptions): void {
  assertRunOptions(offloader, options, { usage: 'offloadMiddleware(offloader, options)', others: ['toolErrors'] })
  const { toolErrors = 'message' } = options
  if (toolErrors !== 'message' && toolErrors !== 'throw')
    throw new TypeError(`toolErrors must be 'message' or 'throw', got ${String(toolErrors)}.`)
}
