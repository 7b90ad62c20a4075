import type { ArchiveReceipt, HistoryArchive } from '../archive/history-archive.ts'
import { encodeConversation } from '../encode-conversation.ts'
import { findNames } from '../find-names.ts'
import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import { textContent, type StorableContent } from './archived-content.ts'
import type { CompactedPart } from './compacted-part.ts'
import type { CompactionContext } from './compaction-context.ts'
import { isRestorable } from './is-restorable.ts'

/**
 * Compact a part so that restoring gives the very same message. That is tried out: where it would not, the message is
 * stored as well, as it is. What `redact` took out is not stored in either way. Where it fails, nothing new stays stored;
 * `undefined` where what it became does not lead back to all that was stored.
 *
 * @param compact - Store contents and return the part that names them; the last may be the message as it is. It is given an
 *   archive that stores each of them once.
 */
export async function compactExactly<Part extends HistoryPart>(
  message: HistoryMessage,
  part: Part,
  contents: readonly StorableContent[],
  compact: (
    contents: readonly StorableContent[],
    archive: Pick<HistoryArchive, 'store'>,
  ) => Promise<CompactedPart<Part>>,
  context: CompactionContext,
): Promise<CompactedPart<Part> | undefined> {
  const orNothing = async (found: CompactedPart<Part>): Promise<CompactedPart<Part> | undefined> => {
    if (namesAll(message, found, context)) return found
    await found.stored.undo()
    return undefined
  }
  const archive = storingOnce(context.archive)
  const compacted = await compact(contents, archive)
  try {
    if (contents.some(({ isRedacted }) => isRedacted)) return await orNothing(compacted)
    if (await isRestorable(message, part, compacted, contents, context)) return compacted
    const json = encodeConversation(context.format, [{ ...message, parts: [part] }])
    const original = textContent('original', json, context.offloader.options.redact)
    if (original.isRedacted) return await orNothing(compacted)
    const exact = await compact([...contents, original], archive)
    const undo = async (): Promise<void> => {
      await exact.stored.undo()
      await compacted.stored.undo()
    }
    const whole = await orNothing({ part: exact.part, stored: { items: exact.stored.items, undo } })
    // Pieces of unreadable types, or too many to be named, are in the message as it is.
    return whole ?? (await orNothing(await compact([original], storingOnce(context.archive))))
  } catch (error) {
    await compacted.stored.undo()
    throw error
  }
}

/** What is stored twice is used in between, and could not be removed again. */
function storingOnce(archive: HistoryArchive): Pick<HistoryArchive, 'store'> {
  const receipts = new Map<string, Promise<ArchiveReceipt>>()
  return {
    store(item, options) {
      const receipt = receipts.get(item.part) ?? archive.store(item, options)
      receipts.set(item.part, receipt)
      return receipt
    },
  }
}

/** Tell whether a part, as its format shows it, names all that was stored of it: types of media may be anything, and very many. */
function namesAll(
  message: HistoryMessage,
  { part, stored }: CompactedPart<HistoryPart>,
  { format, archive }: CompactionContext,
): boolean {
  const shown = format.read(format.write([{ ...message, parts: [part] }]))
  const names = new Set(shown.flatMap((one) => findNames(one, archive).map(({ name }) => name)))
  return stored.items.every(({ name }) => names.has(name))
}
