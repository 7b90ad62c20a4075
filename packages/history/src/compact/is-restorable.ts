import { StorageError } from '@spillway/core'
import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import { isEqualValue } from '../is-equal-value.ts'
import type { StorableContent } from './archived-content.ts'
import type { CompactedPart } from './compacted-part.ts'
import type { CompactionContext } from './compaction-context.ts'
import { corrupt } from './corrupt.ts'
import { restoreMessage } from './restore-message.ts'

/**
 * Tell whether what was stored of a part gives the very same message again, by writing the message with the shorter part,
 * reading that, and restoring it from the contents as they are in memory.
 */
export async function isRestorable<Part extends HistoryPart>(
  message: HistoryMessage,
  part: Part,
  { part: compacted, stored }: CompactedPart<Part>,
  contents: readonly StorableContent[],
  { format, archive }: CompactionContext,
): Promise<boolean> {
  const known = new Map(stored.items.map(({ name }, index) => [name, contents[index]]))
  const retrieve = async (name: string): Promise<{ content: Uint8Array; contentType: string }> => {
    const content = known.get(name)
    if (content === undefined) throw corrupt(name)
    return { content: content.bytes, contentType: content.contentType }
  }
  const shown = format.read(format.write([{ ...message, parts: [compacted] }]))
  try {
    const restored = await Promise.all(shown.map((one) => restoreMessage(one, { format, archive, retrieve })))
    return isEqualValue(format.write(restored), format.write([{ ...message, parts: [part] }]))
  } catch (error) {
    if (StorageError.isInstance(error) && error.code === 'corrupt') return false
    throw error
  }
}
