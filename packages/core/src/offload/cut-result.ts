import { isMediaBlock, formatCount, mediaFormat, type ContentBlock } from '@spillway/text/internal'
import { readText } from '@spillway/previews/internal'
import { StorageError } from '../storage/storage-error.ts'
import { chooseBlocks, shareBudget, type MeasuredBlock } from './measure-content.ts'
import type { OffloadRequest } from './offload-request.ts'
import type { ReadBack } from './read-back.ts'
import { readingOf, type ReplacingOffloader } from './replace-result.ts'

const STATEMENT_TOKENS = 80

export interface CutResult {
  readonly content: readonly ContentBlock[]
  readonly tokens: { readonly original: number; readonly replacement: number }
}

/** Reduces a result to previews of its largest blocks. The end of the text says why the rest is missing. */
export async function cutResult(
  request: OffloadRequest,
  blocks: readonly MeasuredBlock[],
  { maxTokens, why }: { readonly maxTokens: number; readonly why: string },
  offloader: ReplacingOffloader,
): Promise<CutResult> {
  const { countTokens, previewTokens } = offloader.options
  const { call, previewers, onFallback } = readingOf(request, offloader)
  const cut = chooseBlocks(blocks, maxTokens, previewTokens)
  const kept = blocks.filter((block) => !cut.includes(block))
  const keptTokens = tokensOf(kept)
  const shares = shareBudget(
    cut.map(({ text, tokens }) => (text === undefined ? 0 : tokens)),
    Math.max(0, maxTokens - STATEMENT_TOKENS - keptTokens),
  )
  const parts: string[] = []
  for (const [index, { block, text }] of cut.entries()) {
    if (text === undefined) parts.push(isMediaBlock(block) ? `[${block.type}: ${mediaFormat(block.mediaType)}]` : '')
    else {
      const contentType = block.type === 'json' ? 'application/json' : 'text/plain'
      const preview = await readText(text, { call, contentType, previewers, onFallback })
      parts.push(await preview.write({ budgetTokens: shares[index]!, countTokens, isError: request.isError }))
    }
  }
  const original = tokensOf(blocks)
  const shown = parts.filter((part) => part !== '').join('\n')
  const missing = Math.max(1, original - keptTokens - countTokens(shown))
  const lost = `~${formatCount(missing)} of ~${formatCount(original)} tokens`
  const text = `${shown}\n[Cut here: ${lost} are missing, because ${why}]`
  return {
    content: [{ type: 'text', text }, ...kept.map(({ block }) => block)],
    tokens: { original, replacement: countTokens(text) + keptTokens },
  }
}

/** The reason to cut a result that could not be stored. */
export const notStored = (error: unknown): string =>
  `the result could not be stored${StorageError.isInstance(error) ? ` (${error.code})` : ''}. They cannot be retrieved. Run the tool again later, or ask it for less.`

/** The reason to cut a result that was read back from storage. */
export function storedAlready({ references, added }: ReadBack, retrievalTool: string | undefined): string {
  const how = retrievalTool === undefined ? 'Read a smaller part' : `Read a part with ${retrievalTool}`
  const others = added.length === 0 ? '' : ` Beside the stored lines, the tool returned ${JSON.stringify(added)}.`
  return `they are stored already: ${references.join(', ')}. ${how}.${others}`
}

const tokensOf = (blocks: readonly MeasuredBlock[]): number => blocks.reduce((sum, { tokens }) => sum + tokens, 0)
