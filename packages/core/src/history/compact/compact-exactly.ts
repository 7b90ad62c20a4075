import { encodeConversation } from '../encode-conversation.ts'
import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import { textContent, type StorableContent } from './archived-content.ts'
import type { CompactedPart } from './compacted-part.ts'
import type { CompactionContext } from './compaction-context.ts'
import { isRestorable } from './is-restorable.ts'

/**
 * Compact a part so that restoring gives the very same message. That is tried out: where it would not, the message is
 * stored as well, as it is. What `redact` took out is not stored in either way. Where it fails, nothing new stays stored.
 *
 * @param compact - Store contents and return the part that names them; the last may be the message as it is.
 */
export async function compactExactly<Part extends HistoryPart>(
  message: HistoryMessage,
  part: Part,
  contents: readonly StorableContent[],
  compact: (contents: readonly StorableContent[]) => Promise<CompactedPart<Part>>,
  context: CompactionContext,
): Promise<CompactedPart<Part>> {
  const compacted = await compact(contents)
  try {
    if (contents.some(({ isRedacted }) => isRedacted)) return compacted
    if (await isRestorable(message, part, compacted, contents, context)) return compacted
    const json = encodeConversation(context.format, [{ ...message, parts: [part] }])
    const original = textContent('original', json, context.offloader.options.redact)
    if (original.isRedacted) return compacted
    const exact = await compact([...contents, original])
    const undo = async (): Promise<void> => {
      await exact.stored.undo()
      await compacted.stored.undo()
    }
    return { part: exact.part, stored: { items: exact.stored.items, undo } }
  } catch (error) {
    await compacted.stored.undo()
    throw error
  }
}
