import { offloaderOfRun } from '@spillway/core/adapter'
import type { ContextOffloader } from '@spillway/core'
import { HistoryCompactor } from './history-compactor.ts'
import type { HistoryOptions } from '../history-options.ts'

/** Sessions whose histories are remembered; the one that was not asked for the longest is forgotten. */
const MAX_SESSIONS = 100

/** What would mix up runs, or belongs to one alone. */
const OF_EACH_RUN = ['offloader', 'archive', 'signal'] as const

/** How the histories of all runs of a framework are made smaller; each run has the offloader of its own scope. */
export type RunHistoryOptions<Conversation> = Omit<
  HistoryOptions<Conversation>,
  'offloader' | 'format' | 'archive' | 'signal'
>

/** The same, with the format of the framework's messages. */
export type CompactorOfRunOptions<Conversation> = RunHistoryOptions<Conversation> &
  Pick<HistoryOptions<Conversation>, 'format'>

/**
 * Make the function that gives each run of a framework the {@link HistoryCompactor} of its scope. That function never throws.
 *
 * Runs of one scope share a compactor, as that remembers what became of their history; the last 100 scopes are remembered,
 * and one that is forgotten begins as another process would. Where `scope` throws, or returns what cannot be a scope,
 * nothing can be stored, and so histories stay as they are.
 *
 * @throws TypeError where an option is not usable.
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
      throw new TypeError(`${name} cannot be given for all runs, as each has its own. Leave it out.`)
  const shared = new HistoryCompactor<Conversation>({ ...options, offloader })
  const compactors = new Map<string, HistoryCompactor<Conversation>>()
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
    const known = key === undefined ? undefined : compactors.get(key)
    const compactor = known ?? new HistoryCompactor<Conversation>({ ...options, offloader: own })
    if (key === undefined) return compactor
    compactors.delete(key)
    compactors.set(key, compactor)
    if (compactors.size > MAX_SESSIONS) compactors.delete(compactors.keys().next().value!)
    return compactor
  }
}

const isNames = (segments: unknown): segments is readonly string[] =>
  Array.isArray(segments) && segments.every((segment) => typeof segment === 'string')
