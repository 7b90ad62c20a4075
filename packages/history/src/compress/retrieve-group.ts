import { StorageError } from '@spillway/core'
import { isMiss } from '../archive/unless-missing.ts'
import type { ArchivedMessages } from '../archive/history-archive.ts'
import { decodeText } from '../compact/archived-content.ts'
import { readStored } from '../compact/corrupt.ts'
import type { Restoring } from '../compact/restore-message.ts'
import { decodeConversation } from '../encode-conversation.ts'
import type { HistoryMessage } from '../history-message.ts'

/**
 * Return the messages of a group; `undefined` where they are gone or damaged. Rejects where storage cannot be asked, unless
 * `onMissing` is told of that, too.
 */
export async function retrieveGroup(
  { name }: ArchivedMessages,
  { format, retrieve, onMissing }: Restoring,
): Promise<readonly HistoryMessage[] | undefined> {
  try {
    const { content } = await retrieve(name)
    return readStored(name, () => decodeConversation(format, decodeText(content)))
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    if (onMissing === undefined && !isMiss(error) && error.code !== 'corrupt') throw error
    onMissing?.(error)
    return undefined
  }
}
