import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, type RunOptions } from '@spillway/core/adapter'
import type { ScopeRun } from './run-scope.ts'

/**
 * Options of {@link offloadTools} and {@link retrievalTool}. The scope of a run defaults to its `thread_id`, if any.
 */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** Options of {@link offloadMiddleware}. */
export interface OffloadMiddlewareOptions extends OffloadOptions {
  /**
   * With `message`, the default, the model gets the message that LangChain writes without middleware. With `throw` the
   * error is thrown on; without outer middleware it ends the run.
   */
  readonly toolErrors?: 'message' | 'throw' | undefined
}

export function assertOptions(offloader: ContextOffloader, options: OffloadMiddlewareOptions): void {
  assertRunOptions(offloader, options, { usage: 'offloadMiddleware(offloader, options)', others: ['toolErrors'] })
  const { toolErrors = 'message' } = options
  if (toolErrors !== 'message' && toolErrors !== 'throw')
    throw new TypeError(`toolErrors must be 'message' or 'throw', got ${String(toolErrors)}.`)
}
