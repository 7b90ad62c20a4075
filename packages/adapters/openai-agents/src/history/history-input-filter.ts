import type { AgentInputItem, CallModelInputFilter, ModelInputData } from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions } from '@spillway/core/adapter'
import { compactorOfRun, openAIAgents, type RunHistoryOptions } from '@spillway/history'
import { markFilter, type CalledRun, type HistoryFilter } from '../history-filters.ts'
import { scopeOfSession, type OffloadOptions, type ScopeRun } from '../run-scope.ts'

/** Options of {@link historyInputFilter}; with a `scope`, that of `offloadRunner`. */
export interface HistoryFilterOptions extends RunHistoryOptions<AgentInputItem[]>, Pick<OffloadOptions, 'scope'> {}

const USAGE = 'historyInputFilter(offloader, options, filter)'

/**
 * Make a `callModelInputFilter` that keeps the history small: over its limit, older large results become references,
 * and with `summarize` older items a summary at the end of the instructions.
 *
 * Only what the model sees changes. It remembers what it did in each session's scope, so that input between two passes
 * only grows. If storing or summarizing fails, the items stay. Give it to the runner that `offloadRunner` wraps, or to
 * its `run`: that passes the session and the signal, and replaces large results first. Without `offloadRunner` all runs
 * share the offloader's own scope, unless `scope` names another by their context.
 *
 * @param filter - Your own, which goes first.
 * @throws TypeError for an invalid argument.
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
    // If the program's filter returns no input, the SDK reports it.
    if (!Array.isArray(data?.input)) return data
    const run: CalledRun = { context: args.context, changeable: new Set(args.modelData.input) }
    return await compact(data, run)
  }
  return markFilter(historyFilter, { own: filter, compact })
}

type Item = AgentInputItem
type Fields = Readonly<Record<string, unknown>>

/**
 * The input as one list of copies. The instructions are the last of the leading system messages, so that a summary goes
 * to their end.
 */
export function joinPrompt({ input, instructions = '' }: ModelInputData): Item[] {
  const items = input.map((item) => ({ ...item }))
  return items.toSpliced(systemCount(input), 0, { role: 'system', content: instructions })
}

/**
 * Undo {@link joinPrompt} for a smaller list. Each item is the one that came in, changed if it may be: the SDK knows by
 * it what a session still has to store.
 */
export function splitPrompt(
  { input, instructions, ...data }: ModelInputData,
  smaller: readonly Item[],
  changeable: ReadonlySet<Item>,
): ModelInputData {
  const at = systemCount(input)
  const { content } = smaller[at] as { readonly content: string }
  const items = smaller.toSpliced(at, 1)
  // From the end, as older items are removed.
  let from = input.length - 1
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index]!
    const found = findBefore(input, from, item)
    if (found < 0) continue
    from = found - 1
    const came = input[found]!
    if (changeable.has(came)) items[index] = Object.assign(came, item)
  }
  return { ...data, input: items, ...(content !== '' || instructions !== undefined ? { instructions: content } : {}) }
}

function systemCount(items: readonly Item[]): number {
  const end = items.findIndex((item) => roleOf(item) !== 'system')
  return end < 0 ? items.length : end
}

function findBefore(items: readonly Item[], from: number, wanted: Item): number {
  const key = keyOf(wanted)
  let index = from
  while (index >= 0 && keyOf(items[index]!) !== key) index -= 1
  return index
}

/** Identifies an item, also a changed one. */
function keyOf(item: Item): string {
  const { type = 'message', callId, id } = item as Fields
  return JSON.stringify([type, roleOf(item), callId, id])
}

function roleOf(item: Item): unknown {
  const { role } = item as Fields
  return role === 'developer' ? 'system' : role
}
