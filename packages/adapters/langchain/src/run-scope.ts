import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'
import type { ContextOffloader } from '@spillway/core'
import { offloaderOfRun as offloaderOf } from '@spillway/core/adapter'

/** What is known of a run when its scope is asked for. */
export interface ScopeRun {
  /** What the caller passed as `configurable`, such as `thread_id`; empty where there is nothing. */
  readonly configurable: Readonly<Record<string, unknown>>
  /** What the caller passed as `context`: the run's own, typed by the agent's `contextSchema`. */
  readonly context: unknown
}

/** Names the scope of a run by its segments; none stand for the offloader as it is. */
export type RunScope = (run: ScopeRun) => readonly string[]

/** Make the function that gives each runtime or config the offloader of its scope. It never throws. */
export function offloaderOfRun(offloader: ContextOffloader, scope?: RunScope): (runtime: unknown) => ContextOffloader {
  return offloaderOf(offloader, segmentsOfRun(scope))
}

/** Make the function that names the scope of a runtime or config by its segments. */
export function segmentsOfRun(scope: RunScope = threadScope): (runtime: unknown) => readonly string[] {
  return (runtime) => scope(scopeRun(runtime))
}

function threadScope({ configurable: { thread_id: id } }: ScopeRun): readonly string[] {
  if (id === undefined || id === null || id === '') return []
  if (typeof id === 'string' || typeof id === 'number') return [String(id)]
  throw new TypeError(`thread_id must be a string or a number to be a scope, got ${typeof id}. Pass the option scope.`)
}

/** Before 1.0.3 the runtime of LangChain lacks `configurable`; the config of the run has it. */
function scopeRun(runtime: unknown): ScopeRun {
  const { configurable, context } = Object(runtime) as Partial<ScopeRun>
  if (configurable !== undefined) return { configurable, context }
  const config = Object(AsyncLocalStorageProviderSingleton.getRunnableConfig()) as Partial<ScopeRun>
  return { configurable: config.configurable ?? {}, context: context ?? config.context }
}
