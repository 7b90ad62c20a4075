import type { AgentInputItem, CallModelInputFilter } from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions } from '@spillway/core/adapter'
import { compactorOfRun, openAIAgents, type RunHistoryOptions } from '@spillway/history'
import { markFilter, type CalledRun, type HistoryFilter } from '../history-filters.ts'
import { scopeOfSession, type OffloadOptions, type ScopeRun } from '../run-scope.ts'
import { joinPrompt, splitPrompt } from './model-prompt.ts'

/** How histories are kept small; with a `scope` of your own, that of `offloadRunner`. */
export interface HistoryFilterOptions extends RunHistoryOptions<AgentInputItem[]>, Pick<OffloadOptions, 'scope'> {}

const USAGE = 'historyInputFilter(offloader, options, filter)'

/**
 * Make a `callModelInputFilter` that keeps the history small: over its limit, older large results become references, and
 * with `summarize` older items a summary at the end of the instructions. Nothing else changes, and nothing below the limit.
 *
 * It changes the model's view alone. What became of a history is remembered for the next call, in the scope of its session,
 * so that input between two passes only grows. What cannot be stored or summarised stays. Give it to the runner that
 * `offloadRunner` wraps, or to its `run`: that tells it the session and the signal of the run, and replaces large results
 * first. Without `offloadRunner` all runs share the offloader as it is, unless `scope` names another by their context.
 *
 * @param filter - Your own, which goes first.
 * @throws TypeError where an argument is not usable.
 *
 * @example
 * ```ts
 * import { Runner } from '@openai/agents'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { offloadRunner } from '@spillway/openai-agents'
 * import { historyInputFilter, summarizeWith } from '@spillway/openai-agents/history'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const limits = { maxTotalTokens: 100_000, summarize: summarizeWith('gpt-5-mini') }
 * const callModelInputFilter = historyInputFilter(offloader, limits)
 * const runner = offloadRunner(new Runner({ callModelInputFilter }), offloader)
 * console.assert(typeof runner.run === 'function')
 * ```
 */
export function historyInputFilter(
  offloader: ContextOffloader,
  { scope, ...options }: HistoryFilterOptions = {},
  filter?: CallModelInputFilter,
): CallModelInputFilter {
  assertRunOptions(offloader, scope === undefined ? {} : { scope }, { usage: USAGE })
  if (filter !== undefined && typeof filter !== 'function')
    throw new TypeError(`filter must be a function, got ${typeof filter}: ${USAGE}.`)
  const format = openAIAgents<AgentInputItem>()
  const compactorOf = compactorOfRun<ScopeRun, AgentInputItem[]>(offloader, scope ?? scopeOfSession, {
    ...options,
    format,
  })

  const compact: HistoryFilter['compact'] = async (data, { signal, changeable, ...run }) => {
    const prompt = joinPrompt(data)
    const { messages } = await compactorOf(run).compact(prompt, { signal })
    return messages === prompt ? data : splitPrompt(data, messages, changeable)
  }
  const historyFilter: CallModelInputFilter = async (args) => {
    const data = filter === undefined ? args.modelData : await filter(args)
    // Where the program's filter gives no input, the SDK says so.
    if (!Array.isArray(data?.input)) return data
    const run: CalledRun = { context: args.context, changeable: new Set(args.modelData.input) }
    return await compact(data, run)
  }
  return markFilter(historyFilter, { own: filter, compact })
}
