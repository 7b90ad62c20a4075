import type { HistoryArchive } from '../archive/history-archive.ts'
import { storeItems } from '../archive/store-items.ts'
import type { HistoryContent, HistoryMessage, HistoryToolResult } from '../history-message.ts'
import { storableContent, textContent, type StorableContent } from './archived-content.ts'
import { compactExactly } from './compact-exactly.ts'
import type { CompactedPart } from './compacted-part.ts'
import type { CompactionContext } from './compaction-context.ts'
import { newItem, writeReplaced, type ContentOrigin } from './write-replaced.ts'

/** Beyond this many pieces of text or JSON, naming each would fill the context again: they are joined. */
const MAX_SEPARATE_TEXTS = 16

/**
 * Store a tool result and return it with a reference and a short preview in its place; `undefined` where nothing of it can
 * be stored. Rejects as the archive does, and then has kept nothing.
 *
 * @param tokens - Those of the result.
 */
export async function compactResult(
  message: HistoryMessage,
  part: HistoryToolResult,
  tokens: number,
  context: CompactionContext,
): Promise<CompactedPart<HistoryToolResult> | undefined> {
  const { calls, signal } = context
  const { redact } = context.offloader.options
  const { callId, toolName, isError = false } = part
  const origin: ContentOrigin = { callId, toolName, call: calls.get(callId), isError }
  const contents: StorableContent[] = []
  const kept: HistoryContent[] = []
  for (const content of part.content) {
    const storable = storableContent(content, redact)
    if (storable === undefined) kept.push(content)
    else contents.push(storable)
  }
  if (contents.length === 0) return undefined

  const pieces = joinTexts(contents)
  const total = { blocks: part.content.length, tokens }
  const compact = async (
    all: readonly StorableContent[],
    archive: Pick<HistoryArchive, 'store'>,
  ): Promise<CompactedPart<HistoryToolResult>> => {
    const items = all.map((content, index) =>
      newItem(content, origin, content.kind === 'original' ? 'original' : `${index}`),
    )
    const stored = await storeItems(archive, items, { signal })
    try {
      const named = all.map((content, index) => ({ ...content, item: stored.items[index]! }))
      const text = await writeReplaced('result', origin, named, total, context)
      return { part: { ...part, content: [{ type: 'text', text }, ...kept] }, stored }
    } catch (error) {
      await stored.undo()
      throw error
    }
  }

  return await compactExactly(message, part, pieces, compact, context)
}

/** Of more texts than can be named make one. */
function joinTexts(contents: readonly StorableContent[]): readonly StorableContent[] {
  const texts = contents.filter(({ text }) => text !== undefined)
  if (texts.length <= MAX_SEPARATE_TEXTS) return contents
  const all = textContent('text', texts.map(({ text }) => text).join('\n'), undefined)
  return [all, ...contents.filter(({ text }) => text === undefined)]
}
