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
import { orMiss } from './or-miss.ts'
import { checkAborted, orAborted, StorageError } from '../storage/storage-error.ts'
import type { EntryState, OmittedPart, OpenContent, Storage } from '../storage/storage.ts'
import { openForeign } from './foreign-content.ts'

/** Bytes read at a time: large enough for a remote backend, small enough to hold several. */
export const DEFAULT_BLOCK_BYTES = 1_048_576

/** Blocks that are read ahead into memory that is used again. */
const TRANSIENT_AHEAD = 2

/** What reading needs of a storage. */
export type ReadableStorage = Pick<Storage, 'retrieve' | 'retrieveRange' | 'open'>

/** How content is read. */
interface ReadOptions {
  /** Bytes read at a time. */
  readonly blockBytes: number
  readonly signal?: AbortSignal | undefined
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

/** Open content, use it, and close it however that goes. Rejects like {@link openContentSource}, and with what `use` throws. */
export async function withContentSource<Result>(
  storage: ReadableStorage,
  reference: string,
  options: ReadOptions,
  use: (source: ContentSource) => Promise<Result>,
): Promise<Result> {
  const source = await openContentSource(storage, reference, options)
  try {
    return await use(source)
  } finally {
    await source.close()
  }
}

/**
 * Open content for reading, and close it after that: {@link withContentSource} does both.
 *
 * A storage that cannot open is read by ranges, or where it has none as a whole. Rejects with what the storage throws, and
 * with `corrupt` where it gives something else than content.
 */
export async function openContentSource(
  storage: ReadableStorage,
  reference: string,
  options: ReadOptions,
): Promise<ContentSource> {
  const { signal } = options
  if (storage.open === undefined)
    return new OpenSource(storage, reference, await openForeign(storage, reference, signal), options)
  checkAborted(signal)
  const opened = await orClosed(
    orMiss(reference, () => storage.open!(reference, { signal })),
    signal,
  )
  assertOpened(opened, reference)
  return new OpenSource(storage, reference, opened, options)
}

/** Wait for content to open; where the signal fires before, it is closed once it has. */
async function orClosed(opening: Promise<OpenContent>, signal: AbortSignal | undefined): Promise<OpenContent> {
  try {
    return await orAborted(opening, signal)
  } catch (error) {
    void Promise.allSettled([opening.then((late) => late.close())])
    throw error
  }
}

class OpenSource implements ContentSource {
  readonly reference: string
  readonly contentType: string
  readonly size: number
  readonly state: EntryState | undefined
  readonly omitted: OmittedPart | undefined
  readonly #storage: ReadableStorage
  readonly #opened: OpenContent
  readonly #options: ReadOptions
  /** Made here only where the storage has none. */
  #lineIndex: Promise<LineIndex> | undefined

  constructor(storage: ReadableStorage, reference: string, opened: OpenContent, options: ReadOptions) {
    this.reference = reference
    this.contentType = opened.contentType
    this.size = opened.size
    this.state = opened.state
    this.omitted = opened.omitted
    this.#storage = storage
    this.#opened = opened
    this.#options = options
  }

  async read(offset: number, length: number, buffer?: Uint8Array): Promise<Uint8Array> {
    const { signal } = this.#options
    checkAborted(signal)
    const bytes: unknown = await orAborted(this.#opened.read(offset, length, buffer), signal)
    const expected = Math.max(0, Math.min(length, this.size - offset))
    if (isBytes(bytes) && bytes.byteLength === expected) return bytes
    throw damaged(this.reference)
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
    if (this.#opened.lineIndex !== undefined) return this.#opened.lineIndex(options)
    if (options?.rebuild === true) this.#lineIndex = undefined
    this.#lineIndex ??= indexLines(this.blocks(0, this.size, { transient: true }))
    return this.#lineIndex
  }

  async whole(): Promise<Uint8Array> {
    if (this.size <= MAX_WHOLE_BYTES) return copyBytes(await this.read(0, this.size))
    const { signal } = this.#options
    checkAborted(signal)
    const ask = () => this.#storage.retrieve(this.reference, { signal })
    return (await orAborted(orMiss(this.reference, ask), signal)).content
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

/** A storage of others may give anything. */
function assertOpened(opened: unknown, reference: string): asserts opened is OpenContent {
  const { contentType, size, read, close } = Object(opened) as Partial<Record<keyof OpenContent, unknown>>
  const isContent = typeof contentType === 'string' && Number.isSafeInteger(size) && (size as number) >= 0
  if (!isContent || typeof read !== 'function' || typeof close !== 'function') throw damaged(reference)
}

const damaged = (reference: string): StorageError =>
  new StorageError('corrupt', 'The storage did not give bytes with their content type and size.', { reference })

async function indexLines(blocks: AsyncIterable<Uint8Array>): Promise<LineIndex> {
  const builder = new LineIndexBuilder()
  for await (const block of blocks) builder.add(block)
  return builder.finish()
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
    state: source.state,
    omitted: source.omitted,
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
