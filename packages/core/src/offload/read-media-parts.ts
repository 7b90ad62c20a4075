import { documentText, type MediaBlock, estimateLargeTokens } from '@spillway/text/internal'
import { type OnFallback, fallbackOf, readMedia, type ReadMedia } from '@spillway/previews/internal'
import type { PreviewCall, Previewer } from '@spillway/previews'
import { checkAborted } from '../storage/storage-error.ts'
import { assertBlocks } from './assert-offload-request.ts'
import type { ResolvedOptions } from './context-offloader-options.ts'
import { redacted, type AddedBlocks, type StoragePart } from './store-blocks.ts'

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
