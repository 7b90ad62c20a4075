import type { ContextOffloader } from '@spillway/core'
import { runsOf, SmallTexts, type RunOptions, type RunOptionsCheck, type Runs } from '@spillway/core/adapter'

/** The operation that the option `scope` gets. */
export interface OffloadRun {
  /** Absent if the caller passed no id of a conversation. */
  readonly conversationId: string | undefined
  /** Absent if the caller passed no id of a user. */
  readonly userId: string | undefined
  /** The caller's `context`, which a supervisor and its subagents share. */
  readonly context: ReadonlyMap<string | symbol, unknown>
}

/**
 * Options of {@link offloadTools}, {@link offloadHooks} and {@link retrievalTool}: pass the same options to each.
 *
 * The scope defaults to the ids of the user, if any, and of the conversation, or else is empty.
 */
export interface OffloadOptions extends RunOptions<OffloadRun> {}

export interface Settings extends Runs<unknown> {
  /** Small texts, compared by value, because VoltAgent creates new messages for each operation. */
  readonly smallTexts: SmallTexts
}

export function resolveOptions(offloader: ContextOffloader, options: OffloadOptions, check: RunOptionsCheck): Settings {
  const runs = runsOf(offloader, options, { ...check, read: readOperation, scope: conversationScope })
  return { ...runs, smallTexts: new SmallTexts() }
}

function readOperation(operation: unknown): OffloadRun {
  const { conversationId, userId, context = new Map() } = Object(operation) as Partial<OffloadRun>
  return { conversationId, userId, context }
}

function conversationScope({ conversationId, userId }: OffloadRun): readonly string[] {
  if (!conversationId) return []
  return userId ? [userId, conversationId] : [conversationId]
}
