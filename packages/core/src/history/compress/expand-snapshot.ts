import { StorageError } from '../../storage/storage-error.ts'
import type { ArchivedMessages, HistoryArchive } from '../archive/history-archive.ts'
import { decodeText } from '../compact/archived-content.ts'
import { readStored } from '../compact/corrupt.ts'
import { restoreMessage, type Restoring } from '../compact/restore-message.ts'
import { decodeConversation } from '../encode-conversation.ts'
import type { HistoryMessage } from '../history-message.ts'
import { isEqualValue } from '../is-equal-value.ts'
import { findSystemSnapshot, withoutSnapshot } from './system-snapshot.ts'

/** Snapshots hold those that came before them; a chain of more than this was made to do harm. */
const MAX_DEPTH = 200

/**
 * Put back the messages that a snapshot stands for, and take it out of the system message. Where one of its groups cannot
 * be had, all of it stays as it is.
 */
export async function expandSnapshot(
  messages: readonly HistoryMessage[],
  archive: HistoryArchive,
  restoring: Restoring,
  depth = 0,
): Promise<readonly HistoryMessage[]> {
  const found = findSystemSnapshot(messages, archive)
  if (found === undefined || depth > MAX_DEPTH) return messages
  const after = found.message + 1
  const dropped = new Set<number>()
  const restored: HistoryMessage[] = []
  let next = after
  for (const group of found.known.groups) {
    const stored = await retrieveGroup(group, restoring)
    if (stored === undefined) return messages
    for (const position of group.kept) {
      const [live, same] = [messages[next], stored[position - 1]]
      // What was changed since is no copy any more: it stays, too.
      if (live !== undefined && same !== undefined && (await isSameMessage(live, same, restoring))) dropped.add(next)
      next += 1
    }
    restored.push(...(await expandSnapshot(stored, archive, restoring, depth + 1)))
  }
  const rest = messages.slice(after).filter((_, index) => !dropped.has(after + index))
  return [...withoutSnapshot(messages.slice(0, after), found), ...restored, ...rest]
}

async function retrieveGroup(
  { name }: ArchivedMessages,
  { format, retrieve, onMissing }: Restoring,
): Promise<readonly HistoryMessage[] | undefined> {
  try {
    const { content } = await retrieve(name)
    return readStored(name, () => decodeConversation(format, decodeText(content)))
  } catch (error) {
    if (!StorageError.isInstance(error) || onMissing === undefined) throw error
    onMissing(error)
    return undefined
  }
}

async function isSameMessage(live: HistoryMessage, stored: HistoryMessage, restoring: Restoring): Promise<boolean> {
  const quiet: Restoring = { ...restoring, onMissing: () => {} }
  const [one, other] = [await restoreMessage(live, quiet), await restoreMessage(stored, quiet)]
  return isEqualValue(restoring.format.write([one]), restoring.format.write([other]))
}
