import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'
import type { ContextOffloader } from '@spillway/core'
import { runsOf, type RunOptions, type RunOptionsCheck, type Runs } from '@spillway/core/adapter'

/** The run that the option `scope` gets. */
export interface ScopeRun {
  /** The caller's `configurable`, with `thread_id`; empty by default. */
  readonly configurable: Readonly<Record<string, unknown>>
  /** The caller's `context`, typed by the agent's `contextSchema`. */
  readonly context: unknown
}

/** Returns the scope of a run as segments; an empty list means the offloader's own scope. */
export type RunScope = (run: ScopeRun) => readonly string[]

export const threadRuns = (
  offloader: ContextOffloader,
  options: RunOptions<ScopeRun>,
  check: RunOptionsCheck,
): Runs<unknown> => runsOf(offloader, options, { ...check, read: scopeRun, scope: threadScope })

function threadScope({ configurable: { thread_id: id } }: ScopeRun): readonly string[] {
  if (id === undefined || id === null || id === '') return []
  if (typeof id === 'string' || typeof id === 'number') return [String(id)]
  throw new TypeError(`thread_id must be a string or a number to be a scope, got ${typeof id}. Pass the option scope.`)
}

/** Before version 1.0.3, LangChain's runtime has no `configurable`, but the run's config has it. */
function scopeRun(runtime: unknown): ScopeRun {
  const { configurable, context } = Object(runtime) as Partial<ScopeRun>
  if (configurable !== undefined) return { configurable, context }
  const config = Object(AsyncLocalStorageProviderSingleton.getRunnableConfig()) as Partial<ScopeRun>
  return { configurable: config.configurable ?? {}, context: context ?? config.context }
}
