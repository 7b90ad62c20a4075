import type { MastraDBMessage } from '@mastra/core/agent'
import type { RequestContext } from '@mastra/core/request-context'
import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, type RunOptions } from '@spillway/core/adapter'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  /** The id of the memory thread, with or without a memory that keeps it; absent where the caller named none. */
  readonly threadId: string | undefined
  /** The id of the resource that owns the thread, such as a user's; absent where the caller named none. */
  readonly resourceId: string | undefined
  /** What the caller or the server's middleware passed along with the run. */
  readonly requestContext: RequestContext | undefined
}

/**
 * Options of {@link offloadProcessor} and {@link retrievalTool}.
 *
 * The scope of a run defaults to the id of its memory thread, and to no segments where it has none.
 */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** As much of a processor's arguments, or of a tool's context, as names the thread. */
export interface RunContext {
  readonly requestContext?: RequestContext | undefined
  readonly messages?: readonly MastraDBMessage[] | undefined
  readonly agent?: unknown
}

/** Make the function that gives each run the offloader of its scope; it never throws. Refuses what cannot work. */
export function scopedOffloader(
  offloader: ContextOffloader,
  options: OffloadOptions,
  usage: string,
): (context: RunContext) => ContextOffloader {
  assertRunOptions(offloader, options, { usage })
  return offloaderOfRun(offloader, segmentsOfRun(options.scope))
}

/** Make the function that returns the value of a run: Mastra gives all hooks of a run the same state. */
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

/** Make the function that names the scope of each run by its segments. */
export function segmentsOfRun(
  scope: (run: ScopeRun) => readonly string[] = threadScope,
): (context: RunContext) => readonly string[] {
  return (context) => scope(scopeRun(context))
}

const threadScope = ({ threadId = '' }: ScopeRun): readonly string[] => (threadId === '' ? [] : [threadId])

/**
 * Tools are told the thread, and every message of a run carries it; the newest counts, as older ones may be recalled from
 * other threads. A sub-agent may run with the request context of another thread: that comes last.
 */
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
