import type { InvocationContext } from '@google/adk'
import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, type RunOptions } from '@spillway/core/adapter'

/** A run, as the option `scope` gets it. */
export interface ScopeRun {
  readonly appName: string
  readonly userId: string
  readonly sessionId: string
  /** Has all else, such as `session.state`. */
  readonly invocationContext: InvocationContext
}

/**
 * Options of {@link offloadPlugin} and {@link retrievalTool}. The scope defaults to the app's name, the user's id and
 * the session's id.
 */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

export type OffloaderOf = (invocationContext: InvocationContext) => ContextOffloader

export function offloaderOfInvocation(
  offloader: ContextOffloader,
  options: OffloadOptions,
  usage: string,
): OffloaderOf {
  assertRunOptions(offloader, options, { usage })
  return offloaderOfRun(offloader, segmentsOfInvocation(options.scope))
}

export function segmentsOfInvocation(
  scope: (run: ScopeRun) => readonly string[] = sessionScope,
): (invocationContext: InvocationContext) => readonly string[] {
  return (invocationContext) => {
    const { appName, userId, session } = invocationContext
    return scope({ appName, userId, sessionId: session.id, invocationContext })
  }
}

const sessionScope = ({ appName, userId, sessionId }: ScopeRun): readonly string[] => [appName, userId, sessionId]
