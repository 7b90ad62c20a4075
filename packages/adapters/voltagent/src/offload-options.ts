import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, SmallTexts } from '@spillway/core/adapter'
import type { RunOptions, RunOptionsCheck } from '@spillway/core/adapter'

/** An operation, as the option `scope` gets it. */
export interface OffloadRun {
  /** The id of the conversation, if the caller passed one. */
  readonly conversationId: string | undefined
  /** The id of the user, if the caller passed one. */
  readonly userId: string | undefined
  /** The caller's `context`, which a supervisor and its subagents share. */
  readonly context: ReadonlyMap<string | symbol, unknown>
}

/**
 * Options of {@link offloadTools}, {@link offloadHooks} and {@link retrievalTool}. Pass the same to each.
 *
 * The scope of an operation defaults to the id of its user, if any, and that of its conversation; without a
 * conversation to no segments.
 */
export interface OffloadOptions extends RunOptions<OffloadRun> {}

/** Resolved options. */
export interface Settings {
  readonly offloaderOf: (operation: unknown) => ContextOffloader
  readonly except: ReadonlySet<string>
  /** Texts of histories within the limit: VoltAgent makes messages anew for each operation. */
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
