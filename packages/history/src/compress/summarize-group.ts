import { estimateLargeTokens } from '@spillway/text/internal'
import type { HistoryMessage } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import type { SummaryRejection } from '../history-outcome.ts'
import { readSummary, referencesIn } from './read-summary.ts'
import { renderMessages } from './render-messages.ts'
import type { Summarize } from './summary-request.ts'
import { summaryPrompt } from './summary-prompt.ts'

/** A summary has at most this share of what it stands for, and is asked to keep within bounds of its own. */
const SHARE_OF_SOURCE = 0.25
const MIN_SUMMARY_TOKENS = 200
const MAX_SUMMARY_TOKENS = 4_000

/** What is to be summarised. */
export interface SummaryGroup {
  readonly messages: readonly HistoryMessage[]
  /** Their tokens. */
  readonly tokens: number
  /** Names of what these messages, and those that the previous snapshot stands for, have stored. */
  readonly references: readonly string[]
  readonly request: HistoryMessage | undefined
  readonly previousSnapshot: string | undefined
  /** Tokens by which the system message would grow or shrink with a snapshot of this text. */
  readonly growth: (snapshot: string) => number
}

/** A summary, or why there is none. */
export type GroupSummary =
  | { readonly snapshot: string }
  | { readonly rejection: SummaryRejection; readonly error?: unknown }

/** Ask for the snapshot of a group, and check it. Never rejects, and never waits longer than it may. */
export async function summarizeGroup(
  group: SummaryGroup,
  summarize: Summarize,
  options: ResolvedHistoryOptions,
): Promise<GroupSummary> {
  const { countTokens, instructions, maxSummaryInputTokens, summaryTimeoutMs } = options
  const { messages, tokens, references, request, previousSnapshot } = group
  const previousTokens = previousSnapshot === undefined ? 0 : estimateLargeTokens(previousSnapshot, countTokens)
  const share = Math.ceil((tokens + previousTokens) * SHARE_OF_SOURCE)
  const maxTokens = Math.min(MAX_SUMMARY_TOKENS, Math.max(MIN_SUMMARY_TOKENS, share))
  const prompt = summaryPrompt({
    conversation: renderMessages(messages, maxSummaryInputTokens),
    request: request === undefined ? undefined : renderMessages([request], maxSummaryInputTokens),
    previousSnapshot,
    references,
    instructions,
    maxTokens,
  })
  const timeout = AbortSignal.timeout(summaryTimeoutMs)
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal])
  let answer: unknown
  try {
    answer = await orEnded(summarize({ prompt, maxTokens, messages, previousSnapshot, signal }), signal)
  } catch (error) {
    // It is anybody's code, and a network besides: the messages stay, and the outcome carries the error.
    return { rejection: timeout.aborted ? 'timeout' : 'model-failed', error }
  }
  const known = new Set(references)
  // Names of other things may look the same: what the model was shown it has not invented.
  const shown = referencesIn(prompt)
  const summary = readSummary(answer, (reference) => known.has(reference) || shown.has(reference))
  if ('rejection' in summary) return summary
  return group.growth(summary.snapshot) >= tokens ? { rejection: 'not-smaller' } : summary
}

/** Wait no longer than the signal lets: not everybody who is handed one listens to it. */
async function orEnded(answer: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    return await Promise.race([answer, ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
