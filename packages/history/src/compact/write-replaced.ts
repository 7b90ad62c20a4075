import { shareBudget } from '@spillway/core/internal'
import { estimateLargeTokens } from '@spillway/text/internal'
import type { ArchivedItem, NewArchivedItem, ReplacedContent } from '../archive/history-archive.ts'
import type { HistoryToolCall } from '../history-message.ts'
import type { StorableContent } from './archived-content.ts'
import type { CompactionContext } from './compaction-context.ts'
import { previewContent } from './preview-content.ts'

/** Where something comes from that is stored. */
export interface ContentOrigin {
  readonly callId: string
  /** Empty where there is no tool. */
  readonly toolName: string
  readonly call: HistoryToolCall | undefined
  readonly isError: boolean
}

/** Something that was stored, with its text where it has one. */
export interface StoredContent extends StorableContent {
  readonly item: ArchivedItem
}

/** Say what to store of something. */
export const newItem = (
  { kind, bytes, contentType }: StorableContent,
  { callId, toolName }: ContentOrigin,
  part: string,
): NewArchivedItem => ({ kind, callId, toolName, part, content: bytes, contentType })

/** Write what stands in the place of something that was stored; previews of its texts share the budget of the history. */
export async function writeReplaced(
  subject: ReplacedContent['subject'],
  origin: ContentOrigin,
  contents: readonly StoredContent[],
  original: { readonly blocks: number; readonly tokens: number },
  context: CompactionContext,
): Promise<string> {
  const { archive, countTokens, historyPreviewTokens } = context
  const previewed = contents.map(({ kind, text }) => (kind === 'original' ? undefined : text))
  const texts = previewed.filter((text) => text !== undefined)
  // One text gets all of it: there is no need to count it.
  const need = (text: string): number => (texts.length === 1 ? Infinity : estimateLargeTokens(text, countTokens))
  const needs = previewed.map((text) => (text === undefined ? 0 : need(text)))
  const shares = shareBudget(needs, historyPreviewTokens)
  const items: ReplacedContent['items'][number][] = []
  for (const [index, content] of contents.entries()) {
    const { text, contentType, label } = content
    const item = { ...content.item, ...(label !== undefined && { label }) }
    if (previewed[index] === undefined || text === undefined) items.push({ ...item, preview: '' })
    else {
      const budgetTokens = shares[index] ?? 0
      const { lines, preview } = await previewContent({ ...origin, text, contentType, budgetTokens }, context)
      items.push({ ...item, lines, text, preview })
    }
  }
  return archive.writeReplacement({ subject, items, isError: origin.isError, ...original })
}
