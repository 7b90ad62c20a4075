import { offloaderOfRun } from '@spillway/core/adapter'
import type { ContextOffloader } from '@spillway/core'
import { BoundedMap } from '@spillway/text/internal'
import { HistoryCompactor } from './history-compactor.ts'
import type { HistoryOptions } from '../history-options.ts'

const MAX_SESSIONS = 100

const OF_EACH_RUN = ['offloader', 'archive', 'signal'] as const

/** Options that all runs of a framework share. Each run has the offloader of its scope. */
export type RunHistoryOptions<Conversation> = Omit<
  HistoryOptions<Conversation>,
  'offloader' | 'format' | 'archive' | 'signal'
>

/** The options of {@link RunHistoryOptions}, and the format of the framework's messages. */
export type CompactorOfRunOptions<Conversation> = RunHistoryOptions<Conversation> &
  Pick<HistoryOptions<Conversation>, 'format'>

/**
 * Create a function that returns the {@link HistoryCompactor} of each run's scope. The function never throws.
 *
 * Runs of one scope share a compactor. The last 100 scopes are remembered. If `scope` throws or returns an invalid
 * scope, the history does not change.
 *
 * @throws TypeError if an option is invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { compactorOfRun, openAIChat } from '@spillway/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const scope = (run: { session: string }) => [run.session]
 * const compactorOf = compactorOfRun(offloader, scope, { format: openAIChat(), maxTotalTokens: 100_000 })
 * console.assert(compactorOf({ session: 'a' }) === compactorOf({ session: 'a' }))
 * console.assert(compactorOf({ session: 'a' }) !== compactorOf({ session: 'b' }))
 * ```
 */
export function compactorOfRun<Run, Conversation>(
  offloader: ContextOffloader,
  scope: (run: Run) => readonly string[],
  options: CompactorOfRunOptions<Conversation>,
): (run: Run) => HistoryCompactor<Conversation> {
  for (const name of OF_EACH_RUN)
    if ((options as Readonly<Record<string, unknown>>)[name] !== undefined)
      throw new TypeError(`${name} cannot be set for all runs, because each run has its own. Leave it out.`)
  const shared = new HistoryCompactor<Conversation>({ ...options, offloader })
  const compactors = new BoundedMap<string, HistoryCompactor<Conversation>>(MAX_SESSIONS)
  let segments: unknown
  const offloaderOf = offloaderOfRun(offloader, (run: Run) => {
    const named = scope(run)
    segments = named
    return named
  })
  return (run) => {
    segments = undefined
    const own = offloaderOf(run)
    if (own === offloader) return shared
    const key = isNames(segments) ? JSON.stringify(segments) : undefined
    const cached = key === undefined ? undefined : compactors.get(key)
    const compactor = cached ?? new HistoryCompactor<Conversation>({ ...options, offloader: own })
    if (key !== undefined) compactors.set(key, compactor)
    return compactor
  }
}

const isNames = (segments: unknown): segments is readonly string[] =>
  Array.isArray(segments) && segments.every((segment) => typeof segment === 'string')
