import type { AgentInputItem, CallModelInputFilter, ModelInputData } from '@openai/agents'
import type { ScopeRun } from './run-scope.ts'

export interface CalledRun extends ScopeRun {
  readonly signal?: AbortSignal | undefined
  /** Items that may be changed in place. Other items are copied. */
  readonly changeable: ReadonlySet<AgentInputItem>
}

/** The filter in two steps: `offloadRunner` replaces results between them. */
export interface HistoryFilter {
  /** The program's own filter, which runs first. */
  readonly own: CallModelInputFilter | undefined
  readonly compact: (data: ModelInputData, run: CalledRun) => Promise<ModelInputData>
}

const HISTORY: unique symbol = Symbol('history filter')

export function markFilter(filter: CallModelInputFilter, history: HistoryFilter): CallModelInputFilter {
  return Object.assign(filter, { [HISTORY]: history })
}

/** Read the steps of a filter. A filter without a mark is the program's own. */
export function readFilter(filter: CallModelInputFilter | undefined): Partial<HistoryFilter> {
  return (filter as { readonly [HISTORY]?: HistoryFilter } | undefined)?.[HISTORY] ?? { own: filter }
}
