import {
  yieldToEventLoop,
  copyBytes,
  LINE_BLOCK_BYTES,
  LineIndexBuilder,
  type LineIndex,
  decodeText,
  hasWidePart,
  textEncodingOf,
  isTextContentType,
  mayBeText,
} from '@spillway/text/internal'
import { MAX_WHOLE_BYTES } from '../storage/cached-content.ts'
import { DEFAULT_BLOCK_BYTES, openContentSource } from './content-source.ts'
import type { ContentSource, ReadableStorage, ReadOptions } from './content-source.ts'

/** UTF-16 is decoded in memory, up to so many bytes. */
const MAX_DECODED_BYTES = 67_108_864
/** Up to so many bytes are read at once in any case. */
const SMALL_BYTES = 1_048_576

/** How text is read. */
export interface TextReadOptions extends ReadOptions {
  /** Whether only some lines will be read: then parts in UTF-16 are looked for in up to 1 MiB, else in up to 16. */
  readonly readsPart?: boolean | undefined
}

/** Open content as what its bytes are, use it, and close it however that goes. Rejects like {@link openTextSource}, and with what `use` throws. */
export async function withTextSource<Result>(
  storage: ReadableStorage,
  reference: string,
  options: TextReadOptions,
  use: (source: ContentSource) => Promise<Result>,
): Promise<Result> {
  const source = await openTextSource(storage, reference, options)
  try {
    return await use(source)
  } finally {
    await source.close()
  }
}

/**
 * Open content as what its bytes are, and close it after reading: {@link withTextSource} does both.
 *
 * Text in UTF-16 is given as UTF-8. The content type is corrected if the bytes contradict it: binary content that is declared as
 * text is `application/octet-stream`, as is UTF-16 of over 64 MiB, and text that is declared as nothing is `text/plain`.
 * Rejects like `openContentSource`.
 */
export async function openTextSource(
  storage: ReadableStorage,
  reference: string,
  options: TextReadOptions,
): Promise<ContentSource> {
  const source = await openContentSource(storage, reference, options)
  try {
    return await asText(source, source.size <= (options.readsPart === true ? SMALL_BYTES : MAX_WHOLE_BYTES))
  } catch (error) {
    await source.close()
    throw error
  }
}

async function asText(source: ContentSource, readsAll: boolean): Promise<ContentSource> {
  const { contentType, reference, size } = source
  if (!mayBeText(contentType)) return source
  const isDeclared = isTextContentType(contentType)
  // Of what is hardly text, no more is read than that takes to tell.
  let bytes = await source.read(0, readsAll && isDeclared ? size : LINE_BLOCK_BYTES)
  const encoding = textEncodingOf(bytes, isDeclared)
  const isSmall = size <= MAX_DECODED_BYTES
  if (encoding === undefined || (encoding !== 'utf-8' && !isSmall)) return withType(source, 'application/octet-stream')
  if (readsAll && bytes.length < size) bytes = await source.read(0, size)
  const textType = isDeclared ? contentType : 'text/plain'
  if (encoding === 'utf-8' && (!isSmall || !hasWidePart(bytes))) return withType(source, textType)
  const text = decodeText(await source.whole())
  await source.close()
  return new DecodedSource(reference, textType, new TextEncoder().encode(text))
}

function withType(source: ContentSource, contentType: string): ContentSource {
  if (source.contentType === contentType) return source
  return {
    reference: source.reference,
    contentType,
    size: source.size,
    blocks: (...range) => source.blocks(...range),
    read: (offset, length) => source.read(offset, length),
    lineIndex: (options) => source.lineIndex(options),
    whole: () => source.whole(),
    close: () => source.close(),
  }
}

/** Text that was decoded, as UTF-8. */
class DecodedSource implements ContentSource {
  readonly reference: string
  readonly contentType: string
  readonly size: number
  readonly #bytes: Uint8Array
  #lineIndex: LineIndex | undefined

  constructor(reference: string, contentType: string, bytes: Uint8Array) {
    this.reference = reference
    this.contentType = contentType
    this.size = bytes.length
    this.#bytes = bytes
  }

  async *blocks(start = 0, end: number = this.size): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; at += DEFAULT_BLOCK_BYTES) {
      yield this.#bytes.subarray(at, Math.min(end, at + DEFAULT_BLOCK_BYTES))
      await yieldToEventLoop()
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    return this.#bytes.subarray(offset, offset + length)
  }

  async lineIndex(): Promise<LineIndex> {
    if (this.#lineIndex === undefined) {
      const builder = new LineIndexBuilder()
      builder.add(this.#bytes)
      this.#lineIndex = builder.finish()
    }
    return this.#lineIndex
  }

  async whole(): Promise<Uint8Array> {
    return copyBytes(this.#bytes)
  }

  /** What was decoded is closed already. */
  async close(): Promise<void> {}
}
