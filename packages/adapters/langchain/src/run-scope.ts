import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'
import type { ContextOffloader } from '@spillway/core'
import { offloaderOfRun as offloaderOf } from '@spillway/core/adapter'

/** A run, as the option `scope` gets it. */
export interface ScopeRun {
  /** The caller's `configurable`, with `thread_id`; empty by default. */
  readonly configurable: Readonly<Record<string, unknown>>
  /** The caller's `context`, typed by the agent's `contextSchema`. */
  readonly context: unknown
}

/** Returns the scope of a run as segments; an empty list means the offloader's own scope. */
export type RunScope = (run: ScopeRun) => readonly string[]

export function offloaderOfRun(offloader: ContextOffloader, scope?: RunScope): (runtime: unknown) => ContextOffloader {
  return offloaderOf(offloader, segmentsOfRun(scope))
}

export function segmentsOfRun(scope: RunScope = threadScope): (runtime: unknown) => readonly string[] {
  return (runtime) => scope(scopeRun(runtime))
}

function threadScope({ configurable: { thread_id: id } }: ScopeRun): readonly string[] {
  if (id === undefined || id === null || id === '') return []
  if (typeof id === 'string' || typeof id === 'number') return [String(id)]
  throw new TypeError(`thread_id must be a string or a number to be a scope, got ${typeof id}. Pass the option scope.`)
}

/** Before 1.0.3 LangChain's runtime has no `configurable`; the run's config has it. */
function scopeRun(runtime: unknown): ScopeRun {
  const { configurable, context } = Object(runtime) as Partial<ScopeRun>
  if (configurable !== undefined) return { configurable, context }
  const config = Object(AsyncLocalStorageProviderSingleton.getRunnableConfig()) as Partial<ScopeRun>
  return { configurable: config.configurable ?? {}, context: context ?? config.context }
}
