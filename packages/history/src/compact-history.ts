import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage } from './history-message.ts'
import { resolveHistoryOptions, type HistoryOptions } from './history-options.ts'
import type { HistoryOutcome } from './history-outcome.ts'
import { compactPass, outcomeOf, tokensWritten } from './history-pass.ts'

/**
 * Make a history smaller once it is over its limit: large tool results and arguments become references with a short
 * preview, and where that is not enough older messages become a summary in the system message.
 *
 * Everything is stored before it is replaced, and can be put back with {@link expandHistory}. Within the limit the very
 * conversation comes back. The outcome fits the limit, or says which messages cannot be made smaller and why. A failure
 * of storage or of the model leaves what it was about in the history, and stands in the outcome; a call is never parted
 * from its result. Doing it again changes nothing more, until the history has grown.
 *
 * Results in one pass instead of one by one keep the prompt cache: between two passes the history only grows.
 *
 * @throws TypeError where an option is not usable, or the conversation is none of its format.
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
  const after = tokensWritten(isSame ? messages : format.read(result), pass, resolved)
  return { ...outcomeOf(messages, after, pass, resolved), messages: result }
}
