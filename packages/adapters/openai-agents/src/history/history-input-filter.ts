import type { AgentInputItem, CallModelInputFilter, ModelInputData } from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { compactorOfRun, openAIAgents, type RunHistoryOptions } from '@spillway/history'
import { markFilter, type CalledRun, type HistoryFilter } from '../history-filters.ts'
import { sessionRuns, type OffloadOptions } from '../run-scope.ts'

/** Options of {@link historyInputFilter}, with the `scope` of `offloadRunner`. */
export interface HistoryFilterOptions extends RunHistoryOptions<AgentInputItem[]>, Pick<OffloadOptions, 'scope'> {}

const USAGE = 'historyInputFilter(offloader, options, filter)'

/**
 * Make a `callModelInputFilter` that keeps the history within its limit: older large results become references, and
 * older items a summary if `summarize` is given.
 *
 * Pass it to the runner that `offloadRunner` wraps, or to its `run`. Without `offloadRunner`, all runs share the
 * offloader's own scope, unless `scope` names another scope. If storing or summarizing fails, the items do not change.
 *
 * @param filter - Your own filter, which runs first.
 * @throws TypeError for an invalid argument.
 *
 * @example
 * ```ts
 * import { Runner } from '@openai/agents'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { offloadRunner } from '@spillway/openai-agents'
 * import { historyInputFilter } from '@spillway/openai-agents/history'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const callModelInputFilter = historyInputFilter(offloader, { maxTotalTokens: 100_000 })
 * const runner = offloadRunner(new Runner({ callModelInputFilter }), offloader)
 * console.assert(typeof runner.run === 'function')
 * ```
 */
export function historyInputFilter(
  offloader: ContextOffloader,
  { scope, ...options }: HistoryFilterOptions = {},
  filter?: CallModelInputFilter,
): CallModelInputFilter {
  const { segmentsOf } = sessionRuns(offloader, { scope }, { usage: USAGE })
  if (filter !== undefined && typeof filter !== 'function')
    throw new TypeError(`filter must be a function, got ${typeof filter}: ${USAGE}.`)
  const format = openAIAgents<AgentInputItem>()
  const compactorOf = compactorOfRun(offloader, segmentsOf, { ...options, format })

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

/** Insert the instructions after the leading system messages, in copies of the items, for a summary to be added. */
export function joinPrompt({ input, instructions = '' }: ModelInputData): Item[] {
  const items = input.map((item) => ({ ...item }))
  return items.toSpliced(systemCount(input), 0, { role: 'system', content: instructions })
}

/** Returns the original items. Changes only those in `changeable`. The SDK needs the same objects to store new items in the session. */
export function splitPrompt(
  { input, instructions, ...data }: ModelInputData,
  smaller: readonly Item[],
  changeable: ReadonlySet<Item>,
): ModelInputData {
  const at = systemCount(input)
  const { content } = smaller[at] as { readonly content: string }
  const items = smaller.toSpliced(at, 1)
  // Search from the end, because compaction removes older items.
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

function keyOf(item: Item): string {
  const { type = 'message', callId, id } = item as Fields
  return JSON.stringify([type, roleOf(item), callId, id])
}

function roleOf(item: Item): unknown {
  const { role } = item as Fields
  return role === 'developer' ? 'system' : role
}
