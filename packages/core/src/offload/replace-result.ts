import { corePreviewers } from '@spillway/previews'
import {
  ArrivingText,
  describeMedia,
  fallbackOf,
  MEDIA_PREVIEWER,
  mediaPreviewersFor,
  toolIntent,
  withPreviewers,
  type OnFallback,
  type TextPreview,
  type TextPreviewing,
} from '@spillway/previews/internal'
import {
  concatBytes,
  contentTypeEssence,
  copyBytes,
  isTextContentType,
  longerThan,
  mediaKind,
  sniffContentType,
  textEncodingOf,
  TokenSampler,
  yieldWhenDue,
  type ContentBlock,
  type TextEncoding,
  decodeExactly,
} from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import { redactChunks } from '../redaction/redact-content.ts'
import { assertContent } from '../storage/storage-input.ts'
import { checkAborted, orAborted } from '../storage/storage-error.ts'
import type { AdoptedOptions, ResolvedOptions } from './context-offloader-options.ts'
import { withEmbeddedMedia } from './embedded-media.ts'
import { chooseBlocks, type MeasuredBlock } from './measure-content.ts'
import type { OffloadedBlock, OffloadRequest, OffloadStreamRequest } from './offload-request.ts'
import {
  readMediaParts,
  replacementSources,
  writeReplacement,
  type PartReading,
  type ReplacementRequest,
  type ReplacementSource,
  type WrittenReplacement,
} from './render-replacement.ts'
import {
  partKey,
  storageParts,
  storeParts,
  toolMetadata,
  undoAndThrow,
  unreachable,
  type StoragePart,
  type StoredPart,
} from './store-blocks.ts'

export interface ReplacingOffloader {
  readonly options: AdoptedOptions
  readonly retrievalToolName: string
  readonly sizesByKind: boolean
  readonly onFallback: OnFallback
}

export interface Replacement {
  readonly stored: readonly OffloadedBlock[]
  readonly content: readonly ContentBlock[]
  readonly tokens: { readonly original: number; readonly replacement: number }
  readonly preview: string | undefined
}

/** Replaces a result. If storing fails, nothing new is left in storage. */
export async function replaceResult(
  request: OffloadRequest,
  blocks: readonly MeasuredBlock[],
  original: number,
  offloader: ReplacingOffloader,
): Promise<Replacement | { readonly reason: 'not-storable' | 'not-smaller' }> {
  const { options } = offloader
  const { storage, maxResultTokens, previewTokens, redact = (text: string) => text } = options
  const { toolName, toolCallId, signal } = request
  const reading = readingOf(request, offloader)
  const candidates = chooseBlocks(blocks, maxResultTokens, previewTokens)
  const texts = await withEmbeddedMedia(storageParts(candidates, toolCallId, redact), storage.caller)
  const read = await readMediaParts(texts, reading)
  const lost = unreachable(read, options)
  const parts = read.filter((part) => !lost.has(part))
  const lostKeys = new Set([...lost].map(({ key }) => key))
  const chosen = candidates.filter(({ index }) => !lostKeys.has(partKey(toolCallId, index)))
  if (chosen.length === 0) return { reason: 'not-storable' }
  const { stored, undo } = await storeParts(storage, parts, toolName, signal)
  const replaced = new Set(chosen)
  const kept = blocks.filter((block) => !replaced.has(block))
  const rest = kept.reduce((sum, block) => sum + block.tokens, 0)
  let sources: ReplacementSource[]
  let written: WrittenReplacement
  try {
    sources = await replacementSources(stored, reading)
    const ofOriginal = { blocks: chosen.length, tokens: original - rest, isError: request.isError ?? false }
    written = await writeReplacement(sources, writingOf(ofOriginal, rest, offloader), options)
  } catch (error) {
    return undoAndThrow(undo, error)
  }
  const replacement = written.tokens + rest
  if (replacement >= original) {
    await undo()
    return { reason: 'not-smaller' }
  }
  const content = [...written.content, ...kept.map((block) => block.block)]
  return { stored: describeStored(sources), content, tokens: { original, replacement }, preview: previewOf(sources) }
}

export async function replaceStream(
  request: OffloadStreamRequest,
  offloader: ReplacingOffloader,
): Promise<
  | Replacement
  | {
      readonly reason: 'within-limit' | 'not-smaller'
      readonly content: readonly ContentBlock[]
      readonly tokens: { readonly original: number }
    }
> {
  const { options } = offloader
  const result = await offloadStream(request, options, readingOf(request, offloader))
  const original = result.tokens
  if (result.sources === undefined) return { reason: 'within-limit', content: result.content, tokens: { original } }
  const { sources, isError } = result
  const ofOriginal = { blocks: 1, tokens: original, isError }
  const written = await writeReplacement(sources, writingOf(ofOriginal, 0, offloader), options)
  if (result.content !== undefined && written.tokens >= original) {
    for (const { reference } of sources) await options.storage.delete(reference)
    return { reason: 'not-smaller', content: result.content, tokens: { original } }
  }
  const tokens = { original, replacement: written.tokens }
  return { stored: describeStored(sources), content: written.content, tokens, preview: previewOf(sources) }
}

export function readingOf(
  { toolName, input, purpose, signal }: Pick<OffloadRequest, 'toolName' | 'input' | 'purpose' | 'signal'>,
  { options, onFallback }: ReplacingOffloader,
): PartReading {
  const call = { toolName, input, intent: toolIntent(toolName, input, purpose), caller: options.storage.caller }
  return { call, options, previewers: withPreviewers(options.previewers, corePreviewers), onFallback, signal }
}

const writingOf = (
  original: ReplacementRequest['original'],
  kept: number,
  { retrievalToolName, sizesByKind, onFallback }: ReplacingOffloader,
): ReplacementRequest => ({ original, kept, retrievalToolName, sizesByKind, onFallback })

const previewOf = ([first]: readonly ReplacementSource[]): string | undefined => first?.text?.kind ?? first?.type

const describeStored = (sources: readonly ReplacementSource[]): OffloadedBlock[] =>
  sources.map(({ reference, type, contentType, size, name }) => ({
    reference,
    type,
    contentType,
    size,
    ...(name !== undefined && { name }),
  }))

/** Bytes to hold for each token of the limit, before the tokens are counted. */
const BYTES_PER_TOKEN = 8
/** Largest stream to hold in memory, in bytes. A longer stream is stored, even if it has few tokens. */
const MAX_HELD_BYTES = 1 << 20
const BYTES_PER_BINARY_TOKEN = 2

type StreamResult =
  | { readonly content: readonly ContentBlock[]; readonly tokens: number; readonly sources?: undefined }
  | {
      readonly sources: readonly ReplacementSource[]
      readonly tokens: number
      readonly isError: boolean
      /** The whole stream, if it was held in memory. Returned if the replacement is not smaller. */
      readonly content?: readonly ContentBlock[] | undefined
    }

/** Offloads a stream. Only the start is held in memory, until the stream ends or exceeds the limit. */
async function offloadStream(
  request: OffloadStreamRequest,
  options: AdoptedOptions,
  reading: PartReading,
): Promise<StreamResult> {
  const source = request.chunks[Symbol.asyncIterator]()
  try {
    const held = await hold(source, options, request.signal)
    const sniffed = sniffContentType(held.bytes)
    const isText = sniffed === 'text/plain'
    const encoding = isText ? textEncodingOf(held.bytes) : undefined
    const isContradicted = isText && request.contentType !== undefined && !isTextContentType(request.contentType)
    const contentType = isContradicted ? sniffed : (request.contentType ?? sniffed)
    const whole = held.ended ? await wholeStream(held.bytes, isText, request.contentType, options) : undefined
    if (whole !== undefined && whole.tokens <= options.maxResultTokens) return whole
    const { redact } = options
    // Redacted text is encoded in UTF-8.
    const written = redact === undefined ? encoding : 'utf-8'
    const text = encoding && arrivingBytes(written ?? encoding, previewing(contentType, reading), options)
    const media = text !== undefined ? undefined : arrivingMedia(held.bytes, contentType, reading)
    let size = 0
    const arriving = arrivingChunks(held.bytes, source, request.signal)
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      const left =
        redact === undefined || encoding === undefined
          ? arriving
          : redactChunks(arriving, new TextDecoder(encoding, { ignoreBOM: encoding === 'utf-8' }), redact)
      for await (const chunk of left) {
        size += chunk.byteLength
        await text?.push(chunk)
        media?.push(chunk)
        yield chunk
      }
    }
    const key = `${request.toolCallId}_0`
    const store = { metadata: toolMetadata(request.toolName), signal: request.signal }
    const reference = await (request.store?.(chunks(), contentType) ??
      options.storage.storeStream(key, chunks(), contentType, store))
    const read = await text?.finish()
    const tokens = read?.tokens ?? Math.ceil(size / BYTES_PER_BINARY_TOKEN)
    const stored = { reference, contentType, size, tokens }
    const sources =
      media === undefined
        ? [{ ...stored, type: 'text' as const, text: read?.preview }]
        : await media.finish({ ...stored, key }, options.storage)
    return { sources, tokens, isError: request.isError?.() ?? false, content: whole?.content }
  } finally {
    const ended = async (): Promise<unknown> => source.return?.()
    // If the source hangs, its end would never come, so an aborted call does not wait for the end.
    if (request.signal?.aborted === true) void Promise.allSettled([ended()])
    else await ended()
  }
}

const previewing = (contentType: string, { call, previewers, onFallback }: PartReading): TextPreviewing => ({
  call,
  contentType: contentTypeEssence(contentType),
  previewers,
  onFallback,
})

/** Number of bytes that are decoded and read at once. */
const PIECE_BYTES = 65_536

function arrivingBytes(encoding: TextEncoding, previewing: TextPreviewing, options: AdoptedOptions) {
  // A UTF-8 byte order mark is kept, as in text that arrives whole.
  const decoder = new TextDecoder(encoding, { ignoreBOM: encoding === 'utf-8' })
  const arriving = new ArrivingText(previewing)
  const sampler = new TokenSampler(options.countTokens)

  async function push(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
      add(decoder.decode(chunk.subarray(at, at + PIECE_BYTES), { stream: true }))
      await yieldWhenDue(options.storage.caller)
    }
  }

  async function finish(): Promise<{ preview: TextPreview; tokens: number }> {
    add(decoder.decode())
    return { preview: await arriving.finish(), tokens: sampler.tokens() }
  }

  function add(text: string): void {
    arriving.push(text)
    sampler.push(text)
  }

  return { push, finish }
}

async function nextChunk(
  source: AsyncIterator<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  checkAborted(signal)
  const next = await orAborted(source.next(), signal)
  if (next.done === true) return undefined
  assertContent(next.value)
  return next.value
}

async function* arrivingChunks(
  held: Uint8Array,
  source: AsyncIterator<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (let chunk: Uint8Array | undefined = held; chunk !== undefined; chunk = await nextChunk(source, signal))
    yield chunk
}

async function hold(
  source: AsyncIterator<Uint8Array>,
  options: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<{ bytes: Uint8Array; ended: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  let lookAt = Math.min(MAX_HELD_BYTES, Math.ceil(options.maxResultTokens * BYTES_PER_TOKEN))
  for (;;) {
    const chunk = await nextChunk(source, signal)
    if (chunk === undefined) return { bytes: concatBytes(parts, size), ended: true }
    // A source may reuse its buffer for the next chunk.
    parts.push(copyBytes(chunk))
    size += chunk.byteLength
    if (size <= lookAt) continue
    const bytes = concatBytes(parts, size)
    if (size > MAX_HELD_BYTES) return { bytes, ended: false }
    if (longerThan(new TextDecoder().decode(bytes), options.maxResultTokens, options.countTokens))
      return { bytes, ended: false }
    lookAt = size * 2
  }
}

async function wholeStream(
  bytes: Uint8Array,
  isText: boolean,
  contentType: string | undefined,
  options: ResolvedOptions,
): Promise<{ readonly content: readonly ContentBlock[]; readonly tokens: number }> {
  const decoded = isText ? decodeExactly(bytes) : undefined
  const { redact } = options
  const text = decoded !== undefined && redact?.where === 'all' ? redact(decoded) : decoded
  if (text !== undefined) return { content: [{ type: 'text', text }], tokens: options.countTokens(text) }
  const tokens = Math.ceil(bytes.byteLength / BYTES_PER_BINARY_TOKEN)
  const mediaType = contentType ?? (isText ? 'application/octet-stream' : sniffContentType(bytes))
  return { content: [{ type: 'document', mediaType, data: bytes }], tokens }
}

/** Largest media to hold for a previewer, in bytes. Only the start of larger media is read. */
const MAX_MEDIA_BYTES = 32 * 1_048_576

interface StoredMedia {
  readonly key: string
  readonly reference: string
  readonly contentType: string
  readonly size: number
  readonly tokens: number
}

function arrivingMedia(start: Uint8Array, contentType: string, reading: PartReading) {
  let heldBytes = 0
  const { call, previewers, onFallback } = reading
  const subject = { ...call, type: mediaKind(contentType), mediaType: contentType, size: start.byteLength }
  const wanted = mediaPreviewersFor(subject, previewers, onFallback).some(({ name }) => name !== MEDIA_PREVIEWER)
  let held: Uint8Array[] | undefined = wanted ? [] : undefined

  function push(chunk: Uint8Array): void {
    heldBytes += chunk.byteLength
    if (heldBytes > MAX_MEDIA_BYTES) held = undefined
    // A source may reuse its buffer for the next chunk.
    held?.push(copyBytes(chunk))
  }

  /** If storing the text fails, an event is emitted, and only the media are stored. */
  async function finish(
    { key, reference, contentType, size, tokens }: StoredMedia,
    storage: AdoptedStorage,
  ): Promise<ReplacementSource[]> {
    const part: StoragePart = { type: mediaKind(contentType), key, contentType, tokens }
    const data = held === undefined ? whole() : concatBytes(held, heldBytes)
    if (data === undefined) {
      const description = describeMedia(start, contentType)
      return replacementSources([{ part: { ...part, description }, reference, size }], reading)
    }
    const [read = part, ...texts] = await readMediaParts([{ ...part, data }], reading)
    const stored: StoredPart[] = [{ part: read, reference, size }]
    try {
      const { toolName } = reading.call
      stored.push(...(await storeParts(storage, texts, toolName, reading.signal, stored)).stored)
    } catch (error) {
      // The stream is stored already, and must not be lost because its text could not be stored.
      reading.onFallback(fallbackOf(MEDIA_PREVIEWER, error))
    }
    return replacementSources(stored, reading)
  }

  function whole(): Uint8Array | undefined {
    return heldBytes === start.byteLength ? start : undefined
  }

  return { push, finish }
}
