import type { RunContext } from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, type KnownOutputs, type RunOptions } from '@spillway/core/adapter'
import type { ResultOutput } from './result-parts.ts'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  /** What the program passed as `context`; an empty object where it passed none. */
  readonly context: unknown
  /** The id of the run's `Session`, else its `conversationId`; `undefined` without either, and outside of `offloadRunner`. */
  readonly sessionId?: string | undefined
}

/** Options of all that is here: pass the same to each. The scope defaults to the run's `sessionId`, or to no segments. */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** A run, and what {@link offloadRunner} knows of it that the SDK does not tell guardrails and tools. */
export interface ActiveRun extends ScopeRun {
  readonly signal?: AbortSignal | undefined
  readonly outputs?: KnownOutputs<ResultOutput>
}

/** By the usage that a context counts in: an agent that runs as a tool has a context of its own, and counts in the same. */
const runsOf = new WeakMap<object, Set<ActiveRun>>()

/** Make the function that gives each run the offloader of its scope; it never throws. Refuses what cannot work. */
export function scopedOffloader(
  offloader: ContextOffloader,
  options: OffloadOptions,
  usage: string,
): (run: ScopeRun) => ContextOffloader {
  assertRunOptions(offloader, options, { usage })
  return offloaderOfRun(offloader, options.scope ?? scopeOfSession)
}

/** Name the scope of a run where the program does not. */
export const scopeOfSession = ({ sessionId = '' }: ScopeRun): readonly string[] => (sessionId === '' ? [] : [sessionId])

/** Make a run known by its context, and return the function that ends this. */
export function enterRun({ usage }: RunContext, run: ActiveRun): () => void {
  const runs = runsOf.get(usage) ?? new Set()
  if ([...runs].some(({ sessionId }) => sessionId !== run.sessionId))
    throw new TypeError(
      'A run of another session goes on in this RunContext. Pass `context.context` for one of its own.',
    )
  runsOf.set(usage, runs.add(run))
  return () => void runs.delete(run)
}

/** Say what is known of the run of a context. */
export function findRun({ context, usage }: RunContext): ActiveRun {
  return { ...[...(runsOf.get(usage) ?? [])].at(-1), context }
}
