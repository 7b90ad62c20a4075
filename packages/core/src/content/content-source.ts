import {
  copyBytes,
  decodeText,
  hasWidePart,
  isBytes,
  isTextContentType,
  LINE_BLOCK_BYTES,
  LineIndexBuilder,
  mayBeText,
  textEncodingOf,
  yieldToEventLoop,
  type LineIndex,
} from '@spillway/text/internal'
import { MAX_WHOLE_BYTES } from '../storage/cached-content.ts'
import { checkAborted, orAborted, StorageError } from '../storage/storage-error.ts'
import type { EntryState, OmittedPart } from '../storage/storage.ts'
import type { AdoptedStorage, IndexedContent, OpenOptions } from './adopt-storage.ts'

/** Bytes read at a time: large enough for a remote backend, small enough to hold several. */
export const DEFAULT_BLOCK_BYTES = 1_048_576

/** Blocks that are read ahead into memory that is used again. */
const TRANSIENT_AHEAD = 2

/** How content is read. */
interface ReadOptions extends OpenOptions {
  /** Bytes read at a time. */
  readonly blockBytes: number
}

/** How {@link ContentSource.blocks} gives its blocks. */
interface BlockOptions {
  readonly transient?: boolean | undefined
}

/** Stored content, read no further than it is asked for. */
export interface ContentSource {
  readonly reference: string
  readonly contentType: string
  /** Bytes of the whole. */
  readonly size: number
  /** Absent for `complete`. */
  readonly state?: EntryState | undefined
  /** What is missing from the middle. Absent if nothing is. */
  readonly omitted?: OmittedPart | undefined
  /**
   * The bytes from `start` to `end`, by default all, block by block; may be called again. They are borrowed: a cache may
   * hold them, so they must not be changed.
   *
   * With `transient`, a block is valid only until the next one is asked for, as its memory may then be used again: reading
   * a large file takes half the time and little memory. Copy what is needed longer.
   */
  blocks(start?: number, end?: number, options?: BlockOptions): AsyncGenerator<Uint8Array>
  /** Return up to `length` bytes from `offset`, fewer where the content ends before. They are borrowed, like blocks. */
  read(offset: number, length: number): Promise<Uint8Array>
  /**
   * Return where lines begin, as it was noted while storing, or else by reading everything once. What was noted may be
   * of other content: read by it through `withLineIndex`, which then asks with `rebuild` for one made from the content.
   */
  lineIndex(options?: { readonly rebuild?: boolean | undefined }): Promise<LineIndex>
  /** Return the bytes as a whole, as the caller's own. */
  whole(): Promise<Uint8Array>
  /** Let go of what reading holds, such as an open file; the source is not to be used after it. Closing twice is fine. */
  close(): Promise<void>
}

class OpenSource implements ContentSource {
  readonly reference: string
  readonly contentType: string
  readonly size: number
  readonly state: EntryState | undefined
  readonly omitted: OmittedPart | undefined
  readonly #opened: IndexedContent
  readonly #options: ReadOptions

  constructor(
    reference: string,
    opened: IndexedContent,
    options: ReadOptions,
    contentType: string = opened.contentType,
  ) {
    this.reference = reference
    this.contentType = contentType
    this.size = opened.size
    this.state = opened.state
    this.omitted = opened.omitted
    this.#opened = opened
    this.#options = options
  }

  /** Return the same content under another type. */
  as(contentType: string): OpenSource {
    return new OpenSource(this.reference, this.#opened, this.#options, contentType)
  }

  async read(offset: number, length: number, buffer?: Uint8Array): Promise<Uint8Array> {
    const { signal } = this.#options
    checkAborted(signal)
    const bytes: unknown = await orAborted(this.#opened.read(offset, length, buffer), signal)
    const expected = Math.max(0, Math.min(length, this.size - offset))
    if (isBytes(bytes) && bytes.byteLength === expected) return bytes
    throw new StorageError('corrupt', 'The storage did not give bytes with their content type and size.', {
      reference: this.reference,
    })
  }

  async *blocks(
    start = 0,
    end: number = this.size,
    { transient = false }: BlockOptions = {},
  ): AsyncGenerator<Uint8Array> {
    const { blockBytes } = this.#options
    const until = Math.min(end, this.size)
    if (start >= until) return
    if (this.size <= MAX_WHOLE_BYTES) {
      yield* this.#slices(await this.read(start, until - start))
      return
    }
    const length = Math.min(blockBytes, until - start)
    const ahead = transient ? TRANSIENT_AHEAD : 1
    // One block is used while the next are read.
    const buffers = transient ? Array.from({ length: ahead + 1 }, () => new Uint8Array(length)) : []
    let reads = 0
    yield* ranges(start, until, length, ahead, (offset) =>
      this.read(offset, Math.min(length, until - offset), buffers[reads++ % buffers.length]),
    )
  }

  lineIndex(options?: { readonly rebuild?: boolean | undefined }): Promise<LineIndex> {
    return this.#opened.lineIndex(options)
  }

  async whole(): Promise<Uint8Array> {
    // What is larger is not remembered, so that it can be read into memory of the caller's own.
    const buffer = this.size > MAX_WHOLE_BYTES ? new Uint8Array(this.size) : undefined
    const bytes = await this.read(0, this.size, buffer)
    return bytes.buffer === buffer?.buffer ? bytes : copyBytes(bytes)
  }

  async close(): Promise<void> {
    await this.#opened.close()
  }

  async *#slices(content: Uint8Array): AsyncGenerator<Uint8Array> {
    const { blockBytes, signal } = this.#options
    for (let offset = 0; offset < content.length; offset += blockBytes) {
      checkAborted(signal)
      yield content.subarray(offset, offset + blockBytes)
      await yieldToEventLoop()
    }
  }
}

/**
 * Read block after block, some of them while one is worked on.
 *
 * @param ahead - Blocks that are read ahead, at most; none before the second, which may not be asked for.
 */
async function* ranges(
  start: number,
  end: number,
  length: number,
  ahead: number,
  read: (offset: number) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const reads: Promise<Uint8Array>[] = []
  let asked = start
  for (let offset = start; offset < end; offset += length) {
    const most = offset === start ? 1 : 1 + ahead
    for (; reads.length < most && asked < end; asked += length) {
      const next = read(asked)
      // The reader may stop; the failure of a block that nobody waits for does not matter.
      void Promise.allSettled([next])
      reads.push(next)
    }
    yield (await reads.shift())!
    await yieldToEventLoop()
  }
}

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
  storage: Pick<AdoptedStorage, 'open'>,
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
 * Rejects with what the storage throws, and with `corrupt` where it gives something else than content.
 */
export async function openTextSource(
  storage: Pick<AdoptedStorage, 'open'>,
  reference: string,
  options: TextReadOptions,
): Promise<ContentSource> {
  const source = await openContentSource(storage, reference, options)
  try {
    const readsAll = source.size <= (options.readsPart === true ? SMALL_BYTES : MAX_WHOLE_BYTES)
    return await asText(source, readsAll, options)
  } catch (error) {
    await source.close()
    throw error
  }
}

/** Open content as it is stored. */
export async function openContentSource(
  storage: Pick<AdoptedStorage, 'open'>,
  reference: string,
  options: ReadOptions,
): Promise<OpenSource> {
  return new OpenSource(reference, await storage.open(reference, options), options)
}

async function asText(source: OpenSource, readsAll: boolean, options: ReadOptions): Promise<ContentSource> {
  const { contentType, reference, size } = source
  if (!mayBeText(contentType)) return source
  const isDeclared = isTextContentType(contentType)
  // Of what is hardly text, no more is read than that takes to tell.
  let bytes = await source.read(0, readsAll && isDeclared ? size : LINE_BLOCK_BYTES)
  const encoding = textEncodingOf(bytes, isDeclared)
  const isSmall = size <= MAX_DECODED_BYTES
  if (encoding === undefined || (encoding !== 'utf-8' && !isSmall)) return source.as('application/octet-stream')
  if (readsAll && bytes.length < size) bytes = await source.read(0, size)
  const textType = isDeclared ? contentType : 'text/plain'
  if (encoding === 'utf-8' && (!isSmall || !hasWidePart(bytes))) return source.as(textType)
  const text = decodeText(await source.whole())
  await source.close()
  return new OpenSource(reference, openedText(new TextEncoder().encode(text), textType), options)
}

/** Give text that was decoded in memory as content that is open. */
function openedText(bytes: Uint8Array, contentType: string): IndexedContent {
  let index: LineIndex | undefined
  return {
    contentType,
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    lineIndex: async () => (index ??= indexLines(bytes)),
    close: async () => undefined,
  }
}

function indexLines(bytes: Uint8Array): LineIndex {
  const builder = new LineIndexBuilder()
  builder.add(bytes)
  return builder.finish()
}

/** A line index, and the blocks by which it was made. */
export interface IndexedBlocks {
  readonly index: LineIndex
  /** Return the block of the index with this number, from 0. It is borrowed. */
  block(number: number): Promise<Uint8Array>
}

/**
 * Read content by its line index, and make sure that the index is its own.
 *
 * The line ends in each block that is read are counted. Where they are not those of the index that was kept, `use` is
 * given up at that block and runs once more with an index made from the content: so it must not do anything before it
 * returns that may not be done twice. Rejects with `corrupt` where the content changes while it is read.
 */
export async function withLineIndex<Result>(
  source: ContentSource,
  use: (blocks: IndexedBlocks) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(checkedBlocks(source, await source.lineIndex()))
  } catch (error) {
    if (!(error instanceof StaleIndexError)) throw error
  }
  try {
    return await use(checkedBlocks(source, await source.lineIndex({ rebuild: true })))
  } catch (error) {
    if (!(error instanceof StaleIndexError)) throw error
    const message = `${source.reference} changed while it was read. Run the tool again that gave the content.`
    throw new StorageError('corrupt', message, { reference: source.reference })
  }
}

/** Carries a mismatch past the caller's code. */
class StaleIndexError extends Error {
  override readonly name = 'StaleIndexError'
}

function checkedBlocks(source: ContentSource, index: LineIndex): IndexedBlocks {
  return {
    index,
    block: async (number) => {
      const start = index.startOf(number)
      const bytes = await source.read(start, index.startOf(number + 1) - start)
      if (!index.fits(number, bytes)) throw new StaleIndexError(`Block ${number} has other lines than its index.`)
      return bytes
    },
  }
}
