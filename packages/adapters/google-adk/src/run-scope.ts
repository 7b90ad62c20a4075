import type { InvocationContext } from '@google/adk'
import type { ContextOffloader } from '@spillway/core'
import { runsOf, type RunOptions, type RunOptionsCheck, type Runs } from '@spillway/core/adapter'

/** The run that the option `scope` gets. */
export interface ScopeRun {
  readonly appName: string
  readonly userId: string
  readonly sessionId: string
  /** Access to all other values, such as `session.state`. */
  readonly invocationContext: InvocationContext
}

/** Options of {@link offloadPlugin}. The scope defaults to the app's name and the ids of user and session. */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

export type Invocations = Runs<InvocationContext>

export const invocationsOf = (
  offloader: ContextOffloader,
  options: OffloadOptions,
  check: RunOptionsCheck,
): Invocations =>
  runsOf(offloader, options, {
    ...check,
    read: (invocationContext: InvocationContext): ScopeRun => {
      const { appName, userId, session } = invocationContext
      return { appName, userId, sessionId: session.id, invocationContext }
    },
    scope: ({ appName, userId, sessionId }) => [appName, userId, sessionId],
  })
