import type { PreviewCall, Previewer, PreviewOptions } from '@spillway/previews'
import {
  fallbackOf,
  readMedia,
  readText,
  type OnFallback,
  type ReadMedia,
  type TextPreview,
} from '@spillway/previews/internal'
import {
  contentTypeEssence,
  documentText,
  estimateLargeTokens,
  locateSqlite,
  type ContentBlock,
  type MediaBlock,
} from '@spillway/text/internal'
import { escapeExpression } from '@spillway/text/internal/patterns'
import { checkAborted } from '../storage/storage-error.ts'
import type { AdoptedOptions, ResolvedOptions } from './context-offloader-options.ts'
import { frameTokens, measureContent } from './measure-content.ts'
import { assertBlocks } from './offload-request.ts'
import { formatReplacement, type ReplacedBlock } from './replacement.ts'
import { redacted, type AddedBlocks, type StoragePart, type StoredPart } from './store-blocks.ts'

/** A stored part of a result, and what its preview is made from. */
export interface ReplacementSource extends Omit<ReplacedBlock, 'preview' | 'lines' | 'location' | 'isShown'> {
  /** Tokens of the whole part: it needs no larger share of the preview budget. */
  readonly tokens: number
  /** Absent for media that are no text. */
  readonly text?: TextPreview | undefined
  readonly added?: AddedBlocks | undefined
}

/** Say what stored parts are, and read those that are text. */
export async function replacementSources(
  stored: readonly StoredPart[],
  { call, previewers, onFallback }: PartReading,
): Promise<ReplacementSource[]> {
  const references = new Map<StoragePart | undefined, string>(stored.map(({ part, reference }) => [part, reference]))
  const sources: ReplacementSource[] = []
  for (const { part, reference, size } of stored) {
    const { type, contentType, name, context, joined, tokens, description, added } = part
    const previewing = { call, contentType: contentTypeEssence(contentType), previewers, onFallback }
    const text = part.text === undefined ? undefined : await readText(part.text, previewing)
    const textOf = references.get(part.textOf)
    sources.push({
      reference,
      type,
      contentType,
      size,
      name,
      context,
      joined,
      tokens,
      description,
      added,
      textOf,
      text,
    })
  }
  return sources
}

/** What a replacement is written for. */
export interface ReplacementRequest {
  /** Blocks of the result that are offloaded, their tokens, and whether the tool failed. */
  readonly original: { readonly blocks: number; readonly tokens: number; readonly isError: boolean }
  /** Tokens of the blocks that stay. */
  readonly kept: number
  /** What the model knows the retrieval tool by. */
  readonly retrievalToolName: string
  /** Whether a preview has no more tokens than its kind of content needs as a rule. */
  readonly sizesByKind: boolean
  readonly onFallback: OnFallback
}

/** What stands in the place of a result, beside the blocks that stay. */
export interface WrittenReplacement {
  /** The text, then the blocks that previewers added. */
  readonly content: readonly ContentBlock[]
  readonly tokens: number
}

/**
 * Preview the stored parts of a result within one budget, and write the text that stands in its place.
 *
 * Blocks that previewers made are added as long as the result stays within its limit.
 */
export async function writeReplacement(
  sources: readonly ReplacementSource[],
  request: ReplacementRequest,
  options: AdoptedOptions,
): Promise<WrittenReplacement> {
  const { countTokens } = options
  const needs = sources.map(({ text, tokens }) => {
    if (text === undefined) return 0
    return Math.min(tokens, (request.sizesByKind ? text.usualTokens : undefined) ?? tokens)
  })
  const shares = shareBudget(needs, options.previewTokens)
  const previewed = shares.reduce((sum, share) => sum + share, 0)
  const room = options.maxResultTokens - request.kept - previewed - frameTokens(sources.length)
  const shown = fitAdded(sources, room, request.onFallback, countTokens)
  const text = await renderText(sources, shares, shown, request, options)
  return {
    content: [{ type: 'text', text }, ...shown.blocks],
    tokens: countTokens(text) + shown.tokens,
  }
}

/** Blocks that are added, and what they stand for. */
interface ShownBlocks {
  readonly sources: ReadonlySet<ReplacementSource>
  readonly blocks: readonly ContentBlock[]
  readonly tokens: number
}

/** Choose the added blocks that fit, each smaller than what it stands for; of others an event says so. */
function fitAdded(
  sources: readonly ReplacementSource[],
  room: number,
  onFallback: OnFallback,
  countTokens: ResolvedOptions['countTokens'],
): ShownBlocks {
  const shown = new Set<ReplacementSource>()
  const blocks: ContentBlock[] = []
  let tokens = 0
  for (const source of sources) {
    if (source.added === undefined) continue
    const measured = measureContent(source.added.blocks, room, countTokens)
    const needed = measured.reduce((sum, block) => sum + block.tokens, 0)
    if (tokens + needed <= room && needed < source.tokens) {
      shown.add(source)
      blocks.push(...source.added.blocks)
      tokens += needed
    } else onFallback({ previewer: source.added.previewer, reason: 'over-budget' })
  }
  return { sources: shown, blocks, tokens }
}

async function renderText(
  sources: readonly ReplacementSource[],
  shares: readonly number[],
  shown: ShownBlocks,
  { original, retrievalToolName }: ReplacementRequest,
  options: AdoptedOptions,
): Promise<string> {
  const { guide } = options
  const blocks: ReplacedBlock[] = []
  for (const [index, source] of sources.entries()) {
    const { text, tokens: _tokens, added: _added, ...block } = source
    const location = options.showLocation ? options.storage.locate(block.reference) : undefined
    const preview = await text?.write({
      budgetTokens: shares[index] ?? 0,
      countTokens: options.countTokens,
      isError: original.isError,
      ...gapCalls(options),
    })
    blocks.push({ ...block, lines: text?.lines, preview, location, isShown: shown.sources.has(source) })
  }
  return formatReplacement({
    blocks,
    original,
    isError: original.isError,
    retrievalTool: options.includeRetrievalTool ? retrievalToolName : undefined,
    guide: guide?.instructions(...guided(sources)),
  })
}

/** Write what shows a gap: an argument of the retrieval tool, the guide's call, or what a shell pipes the content into. */
export function gapCalls({
  includeRetrievalTool,
  guide,
}: ResolvedOptions): Pick<PreviewOptions, 'showLines' | 'showText' | 'showSql'> {
  const runsSql = locateSqlite() !== undefined
  if (includeRetrievalTool)
    return {
      showLines: (start, end) => `line_range { start: ${start}, end: ${end} }`,
      showText: (text) => `pattern ${JSON.stringify(escapeExpression(text))}`,
      showSql: runsSql ? (sql) => `sql '${sql}'` : undefined,
    }
  if (guide !== undefined)
    return {
      showLines: (start, end) => guide.formatCall({ line_range: { start, end } }),
      showText: (text) => guide.formatCall({ pattern: escapeExpression(text) }),
      showSql: runsSql ? (sql) => guide.formatCall({ sql }) : undefined,
    }
  return { showLines: (start, end) => `| sed -n '${start},${end}p'` }
}

/** The references that retrieval is explained with, and whether they are of text: of binary content only if there is no text. */
function guided(sources: readonly ReplacementSource[]): [references: readonly string[], isText: boolean] {
  const texts = sources.filter(({ text }) => text !== undefined)
  return [(texts.length > 0 ? texts : sources).map(({ reference }) => reference), texts.length > 0]
}

/** A text with headings of Markdown is previewed and kept as such. */
const HEADING = /^#{1,6} \S/m

/** What media parts are read with. */
export interface PartReading {
  readonly call: PreviewCall
  readonly options: Pick<ResolvedOptions, 'countTokens' | 'redact'>
  /** The offloader's own, then those that every offloader has. */
  readonly previewers: readonly Previewer[]
  readonly onFallback: OnFallback
  readonly signal: AbortSignal | undefined
}

/**
 * Read the media among the parts of a result: documents that are text as their text, others as previewers do.
 *
 * The text of a document that cannot be searched itself, such as a PDF, becomes a part of its own that follows it. What a
 * previewer cannot do costs no more than the description. Rejects where `redact` throws, and once the signal has fired.
 */
export async function readMediaParts(parts: readonly StoragePart[], reading: PartReading): Promise<StoragePart[]> {
  const read: StoragePart[] = []
  for (const part of parts) {
    if (part.data === undefined || part.type === 'text' || part.type === 'json') read.push(part)
    else
      read.push(...(readDocument(part, part.data, reading) ?? (await readBytes(part, part.data, part.type, reading))))
  }
  return read
}

/** Read a document that is text, or return `undefined` for what is not. */
function readDocument(part: StoragePart, data: Uint8Array, reading: PartReading): StoragePart[] | undefined {
  const document = part.type === 'document' ? documentText(data, part.contentType) : undefined
  if (document === undefined) return undefined
  const { contentType } = document
  const text = redactedText(document.text, reading)
  // What was redacted must not be stored.
  const stored = text === document.text ? data : undefined
  return [{ ...part, contentType, text, tokens: tokensOf(text, reading), data: stored }]
}

async function readBytes(
  part: StoragePart,
  data: Uint8Array,
  type: MediaBlock['type'],
  reading: PartReading,
): Promise<StoragePart[]> {
  const media = { type, mediaType: part.contentType, name: part.name }
  const { call, previewers, onFallback, signal } = reading
  const previewing = readMedia(data, { call, media, previewers, onFallback, signal })
  const read = await previewing.catch((error: unknown) => {
    checkAborted(signal)
    throw error
  })
  if (read === undefined) return [part]
  const { description, text = '' } = read
  const described = { ...part, description, added: addedBlocks(read, onFallback) }
  if (text === '') return [described]
  return [described, textPart(described, text, HEADING.test(text) ? 'text/markdown' : 'text/plain', reading)]
}

function addedBlocks({ blocks, previewer }: ReadMedia, onFallback: OnFallback): AddedBlocks | undefined {
  if (blocks.length === 0) return undefined
  try {
    assertBlocks(blocks)
    return { blocks, previewer }
  } catch (error) {
    // A previewer may be anybody's code: blocks that are none must not cost the result.
    if (!(error instanceof TypeError)) throw error
    onFallback(fallbackOf(previewer, error))
    return undefined
  }
}

function textPart(of: StoragePart, text: string, contentType: string, reading: PartReading): StoragePart {
  const shown = redactedText(text, reading)
  return { type: 'text', key: of.key, contentType, text: shown, tokens: tokensOf(shown, reading), textOf: of }
}

const redactedText = (text: string, { options: { redact = (same) => same } }: PartReading): string =>
  redacted(text, redact)

const tokensOf = (text: string, { options: { countTokens } }: PartReading): number =>
  estimateLargeTokens(text, countTokens)

/**
 * Share a budget among parts: those that need less than an even share get what they need, the others the rest evenly.
 *
 * @param needs - What each part could use at most.
 * @returns What each part gets, in the order of `needs`; at most `budget` in all.
 */
export function shareBudget(needs: readonly number[], budget: number): number[] {
  const shares: number[] = Array.from(needs, () => 0)
  const smallestFirst = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need)
  let left = budget
  for (const [position, { need, index }] of smallestFirst.entries()) {
    const share = Math.min(need, Math.floor(left / (smallestFirst.length - position)))
    shares[index] = share
    left -= share
  }
  return shares
}
