import type { TextPreview } from '../preview/read-text.ts'
import { RETRIEVAL_TOOL_NAME } from '../retrieval/retrieval-tool-name.ts'
import type { ResolvedOptions } from './context-offloader-options.ts'
import { formatReplacement, type ReplacedBlock } from './replacement.ts'
import { shareBudget } from './share-budget.ts'

/** A stored part of a result, and what its preview is made from. */
export interface ReplacementSource extends Omit<ReplacedBlock, 'preview' | 'lines' | 'location'> {
  /** Tokens of the whole part: it needs no larger share of the preview budget. */
  readonly tokens: number
  /** Absent for media. */
  readonly text?: TextPreview | undefined
}

/** Preview the stored parts of a result within one budget, and write the text that stands in its place. */
export async function renderReplacement(
  sources: readonly ReplacementSource[],
  original: { readonly blocks: number; readonly tokens: number; readonly isError: boolean },
  options: ResolvedOptions,
): Promise<string> {
  const shares = shareBudget(
    sources.map((source) => (source.text === undefined ? 0 : source.tokens)),
    options.previewTokens,
  )
  const { guide } = options
  const blocks: ReplacedBlock[] = []
  for (const [index, { text, tokens: _, ...block }] of sources.entries()) {
    const location = options.showLocation ? options.storage.locate?.(block.reference) : undefined
    const preview = await text?.write({
      budgetTokens: shares[index] ?? 0,
      countTokens: options.countTokens,
      isError: original.isError,
      showLines: gapCall(options),
    })
    blocks.push({ ...block, lines: text?.lines, preview, location })
  }
  return formatReplacement({
    blocks,
    original,
    isError: original.isError,
    retrievalTool: options.includeRetrievalTool ? RETRIEVAL_TOOL_NAME : undefined,
    guide: guide?.instructions(sources.map((source) => source.reference)),
  })
}

/** Write what shows a gap: an argument of the retrieval tool, the guide's call, or what a shell pipes the content into. */
function gapCall({ includeRetrievalTool, guide }: ResolvedOptions): (start: number, end: number) => string {
  if (includeRetrievalTool) return (start, end) => `line_range { start: ${start}, end: ${end} }`
  if (guide !== undefined) return (start, end) => guide.formatCall({ line_range: { start, end } })
  return (start, end) => `| sed -n '${start},${end}p'`
}
