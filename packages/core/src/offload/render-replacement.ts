import type { Previewer, PreviewOptions } from '@spillway/previews'
import {
  fallbackOf,
  readMedia,
  readText,
  USUAL_TOKENS,
  type OnFallback,
  type ReadMedia,
  type TextPreview,
  type TextPreviewing,
} from '@spillway/previews/internal'
import {
  contentTypeEssence,
  documentText,
  escapeExpression,
  estimateLargeTokens,
  locateSqlite,
  type ContentBlock,
  type MediaBlock,
} from '@spillway/text/internal'
import { checkAborted } from '../storage/storage-error.ts'
import type { AdoptedOptions, ResolvedOptions } from './context-offloader-options.ts'
import { frameTokens, measureContent, shareBudget } from './measure-content.ts'
import { assertBlocks } from './offload-request.ts'
import { formatReplacement, placeholder, type ReplacedBlock } from './replacement.ts'
import { locationOf, type AddedBlocks, type StoragePart, type StoredPart } from './store-blocks.ts'

export interface ReplacementSource extends Omit<ReplacedBlock, 'preview' | 'lines' | 'location' | 'isShown'> {
  readonly tokens: number
  readonly text?: TextPreview | undefined
  readonly added?: AddedBlocks | undefined
}

export async function replacementSources(
  stored: readonly StoredPart[],
  { call, previewers, onFallback }: PartReading,
): Promise<ReplacementSource[]> {
  const references = new Map<StoragePart | undefined, string>(stored.map(({ part, reference }) => [part, reference]))
  const media = new Map(stored.flatMap((one) => (one.part.foundIn === undefined ? [] : [[one.part.key, one] as const])))
  const sources: ReplacementSource[] = []
  for (const { part, reference, size } of stored) {
    const { key: _key, data: _data, text, textOf, embedded: _embedded, foundIn, ...shown } = part
    const previewing = { call, contentType: contentTypeEssence(shown.contentType), previewers, onFallback }
    const preview = text === undefined ? undefined : await readText(withPlaceholders(part, text, media), previewing)
    sources.push({ ...shown, reference, size, partOf: references.get(textOf ?? foundIn), text: preview })
  }
  return sources
}

/** Replaces the Base64 in a text by placeholders. Line numbers do not change, and JSON is still JSON. */
function withPlaceholders(
  { embedded = [] }: StoragePart,
  text: string,
  stored: ReadonlyMap<unknown, StoredPart>,
): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, key, type, mediaType: contentType, data } of embedded) {
    const { part, reference } = stored.get(key) ?? {}
    const shown = placeholder({ type, contentType, size: data.byteLength, description: part?.description })
    const named = reference === undefined ? shown : `${shown.slice(0, -1)}, stored as ${reference}]`
    const lineEnds = text.slice(start, end).replace(/[^\n]+/g, '')
    parts.push(text.slice(at, start), named.replaceAll(/["\\]/g, "'"), lineEnds)
    at = end
  }
  return [...parts, text.slice(at)].join('')
}

export interface ReplacementRequest {
  readonly original: { readonly blocks: number; readonly tokens: number; readonly isError: boolean }
  /** Number of tokens in the blocks that are not replaced. */
  readonly kept: number
  readonly retrievalToolName: string
  /** Whether the size of a preview depends on the kind of content. */
  readonly sizesByKind: boolean
  readonly onFallback: OnFallback
}

export interface WrittenReplacement {
  readonly content: readonly ContentBlock[]
  readonly tokens: number
}

/** Writes the text of a replacement, and adds blocks of previewers if the result does not exceed its limit. */
export async function writeReplacement(
  sources: readonly ReplacementSource[],
  request: ReplacementRequest,
  options: AdoptedOptions,
): Promise<WrittenReplacement> {
  const { countTokens } = options
  const needs = sources.map(({ text, tokens }) => {
    if (text?.usualTokens === undefined || !request.sizesByKind) return text === undefined ? 0 : tokens
    // A failed tool gets the size of a log preview, even if no line contains an error.
    return Math.min(tokens, request.original.isError ? Math.max(text.usualTokens, USUAL_TOKENS.log) : text.usualTokens)
  })
  const shares = shareBudget(needs, options.previewTokens)
  const previewed = shares.reduce((sum, share) => sum + share, 0)
  const room = options.maxResultTokens - request.kept - previewed - frameTokens(sources.length)
  const shown = await fitAdded(sources, room, request.onFallback, options)
  const text = await renderText(sources, shares, shown, request, options)
  return {
    content: [{ type: 'text', text }, ...shown.blocks],
    tokens: countTokens(text) + shown.tokens,
  }
}

interface ShownBlocks {
  readonly sources: ReadonlySet<ReplacementSource>
  readonly blocks: readonly ContentBlock[]
  readonly tokens: number
}

/** Chooses the blocks to add. Emits an event if an added block does not fit or is not smaller than its original. */
async function fitAdded(
  sources: readonly ReplacementSource[],
  room: number,
  onFallback: OnFallback,
  { countTokens, storage: { caller } }: AdoptedOptions,
): Promise<ShownBlocks> {
  const shown = new Set<ReplacementSource>()
  const blocks: ContentBlock[] = []
  let tokens = 0
  for (const source of sources) {
    if (source.added === undefined) continue
    const measured = await measureContent(source.added.blocks, room, countTokens, caller)
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
    const location = locationOf(options, block.reference)
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

/** Largest gap, in lines, with a call that shows its lines. A larger gap exceeds an answer, so a search is better. */
const MOST_LINES_CALLED = 100

const fitsAnswer = (start: number, end: number): boolean => end - start < MOST_LINES_CALLED

export function gapCalls({
  includeRetrievalTool,
  guide,
}: ResolvedOptions): Pick<PreviewOptions, 'showLines' | 'showText' | 'showSql'> {
  const runsSql = locateSqlite() !== undefined
  if (includeRetrievalTool)
    return {
      showLines: (start, end) => (fitsAnswer(start, end) ? `line_range { start: ${start}, end: ${end} }` : undefined),
      showText: (text) => `pattern ${JSON.stringify(escapeExpression(text))}`,
      showSql: runsSql ? (sql) => `sql '${sql}'` : undefined,
    }
  if (guide !== undefined)
    return {
      showLines: (start, end) =>
        fitsAnswer(start, end) ? guide.formatCall({ line_range: { start, end } }) : undefined,
      showText: (text) => guide.formatCall({ pattern: escapeExpression(text) }),
      showSql: runsSql ? (sql) => guide.formatCall({ sql }) : undefined,
    }
  return { showLines: (start, end) => `| sed -n '${start},${end}p'` }
}

/** Returns the references for the instructions. References of binary content are included only if there is no text. */
function guided(sources: readonly ReplacementSource[]): [references: readonly string[], isText: boolean] {
  const texts = sources.filter(({ text }) => text !== undefined)
  return [(texts.length > 0 ? texts : sources).map(({ reference }) => reference), texts.length > 0]
}

const HEADING = /^#{1,6} \S/m

export interface PartReading {
  readonly call: TextPreviewing['call']
  readonly options: Pick<ResolvedOptions, 'countTokens' | 'redact'>
  /** The offloader's own previewers, then core's. */
  readonly previewers: readonly Previewer[]
  readonly onFallback: OnFallback
  readonly signal: AbortSignal | undefined
}

/** Extracts the text of documents that cannot be searched, for example a PDF. The text becomes the next part. */
export async function readMediaParts(parts: readonly StoragePart[], reading: PartReading): Promise<StoragePart[]> {
  const read: StoragePart[] = []
  for (const part of parts) {
    if (part.data === undefined || part.type === 'text' || part.type === 'json') read.push(part)
    else
      read.push(...(readDocument(part, part.data, reading) ?? (await readBytes(part, part.data, part.type, reading))))
  }
  return read
}

function readDocument(part: StoragePart, data: Uint8Array, reading: PartReading): StoragePart[] | undefined {
  const document = part.type === 'document' ? documentText(data, part.contentType) : undefined
  if (document === undefined) return undefined
  const { contentType } = document
  const text = redactedText(document.text, reading)
  // If the text contained secrets, the original bytes must not be stored.
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
  // Images are added only for blocks of the result, not for media found inside a text.
  const added = part.foundIn === undefined ? addedBlocks(read, onFallback) : undefined
  const described = { ...part, description, added }
  if (text === '') return [described]
  return [described, textPart(described, text, HEADING.test(text) ? 'text/markdown' : 'text/plain', reading)]
}

function addedBlocks({ blocks, previewer }: ReadMedia, onFallback: OnFallback): AddedBlocks | undefined {
  if (blocks.length === 0) return undefined
  try {
    assertBlocks(blocks)
    return { blocks, previewer }
  } catch (error) {
    // Invalid blocks of a third-party previewer must not make offloading fail.
    if (!(error instanceof TypeError)) throw error
    onFallback(fallbackOf(previewer, error))
    return undefined
  }
}

function textPart(of: StoragePart, text: string, contentType: string, reading: PartReading): StoragePart {
  const shown = redactedText(text, reading)
  return { type: 'text', key: of.key, contentType, text: shown, tokens: tokensOf(shown, reading), textOf: of }
}

const redactedText = (text: string, { options: { redact } }: PartReading): string => redact?.(text) ?? text

const tokensOf = (text: string, { options: { countTokens } }: PartReading): number =>
  estimateLargeTokens(text, countTokens)
