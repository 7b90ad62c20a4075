import { storeItems } from '../archive/store-items.ts'
import type { HistoryMessage, HistoryText } from '../history-message.ts'
import { countPart } from '../measure/count-message.ts'
import { textContent } from './archived-content.ts'
import { compactExactly } from './compact-exactly.ts'
import type { CompactedPart } from './compacted-part.ts'
import type { CompactionContext } from './compaction-context.ts'
import { newItem, writeReplaced, type ContentOrigin } from './write-replaced.ts'

/** Store a long text of the user, such as a log that was pasted, and return it with a reference and a preview in its place. */
export async function compactText(
  message: HistoryMessage,
  part: HistoryText,
  context: CompactionContext,
): Promise<CompactedPart<HistoryText> | undefined> {
  const { countTokens, offloader, signal } = context
  const origin: ContentOrigin = { callId: message.role, toolName: '', call: undefined, isError: false }
  const content = textContent('message', part.text, offloader.options.redact)
  const total = { blocks: 1, tokens: countPart(part, countTokens) }
  return await compactExactly(
    message,
    part,
    [content],
    async (contents, archive) => {
      const items = contents.map((one) => newItem(one, origin, one.kind === 'original' ? 'original' : 'message'))
      const stored = await storeItems(archive, items, { signal })
      try {
        const named = contents.map((one, index) => ({ ...one, item: stored.items[index]! }))
        const text = await writeReplaced('message', origin, named, total, context)
        return { part: { ...part, text }, stored }
      } catch (error) {
        await stored.undo()
        throw error
      }
    },
    context,
  )
}
