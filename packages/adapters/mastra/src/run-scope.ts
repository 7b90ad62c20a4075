import type { MastraDBMessage } from '@mastra/core/agent'
import type { RequestContext } from '@mastra/core/request-context'
import type { ContextOffloader } from '@spillway/core'
import { offloaderOfRun as offloaderOf } from '@spillway/core/adapter'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  /** The id of the memory thread, with or without a memory that keeps it; absent where the caller named none. */
  readonly threadId: string | undefined
  /** The id of the resource that owns the thread, such as a user's; absent where the caller named none. */
  readonly resourceId: string | undefined
  /** What the caller or the server's middleware passed along with the run. */
  readonly requestContext: RequestContext | undefined
}

/** Names the scope of a run by its segments; none stand for the offloader as it is. */
export type RunScope = (run: ScopeRun) => readonly string[]

/** As much of a processor's arguments, or of a tool's context, as names the thread. */
export interface RunContext {
  readonly requestContext?: RequestContext | undefined
  readonly messages?: readonly MastraDBMessage[] | undefined
  readonly agent?: unknown
}

/** Make the function that gives each run the offloader of its scope. It never throws. */
export function offloaderOfRun(
  offloader: ContextOffloader,
  scope: RunScope = threadScope,
): (context: RunContext) => ContextOffloader {
  return offloaderOf(offloader, (context: RunContext) => scope(scopeRun(context)))
}

function threadScope({ threadId }: ScopeRun): readonly string[] {
  return threadId === undefined || threadId === '' ? [] : [threadId]
}

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
