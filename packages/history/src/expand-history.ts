import type { StorageError } from '@spillway/core'
import { restoreMessage } from './compact/restore-message.ts'
import { expandSnapshot, type Finding } from './compress/find-retained.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage } from './history-message.ts'
import { resolveHistoryOptions, type HistoryOptions } from './history-options.ts'

/** Options of {@link expandHistory}. */
export type ExpandOptions<Conversation> = Pick<
  HistoryOptions<Conversation>,
  'offloader' | 'format' | 'archive' | 'signal'
>

/** A name that could not be restored. */
export interface MissingContent {
  readonly name: string
  /** `not-found` or `evicted` if the content is missing, `unavailable` during an outage, otherwise `corrupt`. */
  readonly error: StorageError
}

/** An expanded history. */
export interface ExpandedHistory<Conversation> {
  /** The messages. A message without stored content is the same object as before. */
  readonly messages: Conversation
  /** Names that could not be restored. The references to these names are still in the messages. */
  readonly missing: readonly MissingContent[]
}

/**
 * Restore the stored content of a history: results, arguments, texts, and summarized messages.
 *
 * The result is exactly the input of {@link compactHistory}. Replacements of the offloader are restored too. A
 * reference that cannot be restored does not change and is listed in `missing`.
 *
 * @throws TypeError if an option or the conversation is invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { expandHistory, openAIChat } from '@spillway/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const messages = [{ role: 'user', content: 'Hello' }]
 * const expanded = await expandHistory(messages, { offloader, format: openAIChat() })
 * console.assert(expanded.messages[0] === messages[0] && expanded.missing.length === 0)
 * ```
 */
export async function expandHistory<Conversation = readonly HistoryMessage[]>(
  conversation: Conversation,
  options: ExpandOptions<Conversation>,
): Promise<ExpandedHistory<Conversation>> {
  const { archive, signal, offloader } = resolveHistoryOptions(options)
  const format = (options.format ?? neutralMessages()) as HistoryFormat<Conversation>
  const messages = format.read(conversation)
  const missing: MissingContent[] = []
  const restoring: Finding = {
    format,
    archive,
    retrieve: (name) => archive.retrieve(name, { signal }),
    redact: offloader.options.redact,
    onMissing: (error) => missing.push({ name: error.reference ?? '', error }),
  }
  const whole = await expandSnapshot(messages, archive, restoring)
  const expanded: HistoryMessage[] = []
  for (const message of whole) expanded.push(await restoreMessage(message, restoring))
  const isSame = expanded.length === messages.length && expanded.every((message, index) => message === messages[index])
  return { messages: isSame ? conversation : format.write(expanded), missing }
}
