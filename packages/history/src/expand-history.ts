import type { StorageError } from '@spillway/core'
import type { ArchivedItem } from './archive/history-archive.ts'
import { restoreMessage } from './compact/restore-message.ts'
import { expandSnapshot, type Finding } from './compress/find-kept.ts'
import { findSystemSnapshot } from './compress/system-snapshot.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage } from './history-message.ts'
import { resolveHistoryOptions, type HistoryOptions } from './history-options.ts'

/** What a history is expanded with. */
export interface ExpandOptions<Conversation> extends Pick<
  HistoryOptions<Conversation>,
  'offloader' | 'format' | 'archive' | 'signal'
> {
  /**
   * Put back only what is stored under these names. What is named together comes back together: all pieces of one result,
   * and all messages that one summary stands for. What those messages name themselves comes back where it is named here,
   * too. Names that the history does not have are passed over. Defaults to everything.
   */
  readonly only?: readonly string[] | undefined
}

/** Something that a history names, and that could not be put back. */
export interface MissingContent {
  readonly name: string
  /** `not-found` and `evicted` where it is gone, `unavailable` where storage could not be asked, `corrupt` otherwise. */
  readonly error: StorageError
}

/** A history with all in it that was stored. */
export interface ExpandedHistory<Conversation> {
  /** Messages that had nothing stored are the very objects that came in. */
  readonly messages: Conversation
  /** What could not be put back: its references are still in their places. */
  readonly missing: readonly MissingContent[]
}

/**
 * Put back what was stored of a history: results, arguments, texts, and the messages that a summary stands for.
 *
 * It undoes {@link compactHistory} exactly. Replacements that the offloader made when results arrived become the results.
 * What is gone or out of reach is left as a reference, and named in `missing`.
 *
 * @throws TypeError where an option is not usable, or the conversation is none of its format.
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
  const { only, ...rest } = options
  const { archive, signal, offloader } = resolveHistoryOptions(rest)
  const wanted = only === undefined ? undefined : new Set(assertNames(only))
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
  const isWanted = ({ name }: ArchivedItem): boolean => wanted === undefined || wanted.has(name)
  const snapshot = findSystemSnapshot(messages, archive)?.known
  const isExpanded = snapshot?.groups.some(isWanted) === true
  const whole = isExpanded ? await expandSnapshot(messages, archive, restoring) : messages
  const expanded: HistoryMessage[] = []
  for (const message of whole) expanded.push(await restoreMessage(message, { ...restoring, isWanted }))
  const isSame = expanded.length === messages.length && expanded.every((message, index) => message === messages[index])
  return { messages: isSame ? conversation : format.write(expanded), missing }
}

function assertNames(only: readonly string[]): readonly string[] {
  if (Array.isArray(only) && only.every((name) => typeof name === 'string')) return only
  throw new TypeError('only must be an array of names, as reloadHistory() lists them.')
}
