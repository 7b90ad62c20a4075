import { isMediaBlock, formatCount, mediaFormat, type ContentBlock } from '@spillway/text/internal'
import { readText } from '@spillway/previews/internal'
import { StorageError } from '../storage/storage-error.ts'
import { chooseBlocks, shareBudget, type MeasuredBlock } from './measure-content.ts'
import type { OffloadRequest } from './offload-request.ts'
import { readingOf, type ReplacingOffloader } from './replace-result.ts'

/** Tokens of the statement at the end. */
const STATEMENT_TOKENS = 80

export interface CutResult {
  readonly content: readonly ContentBlock[]
  readonly tokens: { readonly original: number; readonly replacement: number }
}

/** Reduces a result that could not be stored to previews of its largest blocks, and states at its end what is lost. */
export async function cutResult(
  request: OffloadRequest,
  blocks: readonly MeasuredBlock[],
  error: unknown,
  offloader: ReplacingOffloader,
): Promise<CutResult> {
  const { countTokens, maxInlineTokens, previewTokens } = offloader.options
  const { call, previewers, onFallback } = readingOf(request, offloader)
  const cut = chooseBlocks(blocks, maxInlineTokens, previewTokens)
  const kept = blocks.filter((block) => !cut.includes(block))
  const keptTokens = tokensOf(kept)
  const shares = shareBudget(
    cut.map(({ text, tokens }) => (text === undefined ? 0 : tokens)),
    Math.max(0, maxInlineTokens - STATEMENT_TOKENS - keptTokens),
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
  const text = `${shown}\n${statement(missing, original, error)}`
  return {
    content: [{ type: 'text', text }, ...kept.map(({ block }) => block)],
    tokens: { original, replacement: countTokens(text) + keptTokens },
  }
}

function statement(missing: number, original: number, error: unknown): string {
  const why = StorageError.isInstance(error) ? ` (${error.code})` : ''
  const lost = `~${formatCount(missing)} of ~${formatCount(original)} tokens`
  return `[Cut here: ${lost} are missing, because the result could not be stored${why}. They cannot be retrieved. Run the tool again later, or ask it for less.]`
}

const tokensOf = (blocks: readonly MeasuredBlock[]): number => blocks.reduce((sum, { tokens }) => sum + tokens, 0)
