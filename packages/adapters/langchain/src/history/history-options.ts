import type { BaseMessage } from '@langchain/core/messages'
import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions } from '@spillway/core/adapter'
import type { RunHistoryOptions } from '@spillway/history'
import type { RunScope } from '../run-scope.ts'

/** Options of {@link historyMiddleware}, beside the limits that every history has. */
export interface HistoryMiddlewareOptions extends RunHistoryOptions<readonly BaseMessage[]> {
  /** Names the scope of a run: the same as that of `offloadMiddleware`. Defaults to its `thread_id`. */
  readonly scope?: RunScope | undefined
  /**
   * Where the shorter history takes the place of the whole one.
   *
   * - `prompt`, the default: in what the model gets. The state, and with it checkpoints and what the program sees, stay whole.
   * - `state`: in the messages of the state, for good. Checkpoints get smaller, each round takes one more step of the graph,
   *   and the agent's own system prompt does not count.
   */
  readonly replaceIn?: 'prompt' | 'state' | undefined
}

/** Refuse with a `TypeError` an offloader or options that cannot work; limits are checked where they are used. */
export function assertHistoryOptions(
  offloader: ContextOffloader,
  options: HistoryMiddlewareOptions,
): HistoryMiddlewareOptions {
  const { scope, replaceIn = 'prompt' } = Object(options) as HistoryMiddlewareOptions
  const own = typeof options === 'object' && options !== null ? { scope } : options
  assertRunOptions(offloader, own, { usage: 'historyMiddleware(offloader, options)' })
  if (replaceIn !== 'prompt' && replaceIn !== 'state')
    throw new TypeError(`replaceIn must be 'prompt' or 'state', got ${String(replaceIn)}.`)
  return options
}
