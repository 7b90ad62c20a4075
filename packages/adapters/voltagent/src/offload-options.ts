import type { ContextOffloader } from '@spillway/core'
import { offloaderOfRun, type RunOptions } from '@spillway/core/adapter'

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

/** Make the function that gives each operation, or what a tool runs with, the offloader of its scope. It never throws. */
export function offloaderOfOperation(
  offloader: ContextOffloader,
  { scope = conversationScope }: OffloadOptions,
): (operation: unknown) => ContextOffloader {
  return offloaderOfRun(offloader, (operation: unknown) => {
    const { conversationId, userId, context = new Map() } = Object(operation) as Partial<OffloadRun>
    return scope({ conversationId, userId, context })
  })
}

function conversationScope({ conversationId, userId }: OffloadRun): readonly string[] {
  if (!conversationId) return []
  return userId ? [userId, conversationId] : [conversationId]
}
