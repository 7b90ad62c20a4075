import type { AgentInputItem, CallModelInputFilter, ModelInputData } from '@openai/agents'
import type { ScopeRun } from './run-scope.ts'

/** The run in which a model is called, and what may be done with what it is to get. */
export interface CalledRun extends ScopeRun {
  readonly signal?: AbortSignal | undefined
  /** The items that may be changed; others are copied. */
  readonly changeable: ReadonlySet<AgentInputItem>
}

/** What a filter does that keeps the history small: `offloadRunner` replaces results between the two. */
export interface HistoryFilter {
  /** The program's own, which goes first. */
  readonly own: CallModelInputFilter | undefined
  readonly compact: (data: ModelInputData, run: CalledRun) => Promise<ModelInputData>
}

const HISTORY: unique symbol = Symbol('history filter')

/** Mark a filter as one that keeps the history small. */
export function markFilter(filter: CallModelInputFilter, history: HistoryFilter): CallModelInputFilter {
  return Object.assign(filter, { [HISTORY]: history })
}

/** What a filter does that {@link markFilter} has marked; any other is the program's own. */
export function readFilter(filter: CallModelInputFilter | undefined): Partial<HistoryFilter> {
  return (filter as { readonly [HISTORY]?: HistoryFilter } | undefined)?.[HISTORY] ?? { own: filter }
}
