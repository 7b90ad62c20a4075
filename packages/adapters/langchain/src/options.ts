import type { ContextOffloader } from '@spillway/core'
import type { RunOptions, Runs } from '@spillway/core/adapter'
import { threadRuns, type ScopeRun } from './run-scope.ts'

/** Options of {@link offloadTools} and {@link retrievalTool}. The scope defaults to the `thread_id`, if any. */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** Options of {@link offloadMiddleware}. */
export interface OffloadMiddlewareOptions extends OffloadOptions {
  /** `message`, the default, gives the model LangChain's error message. `throw` rethrows, for outer middleware. */
  readonly toolErrors?: 'message' | 'throw' | undefined
}

export function resolveOptions(offloader: ContextOffloader, options: OffloadMiddlewareOptions): Runs<unknown> {
  const check = { usage: 'offloadMiddleware(offloader, options)', others: ['toolErrors'] }
  const runs = threadRuns(offloader, options, check)
  const { toolErrors = 'message' } = options
  if (toolErrors !== 'message' && toolErrors !== 'throw')
    throw new TypeError(`toolErrors must be 'message' or 'throw', got ${String(toolErrors)}.`)
  return runs
}
