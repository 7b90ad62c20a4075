import { prefixOf } from '../storage/managed-storage.ts'
import { assertKnownOptions } from '../storage/storage-input.ts'
import type { EventJournal } from './event-journal.ts'
import { TokenSums, type TokenTotals } from './token-meter.ts'

/** Totals of a journal. */
export interface JournalSummary {
  readonly total: TokenTotals
  /** Totals by tool or day, empty without `by`. Tools with the largest net number come first. Days are in order. */
  readonly groups: readonly (TokenTotals & { readonly name: string })[]
}

/** Options of {@link summarizeJournal}. */
export interface SummarizeJournalOptions {
  /** Also sum up each tool or day (UTC). A retrieval counts for the tool of its result, on its own day. */
  readonly by?: 'tool' | 'day' | undefined
  /** Leave out events before this time, in milliseconds since the epoch. */
  readonly since?: number | undefined
  /** Only events of the scope with these segments, and of nested scopes. */
  readonly scope?: readonly string[] | undefined
}

/** Name for retrievals that belong to no result, for example searches in all results. */
const NO_TOOL = '(search)'

/**
 * Sum up a journal: tokens avoided, shown and retrieved, and the share of results that were read again.
 *
 * @example
 * ```ts
 * import { ContextOffloader, summarizeJournal, type JournalEvent } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const events: JournalEvent[] = []
 * const journal = {
 *   append: (event: JournalEvent) => void events.push(event),
 *   read: async function* () {
 *     yield* events
 *   },
 * }
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage(), journal })
 * const text = 'a line of a log\n'.repeat(5_000)
 * await offloader.offload({ toolName: 'read_log', toolCallId: 'call_1', content: [{ type: 'text', text }] })
 * const { total } = await summarizeJournal(journal)
 * console.assert(total.offloaded === 1 && total.tokensNet === offloader.meter().tokensNet)
 * ```
 */
export async function summarizeJournal(
  journal: Pick<EventJournal, 'read'>,
  options: SummarizeJournalOptions = {},
): Promise<JournalSummary> {
  assertKnownOptions(options, ['by', 'since', 'scope'], 'summarizeJournal')
  const { by, since, scope } = options
  const prefix = await prefixOf(scope)
  const total = new TokenSums()
  const groups = new Map<string, TokenSums>()
  const sumsOf = (tool: string, time: number): TokenSums[] => {
    if (by === undefined) return [total]
    const name = by === 'tool' ? tool : new Date(time).toISOString().slice(0, 10)
    const group = groups.get(name) ?? new TokenSums()
    groups.set(name, group)
    return [total, group]
  }
  const results = new Map<string, { readonly tool: string; readonly sums: readonly TokenSums[]; hasBounced: boolean }>()
  for await (const event of journal.read(since)) {
    if (!`${event.scope}/`.startsWith(prefix)) continue
    const keyOf = (reference: string): string => `${event.scope}/${reference}`
    if (event.type === 'offload') {
      const result = { tool: event.tool, sums: sumsOf(event.tool, event.time), hasBounced: false }
      for (const sums of result.sums) sums.offload(event.tokens)
      for (const reference of event.references) results.set(keyOf(reference), result)
    } else if (event.type === 'retrieval') {
      const result = event.reference === undefined ? undefined : results.get(keyOf(event.reference))
      for (const sums of sumsOf(result?.tool ?? NO_TOOL, event.time)) sums.retrieve(event.tokens)
      if (result === undefined || result.hasBounced) continue
      result.hasBounced = true
      for (const sums of result.sums) sums.bounced += 1
    }
  }
  const named = [...groups].map(([name, sums]) => ({ name, ...sums.read() }))
  named.sort((a, b) => (by === 'tool' ? b.tokensNet - a.tokensNet : 0) || (a.name < b.name ? -1 : 1))
  return { total: total.read(), groups: named }
}
