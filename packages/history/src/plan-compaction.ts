import type { HistoryArchive } from './archive/history-archive.ts'
import { offloaderArchive } from './archive/offloader-archive.ts'
import { compactPass, tokensWritten } from './compact-history.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage, HistoryRole } from './history-message.ts'
import {
  resolveHistoryOptions,
  type HistoryOptions,
  type ResolvedHistoryOptions,
  type Summarize,
} from './history-options.ts'
import type { HistoryReason } from './history-outcome.ts'
import { countMessage } from './measure/count-message.ts'

/** The typical share of a summary in its messages. */
const SUMMARY_SHARE = 0.25

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
 * Run {@link compactHistory} without storing anything or asking a model: a summary counts as a typical one.
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
 * const plan = await planCompaction(messages, { offloader })
 * console.assert(plan.isOver && plan.messages[2]?.action === 'compact')
 * ```
 */
export async function planCompaction<Conversation = readonly HistoryMessage[]>(
  conversation: Conversation,
  options: HistoryOptions<Conversation>,
): Promise<HistoryPlan> {
  const resolved = resolveHistoryOptions(options)
  const format = (options.format ?? neutralMessages()) as HistoryFormat<Conversation>
  const messages = format.read(conversation)
  const dryRun = {
    ...resolved,
    archive: withoutStoring(resolved),
    summarize: resolved.summarize && typicalSummary(resolved),
    onProgress: undefined,
  }
  const pass = await compactPass(messages, format, dryRun)
  const written = pass.applied.length === 0 ? messages : format.read(format.write(pass.messages))
  const before = pass.before.reduce((sum, tokens) => sum + tokens, 0)
  const limit = resolved.maxTotalTokens
  const planned = pass.all.map(({ index, message: { role }, tokens, reason = 'within-limits' }): PlannedMessage => {
    const changed = tokens < pass.before[index]! ? 'compact' : 'keep'
    return { index, role, tokens: pass.before[index]!, action: reason === 'compressed' ? 'compress' : changed, reason }
  })
  const starts = pass.stored.flatMap(({ kind, index }) => (kind === 'messages' ? [index] : []))
  const compressed = planned.flatMap(({ action, index }) => (action === 'compress' ? [index] : []))
  return {
    isOver: before > limit,
    tokens: { before, estimatedAfter: tokensWritten(written, pass, resolved), limit },
    messages: planned,
    groups: starts.map((start, at) =>
      compressed.filter((index) => index >= start && index < (starts[at + 1] ?? Infinity)),
    ),
  }
}

/** Reads from the real archive. New items get names as long as references. */
function withoutStoring({ archive, offloader }: ResolvedHistoryOptions): HistoryArchive {
  const texts = offloaderArchive(offloader)
  let count = 0
  return {
    store: async ({ callId, part }) => {
      count += 1
      const slug = `${callId}_${part}`
        .toLowerCase()
        .replaceAll(/[^a-z0-9_]/g, '_')
        .slice(0, 43)
      const digest = count.toString(2).replaceAll('0', 'a').replaceAll('1', 'q').padStart(20, 'k3jx52mvn4q7ah6zr2yc')
      return { name: `${slug}_${digest}`, rollback: async () => {} }
    },
    retrieve: (name, options) => archive.retrieve(name, options),
    ...(archive.has !== undefined && { has: archive.has.bind(archive) }),
    writeReplacement: (replaced) => texts.writeReplacement(replaced),
    readReplacement: (text) => texts.readReplacement(text) ?? archive.readReplacement(text),
    writeSnapshot: (snapshot) => texts.writeSnapshot(snapshot),
    readSnapshot: (text) => texts.readSnapshot(text) ?? archive.readSnapshot(text),
  }
}

const typicalSummary =
  ({ countTokens }: ResolvedHistoryOptions): Summarize =>
  async ({ messages, maxTokens }) => {
    const tokens = messages.reduce((sum, message) => sum + countMessage(message, countTokens), 0)
    const words = ' word'.repeat(Math.min(maxTokens, Math.ceil(tokens * SUMMARY_SHARE)))
    return `<state_snapshot><overall_goal>Goal</overall_goal><key_knowledge>${words}</key_knowledge></state_snapshot>`
  }
