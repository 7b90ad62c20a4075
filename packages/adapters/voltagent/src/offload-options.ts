import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, type RunOptions, type RunOptionsCheck } from '@spillway/core/adapter'

/** What is known of an operation of an agent when its scope is asked for. */
export interface OffloadRun {
  /** The id of the conversation; absent where the caller passed none. */
  readonly conversationId: string | undefined
  /** The id of the user; absent where the caller passed none. */
  readonly userId: string | undefined
  /** What the caller passed as `context`; a supervisor and its subagents share it. */
  readonly context: ReadonlyMap<string | symbol, unknown>
}

/**
 * Options of {@link offloadTools}, {@link offloadHooks} and {@link retrievalTool}. Pass the same to each.
 *
 * The scope of an operation defaults to the id of its user, if any, and that of its conversation; to no segments without a
 * conversation.
 */
export interface OffloadOptions extends RunOptions<OffloadRun> {}

/** What the options come to: the offloader of each operation, or of what a tool runs with; and which tools are left alone. */
export interface Settings {
  readonly offloaderOf: (operation: unknown) => ContextOffloader
  readonly except: ReadonlySet<string>
}

/** Refuse an offloader or options that cannot work with a `TypeError`, and return what they come to. */
export function resolveOptions(offloader: ContextOffloader, options: OffloadOptions, check: RunOptionsCheck): Settings {
  assertRunOptions(offloader, options, check)
  const { scope, except } = options
  const offloaderOf = offloaderOfRun(offloader, (operation: unknown) => {
    const { conversationId, userId, context = new Map() } = Object(operation) as Partial<OffloadRun>
    if (scope !== undefined) return scope({ conversationId, userId, context })
    if (!conversationId) return []
    return userId ? [userId, conversationId] : [conversationId]
  })
  return { offloaderOf, except: new Set(except) }
}
