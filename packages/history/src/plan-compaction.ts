import { chooseParts, chooseTexts } from './compact/choose-parts.ts'
import { groupUnits, noteReasons, planCompression } from './compress/divide-history.ts'
import { draftsOf, totalTokens, type Draft, type HistoryReason } from './history-outcome.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage, HistoryRole } from './history-message.ts'
import { resolveHistoryOptions, type HistoryOptions, type ResolvedHistoryOptions } from './history-options.ts'
import { recentStart } from './measure/recent-start.ts'

const FRAME_TOKENS = 110
const SUMMARY_SHARE = 0.25
const MAX_SUMMARY_TOKENS = 4_000

/** The plan for one message. */
export interface PlannedMessage {
  readonly index: number
  readonly role: HistoryRole
  readonly tokens: number
  readonly action: 'keep' | 'compact' | 'compress'
  /** The reason why it would stay. */
  readonly reason: HistoryReason
}

/** The plan of {@link compactHistory}. */
export interface HistoryPlan {
  readonly isOver: boolean
  readonly tokens: { readonly before: number; readonly estimatedAfter: number; readonly limit: number }
  readonly messages: readonly PlannedMessage[]
  /** The positions of messages that would be summarized together. */
  readonly groups: readonly (readonly number[])[]
}

/**
 * Estimate the result of {@link compactHistory} without storing anything or asking a model.
 *
 * Previews and summaries are estimates, and so is whether `auto` compresses.
 *
 * @throws TypeError if an option or the conversation is invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { planCompaction, type HistoryMessage } from '@spillway/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const text = 'a line of a log\n'.repeat(9_000)
 * const messages: HistoryMessage[] = [
 *   { role: 'user', parts: [{ type: 'text', text: 'What is in the log?' }] },
 *   { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'read_log', input: {}, inputIsText: false }] },
 *   { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', toolName: 'read_log', content: [{ type: 'text', text }] }] },
 *   { role: 'assistant', parts: [{ type: 'text', text: 'Always the same line.' }] },
 * ]
 * const plan = planCompaction(messages, { offloader })
 * console.assert(plan.isOver && plan.messages[2]?.action === 'compact')
 * ```
 */
export function planCompaction<Conversation = readonly HistoryMessage[]>(
  conversation: Conversation,
  options: HistoryOptions<Conversation>,
): HistoryPlan {
  const resolved = resolveHistoryOptions(options)
  const format = (options.format ?? neutralMessages()) as HistoryFormat<Conversation>
  const drafts = draftsOf(format.read(conversation), resolved.countTokens)
  const before = totalTokens(drafts)
  const limit = resolved.maxTotalTokens
  const isOver = before > limit
  const compacted = isOver && resolved.mode !== 'compress' ? planCompact(drafts, resolved) : new Set<Draft>()
  const between = totalTokens(drafts)
  const isTooMuch = between / before > resolved.compactRatioThreshold || between > limit
  const compresses = isOver && (resolved.mode === 'compress' || (resolved.mode === 'auto' && isTooMuch))
  const { groups, request } = compresses ? planCompress(drafts, resolved) : { groups: [], request: undefined }
  const compressed = new Set(groups.flat())
  const sizes = draftsOf(format.read(conversation), resolved.countTokens)
  const summarized = [...compressed].reduce((sum, index) => sum + drafts[index]!.tokens, 0)
  const summary = Math.min(MAX_SUMMARY_TOKENS, Math.ceil(summarized * SUMMARY_SHARE))
  const estimate = (): number => totalTokens(drafts) - summarized + summary
  if (request !== undefined && estimate() > limit && planRequest(request, resolved)) compacted.add(request)
  return {
    isOver,
    tokens: { before, estimatedAfter: estimate(), limit },
    messages: drafts.map((draft, index) => ({
      index,
      role: draft.message.role,
      tokens: sizes[index]!.tokens,
      action: compressed.has(index) ? 'compress' : compacted.has(draft) ? 'compact' : 'keep',
      reason: compressed.has(index) ? 'compressed' : (draft.reason ?? 'within-limits'),
    })),
    groups,
  }
}

function planCompact(drafts: readonly Draft[], options: ResolvedHistoryOptions): Set<Draft> {
  const recent = recentStart(
    drafts.map(({ message }) => message),
    options.keepRecentForCompact,
  )
  const compacted = new Set<Draft>()
  for (const { draft, tokens } of chooseParts(drafts, recent, options)) {
    draft.tokens += growth(tokens, options)
    draft.reason = 'compacted'
    compacted.add(draft)
  }
  return compacted
}

interface PlannedSummary {
  readonly groups: readonly (readonly number[])[]
  readonly request: Draft | undefined
}

function planCompress(drafts: readonly Draft[], options: ResolvedHistoryOptions): PlannedSummary {
  const plan = planCompression(drafts, options)
  noteReasons(drafts, plan)
  const groups = plan.reason === undefined ? groupUnits(plan.units, drafts, options.groupTokens) : []
  return { groups, request: plan.request === undefined ? undefined : drafts[plan.request] }
}

function planRequest(draft: Draft, options: ResolvedHistoryOptions): boolean {
  const texts = chooseTexts(draft.message, options)
  if (texts.length === 0) return false
  for (const { tokens } of texts) draft.tokens += growth(tokens, options)
  draft.reason = 'compacted'
  return true
}

const growth = (tokens: number, { historyPreviewTokens }: ResolvedHistoryOptions): number =>
  Math.min(0, FRAME_TOKENS + historyPreviewTokens - tokens)
