import { emitEvent } from '@spillway/core/internal'
import { compactMessages } from './compact/compact-messages.ts'
import { compressMessages } from './compress/compress-messages.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import { isAsRead, type HistoryMessage } from './history-message.ts'
import { resolveHistoryOptions, type HistoryOptions, type ResolvedHistoryOptions } from './history-options.ts'
import {
  workingMessagesOf,
  totalTokens,
  type ArchivedByHistory,
  type WorkingMessage,
  type HistoryFailure,
  type HistoryObstacle,
  type HistoryOutcome,
  type HistoryReason,
  type MessageStatistics,
} from './history-outcome.ts'

/**
 * Reduce a history that is over its limit.
 *
 * Large tool results and arguments become references with a short preview. If that is not enough, older messages become
 * a summary in the system message. Originals are stored first, and {@link expandHistory} restores them.
 *
 * Within the limit, the same conversation object is returned. The result is within the limit, or the outcome names the
 * messages that cannot be reduced. If the storage or the model fails, the affected messages do not change, and the
 * outcome has the error. A tool call is never separated from its result.
 *
 * @throws TypeError if an option or the conversation is invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { compactHistory, expandHistory, openAIChat } from '@spillway/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * const offloader = new ContextOffloader({ storage }).forScope('session-1')
 * const log = Array.from({ length: 5_000 }, (_, line) => `step ${line} ${line === 4_000 ? 'FAILED' : 'ok'}`).join('\n')
 * const messages = [
 *   { role: 'user', content: 'Why did the build fail?' },
 *   { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_log', arguments: '{}' } }] },
 *   { role: 'tool', tool_call_id: 'call_1', content: log },
 *   { role: 'assistant', content: 'Step 4000 failed.' },
 * ]
 *
 * const outcome = await compactHistory(messages, { offloader, format: openAIChat(), mode: 'compact' })
 * console.assert(outcome.fits && outcome.tokens.after < 300)
 * const expanded = await expandHistory(outcome.messages, { offloader, format: openAIChat() })
 * console.assert(JSON.stringify(expanded.messages) === JSON.stringify(messages))
 * ```
 */
export async function compactHistory<Conversation = readonly HistoryMessage[]>(
  conversation: Conversation,
  options: HistoryOptions<Conversation>,
): Promise<HistoryOutcome<Conversation>> {
  const resolved = resolveHistoryOptions(options)
  const format = (options.format ?? neutralMessages()) as HistoryFormat<Conversation>
  const messages = format.read(conversation)
  const pass = await compactPass(messages, format, resolved)
  const isSame = pass.applied.length === 0
  const result = isSame ? conversation : format.write(pass.messages)
  const after = await tokensWritten(isSame ? messages : format.read(result), pass, resolved)
  return { ...outcomeOf(messages, after, pass, resolved), messages: result }
}

export interface HistoryPass {
  readonly working: readonly WorkingMessage[]
  /** All input messages, including summarized ones. */
  readonly all: readonly WorkingMessage[]
  readonly messages: readonly HistoryMessage[]
  readonly applied: readonly ('compact' | 'compress')[]
  readonly before: readonly number[]
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

export async function compactPass(
  messages: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<HistoryPass> {
  const { mode, maxTotalTokens, compactRatioThreshold } = options
  const all = await workingMessagesOf(messages, options)
  const before = all.map(({ tokens }) => tokens)
  const total = totalTokens(all)
  const applied: ('compact' | 'compress')[] = []
  const stored: ArchivedByHistory[] = []
  const failures: HistoryFailure[] = []
  let working: readonly WorkingMessage[] = all
  const isOver = (): boolean => totalTokens(working) > maxTotalTokens
  if (isOver() && mode !== 'compress') {
    const compacted = await compactMessages(working, format, options)
    stored.push(...compacted.stored)
    failures.push(...compacted.failures)
    if (all.some(({ reason }) => reason === 'compacted')) applied.push('compact')
  }
  const isTooMuch = totalTokens(working) / total > compactRatioThreshold
  if (mode === 'compress' ? isOver() : mode === 'auto' && total > maxTotalTokens && (isTooMuch || isOver())) {
    const compressed = await compressMessages(working, format, options)
    const isCompressed = compressed.working !== working || compressed.stored.length > 0
    working = compressed.working
    stored.push(...compressed.stored)
    failures.push(...compressed.failures)
    if (isCompressed) applied.push('compress')
  }
  return {
    working,
    all,
    messages: working.map(({ message }) => message),
    applied,
    before,
    stored,
    failures,
  }
}

/** Return the outcome of a pass, and emit an event if the history was over its limit. */
export function outcomeOf(
  messages: readonly HistoryMessage[],
  after: number,
  { working, all, applied, before, stored, failures }: HistoryPass,
  { maxTotalTokens: limit, offloader }: ResolvedHistoryOptions,
): Omit<HistoryOutcome<unknown>, 'messages'> {
  const statistics = all.map(({ index, message: { role }, tokens, reason = 'within-limits' }): MessageStatistics => ({
    index,
    role,
    tokens: { before: before[index] ?? 0, after: reason === 'compressed' ? 0 : tokens },
    reason,
  }))
  const made = working.find(({ index }) => index < 0)
  const total = before.reduce((sum, tokens) => sum + tokens, 0)
  const fits = after <= limit
  const changed = working.findIndex(({ message }, position) => message !== messages[position] || !isAsRead(message))
  if (total > limit)
    emitEvent(offloader.options, {
      type: 'history',
      applied,
      fits,
      tokens: { before: total, after, limit },
      stored: stored.length,
      failures: failures.length,
    })
  return {
    applied,
    tokens: { before: total, after, limit },
    fits,
    obstacles: fits ? [] : findObstacles(statistics, made, { after, limit }),
    statistics,
    unchanged: applied.length === 0 ? messages.length : changed < 0 ? working.length : changed,
    stored,
    failures,
  }
}

/** Count the tokens of a result as its format writes it, including escapes. */
export const tokensWritten = async (
  written: readonly HistoryMessage[],
  { applied, working }: HistoryPass,
  options: ResolvedHistoryOptions,
): Promise<number> => totalTokens(applied.length === 0 ? working : await workingMessagesOf(written, options))

const EXPLANATIONS: Record<HistoryReason, string> = {
  'within-limits':
    'Its results have no more than maxToolMessageTokens. Lower maxToolMessageTokens, or use the mode auto with summarize.',
  compacted: 'It cannot get shorter: it has only the reference, its preview, and content that could not be stored.',
  compressed: 'It is in the summary.',
  system: 'System messages are never shortened. Write a shorter one, or raise maxTotalTokens.',
  recent: 'It is one of the last messages, which stay. Lower keepRecent, or raise maxTotalTokens.',
  request: 'The last request of the user stays, so that the model knows its task. Raise maxTotalTokens.',
  'not-tool-content': 'Compacting replaces only tool results and arguments. Use the mode auto with summarize.',
  'already-compacted': 'It cannot get shorter. Use the mode auto with summarize.',
  'not-smaller': 'Its replacement would not be smaller. Lower historyPreviewTokens.',
  'not-storable': 'It has no bytes to store, for example media with a URL, or results of server tools. Use summarize.',
  'store-failed': 'It could not be stored, so it did not change. See failures, and try again.',
  'no-summarize': 'Compressing it needs the option summarize.',
  'summary-failed': 'Its summary failed or was rejected. See failures, and try again.',
  'too-little': 'It is too short for a summary. Raise maxTotalTokens.',
}

function findObstacles(
  statistics: readonly MessageStatistics[],
  made: WorkingMessage | undefined,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly HistoryObstacle[] {
  const left = statistics.filter(({ reason }) => reason !== 'compressed')
  const all: MessageStatistics[] = [...left]
  if (made !== undefined)
    all.push({ index: -1, role: 'system', tokens: { before: 0, after: made.tokens }, reason: 'system' })
  let total = after
  const obstacles: HistoryObstacle[] = []
  for (const one of all.toSorted((a, b) => b.tokens.after - a.tokens.after)) {
    if (total <= limit) break
    total -= one.tokens.after
    obstacles.push({ ...one, explanation: EXPLANATIONS[one.reason] })
  }
  return obstacles
}
