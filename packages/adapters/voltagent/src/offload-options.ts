import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, SmallTexts } from '@spillway/core/adapter'
import type { RunOptions, RunOptionsCheck } from '@spillway/core/adapter'

/** An operation, as the option `scope` gets it. */
export interface OffloadRun {
  /** Absent if the caller passed no id of a conversation. */
  readonly conversationId: string | undefined
  /** Absent if the caller passed no id of a user. */
  readonly userId: string | undefined
  /** The caller's `context`, which a supervisor and its subagents share. */
  readonly context: ReadonlyMap<string | symbol, unknown>
}

/**
 * Options of {@link offloadTools}, {@link offloadHooks} and {@link retrievalTool}: pass the same to each.
 *
 * The scope defaults to the ids of the user, if any, and of the conversation; to no segments without a conversation.
 */
export interface OffloadOptions extends RunOptions<OffloadRun> {}

export interface Settings {
  readonly offloaderOf: (operation: unknown) => ContextOffloader
  readonly except: ReadonlySet<string>
  /** VoltAgent makes messages anew for each operation. */
  readonly smallTexts: SmallTexts
}

export function resolveOptions(offloader: ContextOffloader, options: OffloadOptions, check: RunOptionsCheck): Settings {
  assertRunOptions(offloader, options, check)
  const { scope, except } = options
  const offloaderOf = offloaderOfRun(offloader, (operation: unknown) => {
    const { conversationId, userId, context = new Map() } = Object(operation) as Partial<OffloadRun>
    if (scope !== undefined) return scope({ conversationId, userId, context })
    if (!conversationId) return []
    return userId ? [userId, conversationId] : [conversationId]
  })
  return { offloaderOf, except: new Set(except), smallTexts: new SmallTexts() }
}
