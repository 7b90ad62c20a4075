import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, type RunOptions } from '@spillway/core/adapter'
import type { ScopeRun } from './run-scope.ts'

/**
 * Options of {@link offloadProcessor} and {@link retrievalTool}.
 *
 * The scope of a run defaults to the id of its memory thread, and to no segments where it has none.
 */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** Refuse with a `TypeError` an offloader or options that cannot work, before any tool runs. */
export function assertOptions(offloader: ContextOffloader, options: OffloadOptions): void {
  assertRunOptions(offloader, options, { usage: 'offloadProcessor(offloader, options)' })
}
