import type { RunContext } from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { runsOf, type KnownOutputs, type RunOptions, type RunOptionsCheck, type Runs } from '@spillway/core/adapter'
import type { ResultOutput } from './result-parts.ts'

/** The run that the option `scope` gets. */
export interface ScopeRun {
  /** The program's `context`; an empty object by default. */
  readonly context: unknown
  /** The id of the run's `Session`. Without a session, its `conversationId`. Absent without `offloadRunner`. */
  readonly sessionId?: string | undefined
}

/** Options of this package's functions. Pass the same to each. The scope defaults to the run's `sessionId`, if any. */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** A run with the values that the SDK does not pass to guardrails and tools. */
interface ActiveRun extends ScopeRun {
  readonly signal?: AbortSignal | undefined
  readonly outputs?: KnownOutputs<ResultOutput>
}

/** Runs, keyed by the usage of their context. An agent used as a tool has its own context with the same usage. */
const activeRuns = new WeakMap<object, Set<ActiveRun>>()

export const sessionRuns = (
  offloader: ContextOffloader,
  options: OffloadOptions,
  check: RunOptionsCheck,
): Runs<ScopeRun> => runsOf(offloader, options, { ...check, read: (run: ScopeRun) => run, scope: sessionScope })

const sessionScope = ({ sessionId = '' }: ScopeRun): readonly string[] => (sessionId === '' ? [] : [sessionId])

/** Registers a run, and returns the function that ends it. */
export function enterRun({ usage }: RunContext, run: ActiveRun): () => void {
  const runs = activeRuns.get(usage) ?? new Set()
  if ([...runs].some(({ sessionId }) => sessionId !== run.sessionId))
    throw new TypeError('This RunContext is in use by a run of another session. Pass `context.context` to the new run.')
  activeRuns.set(usage, runs.add(run))
  return () => void runs.delete(run)
}

export function findRun({ context, usage }: RunContext): ActiveRun {
  return { ...[...(activeRuns.get(usage) ?? [])].at(-1), context }
}
