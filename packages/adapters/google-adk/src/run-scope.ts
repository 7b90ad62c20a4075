import type { InvocationContext } from '@google/adk'
import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, type RunOptions } from '@spillway/core/adapter'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  readonly appName: string
  readonly userId: string
  readonly sessionId: string
  /** All else, such as `session.state`, which tools may change. */
  readonly invocationContext: InvocationContext
}

/**
 * Options of {@link offloadPlugin} and {@link retrievalTool}.
 *
 * The scope of a run defaults to its app's name, its user's and its session's id.
 */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** Gives each invocation the offloader of its scope. */
export type OffloaderOf = (invocationContext: InvocationContext) => ContextOffloader

/** Make the function that gives each invocation the offloader of its scope. Refuses options that cannot work. */
export function offloaderOfInvocation(
  offloader: ContextOffloader,
  options: OffloadOptions,
  usage: string,
): OffloaderOf {
  assertRunOptions(offloader, options, { usage })
  return offloaderOfRun(offloader, segmentsOfInvocation(options.scope))
}

/** Make the function that names the scope of each invocation by its segments. */
export function segmentsOfInvocation(
  scope: (run: ScopeRun) => readonly string[] = sessionScope,
): (invocationContext: InvocationContext) => readonly string[] {
  return (invocationContext) => {
    const { appName, userId, session } = invocationContext
    return scope({ appName, userId, sessionId: session.id, invocationContext })
  }
}

const sessionScope = ({ appName, userId, sessionId }: ScopeRun): readonly string[] => [appName, userId, sessionId]
