import {
  type ContentBlock,
  contentTypeEssence,
  isTextContentType,
  sniffContentType,
  concatBytes,
  copyBytes,
  textEncodingOf,
  type TextEncoding,
  longerThan,
  TokenSampler,
} from '@spillway/text/internal'
import { ArrivingText, type TextPreview, type TextPreviewing } from '@spillway/previews/internal'
import { assertContent } from '../storage/assert-input.ts'
import { checkAborted, orAborted } from '../storage/storage-error.ts'
import type { Storage, StoreOptions } from '../storage/storage.ts'
import type { ResolvedOptions } from './context-offloader-options.ts'
import type { OffloadStreamRequest } from './offload-request.ts'
import { ArrivingMedia } from './arriving-media.ts'
import type { PartReading } from './read-media-parts.ts'
import type { ReplacementSource } from './render-replacement.ts'
import { toolMetadata } from './tool-metadata.ts'

/** Beginnings that are held back are looked at when they reach this many bytes for each token of the limit. */
const BYTES_PER_TOKEN = 8
/** More than this is stored whatever it consists of. */
const MAX_HELD_BYTES = 1 << 20
const BYTES_PER_BINARY_TOKEN = 2

/** A stream that stays inline, as a block, or was stored, with what its preview needs. */
export type StreamResult =
  | { readonly content: readonly ContentBlock[]; readonly tokens: number; readonly sources?: undefined }
  | {
      readonly sources: readonly ReplacementSource[]
      readonly tokens: number
      readonly isError: boolean
      /** The whole stream, where it was short enough to be held: what stays if the replacement is not smaller. */
      readonly content?: readonly ContentBlock[] | undefined
    }

/** Store a stream while it arrives and scan it for its preview; hold back only what may turn out to be small. */
export async function offloadStream(
  request: OffloadStreamRequest,
  options: ResolvedOptions,
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
    const whole = held.ended ? wholeStream(held.bytes, isText, request.contentType, options) : undefined
    if (whole !== undefined && whole.tokens <= options.maxResultTokens) return whole
    const text = encoding && new ArrivingBytes(encoding, previewing(contentType, reading), options)
    const media = text !== undefined ? undefined : new ArrivingMedia(held.bytes, contentType, reading)
    let size = 0
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (
        let chunk: Uint8Array | undefined = held.bytes;
        chunk !== undefined;
        chunk = await nextChunk(source, request.signal)
      ) {
        size += chunk.byteLength
        text?.push(chunk)
        media?.push(chunk)
        yield chunk
      }
    }
    const key = `${request.toolCallId}_0`
    const reference = await storeChunks(options.storage, key, chunks(), contentType, {
      metadata: toolMetadata(request.toolName),
      signal: request.signal,
    })
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
    // A source that hangs would answer only after what it hangs on.
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

/** Decodes, reads and counts chunks of text. */
class ArrivingBytes {
  readonly #decoder: TextDecoder
  readonly #text: ArrivingText
  readonly #sampler: TokenSampler

  constructor(encoding: TextEncoding, previewing: TextPreviewing, options: ResolvedOptions) {
    // Keeps a byte order mark of UTF-8, as a text that does not arrive in pieces has it too.
    this.#decoder = new TextDecoder(encoding, { ignoreBOM: encoding === 'utf-8' })
    this.#text = new ArrivingText(previewing)
    this.#sampler = new TokenSampler(options.countTokens)
  }

  push(chunk: Uint8Array): void {
    this.#push(this.#decoder.decode(chunk, { stream: true }))
  }

  async finish(): Promise<{ preview: TextPreview; tokens: number }> {
    this.#push(this.#decoder.decode())
    return { preview: await this.#text.finish(), tokens: this.#sampler.tokens() }
  }

  #push(text: string): void {
    this.#text.push(text)
    this.#sampler.push(text)
  }
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

/** Read until the stream ends or is certainly over the limit. */
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
    // A source may fill the same buffer again for its next chunk.
    parts.push(copyBytes(chunk))
    size += chunk.byteLength
    if (size <= lookAt) continue
    const bytes = concatBytes(parts, size)
    const text = new TextDecoder().decode(bytes)
    if (size > MAX_HELD_BYTES || longerThan(text, options.maxResultTokens, options.countTokens))
      return { bytes, ended: false }
    lookAt = size * 2
  }
}

/** Return a stream that has been held as a block that has all its bytes. */
function wholeStream(
  bytes: Uint8Array,
  isText: boolean,
  contentType: string | undefined,
  options: ResolvedOptions,
): { readonly content: readonly ContentBlock[]; readonly tokens: number } {
  const text = isText ? decodeExactly(bytes) : undefined
  if (text !== undefined) return { content: [{ type: 'text', text }], tokens: options.countTokens(text) }
  const tokens = Math.ceil(bytes.byteLength / BYTES_PER_BINARY_TOKEN)
  const mediaType = contentType ?? (isText ? 'application/octet-stream' : sniffContentType(bytes))
  return { content: [{ type: 'document', mediaType, data: bytes }], tokens }
}

/** Decode bytes as UTF-8, or return `undefined` where encoding the text again would not give the same bytes. */
function decodeExactly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

async function storeChunks(
  storage: Storage,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  options: StoreOptions,
): Promise<string> {
  if (storage.storeStream !== undefined) return storage.storeStream(key, chunks, contentType, options)
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(new Uint8Array(chunk))
  return storage.store(key, concatBytes(parts), contentType, options)
}
