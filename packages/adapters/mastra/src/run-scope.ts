import type { MastraDBMessage } from '@mastra/core/agent'
import type { RequestContext } from '@mastra/core/request-context'
import type { ContextOffloader } from '@spillway/core'
import { runsOf, type RunOptions, type RunOptionsCheck, type Runs } from '@spillway/core/adapter'

/** The run that the option `scope` gets. */
export interface ScopeRun {
  /** The id of the memory thread, even without a memory. */
  readonly threadId: string | undefined
  /** The id of the thread's owner, such as a user's. */
  readonly resourceId: string | undefined
  /** The request context that the caller or the server's middleware set. */
  readonly requestContext: RequestContext | undefined
}

/** Options of {@link offloadProcessor}. The scope defaults to the id of the memory thread, if any. */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** The arguments of a processor or a tool, which name the thread. */
export interface RunContext {
  readonly requestContext?: RequestContext | undefined
  readonly messages?: readonly MastraDBMessage[] | undefined
  readonly agent?: unknown
}

export const threadRuns = (
  offloader: ContextOffloader,
  options: OffloadOptions,
  check: RunOptionsCheck,
): Runs<RunContext> => runsOf(offloader, options, { ...check, read: scopeRun, scope: threadScope })

/** The value of one run. Mastra gives all hooks of a run the same state. */
export function perRun<Hook extends { readonly state: object }, Value>(
  make: (hook: Hook) => Value,
): (hook: Hook) => Value {
  const values = new WeakMap<object, Value>()
  return (hook) => {
    const value = values.get(hook.state) ?? make(hook)
    values.set(hook.state, value)
    return value
  }
}

const threadScope = ({ threadId = '' }: ScopeRun): readonly string[] => (threadId === '' ? [] : [threadId])

/** Finds the run's own thread. Older messages, and the context of a sub-agent's parent, may name others. */
function scopeRun({ requestContext, messages = [], agent }: RunContext): ScopeRun {
  const ofTool = Object(agent) as { readonly threadId?: string; readonly resourceId?: string }
  const ofMessage = messages.findLast((message) => message.threadId !== undefined)
  const memory = Object(requestContext?.get('MastraMemory')) as {
    readonly thread?: { readonly id?: string }
    readonly resourceId?: string
  }
  return {
    threadId: ofTool.threadId ?? ofMessage?.threadId ?? memory.thread?.id,
    resourceId: ofTool.resourceId ?? ofMessage?.resourceId ?? memory.resourceId,
    requestContext,
  }
}
