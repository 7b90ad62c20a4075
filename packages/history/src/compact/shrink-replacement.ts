import type { ArchivedItem, HistoryArchive, KnownReplacement } from '../archive/history-archive.ts'
import { unlessMissing } from '../archive/unless-missing.ts'
import type { HistoryToolResult } from '../history-message.ts'
import { decodeText } from './archived-content.ts'
import type { CompactionContext } from './compaction-context.ts'
import { writeReplaced, type StoredContent } from './write-replaced.ts'

/** A content up to so many bytes is read for its new preview; a larger one is only named. */
const MAX_PREVIEWED_BYTES = 4_194_304

/**
 * Shorten the preview of what the offloader put in the place of a result, without storing anything; `undefined` where the
 * text names what is not stored, and so is no replacement, whatever it looks like. Rejects where storage cannot be asked.
 *
 * The result is what compacting the original would give.
 */
export async function shrinkReplacement(
  part: HistoryToolResult,
  { items, blocks, tokens, isError }: KnownReplacement,
  context: CompactionContext,
): Promise<HistoryToolResult | undefined> {
  if (items.length === 0) return undefined
  const contents: StoredContent[] = []
  for (const item of items) {
    const content = await findContent(item, context)
    if (content === undefined) return undefined
    contents.push(content)
  }
  const origin = { callId: part.callId, toolName: part.toolName, call: context.calls.get(part.callId), isError }
  const text = await writeReplaced('result', origin, contents, { blocks, tokens }, context)
  return { ...part, content: [{ type: 'text', text }, ...part.content.slice(1)] }
}

async function findContent(item: ArchivedItem, context: CompactionContext): Promise<StoredContent | undefined> {
  const { archive, signal } = context
  const { kind, contentType, name, size } = item
  const content = { item, kind, contentType, bytes: new Uint8Array(), isRedacted: false }
  const isText = kind === 'text' || kind === 'json'
  if (!isText || size > MAX_PREVIEWED_BYTES) return (await isStored(archive, name, signal)) ? content : undefined
  const stored = await unlessMissing(archive.retrieve(name, { signal }))
  if (stored?.content.byteLength !== size) return undefined
  return { ...content, text: decodeText(stored.content) }
}

async function isStored(archive: HistoryArchive, name: string, signal: AbortSignal | undefined): Promise<boolean> {
  if (archive.has !== undefined) return await archive.has(name, { signal })
  return (await unlessMissing(archive.retrieve(name, { signal }))) !== undefined
}
