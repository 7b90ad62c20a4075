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

/** By the filters that a program passes to a runner. */
export const historyFilters: WeakMap<CallModelInputFilter, HistoryFilter> = new WeakMap()
