import { yieldToEventLoop } from '#platform'
import { isBytes } from '../storage/bytes.ts'
import { checkAborted, orAborted } from '../storage/guard.ts'
import { LineIndexBuilder } from '../storage/line-index.ts'
import type { LineIndex } from '../storage/line-index.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Storage, StoredContent, StoredRange } from '../storage/storage.ts'

/** Bytes read at a time: large enough for a remote backend, small enough to hold several. */
export const DEFAULT_BLOCK_BYTES = 524_288

/** What reading needs of a storage. */
export type ReadableStorage = Pick<Storage, 'retrieve' | 'retrieveRange'>

/** How content is read. */
export interface ReadOptions {
  /** Bytes read at a time. */
  readonly blockBytes: number
  readonly signal?: AbortSignal | undefined
}

/** Stored content, read no further than it is asked for. */
export interface ContentSource {
  readonly reference: string
  readonly contentType: string
  /** Bytes of the whole. */
  readonly size: number
  /**
   * The bytes from `start` to `end`, by default all, block by block; may be called again. They are borrowed: a cache may
   * hold them, so they must not be changed.
   */
  blocks(start?: number, end?: number): AsyncGenerator<Uint8Array>
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
 * Open content for reading, and close it after that: {@link withContentSource} does both. It is read by ranges where the storage has them, so that memory stays bounded, else as a whole.
 *
 * Rejects with what the storage throws, and with `corrupt` where it gives something else than content.
 */
export async function openContentSource(
  storage: ReadableStorage,
  reference: string,
  options: ReadOptions,
): Promise<ContentSource> {
  const { blockBytes, signal } = options
  if (storage.retrieveRange === undefined) {
    const { content, contentType } = await retrieveWhole(storage, reference, signal)
    const all = (start = 0, end: number = content.length): AsyncGenerator<Uint8Array> =>
      slices(content.subarray(start, end), options)
    return {
      reference,
      contentType,
      size: content.length,
      blocks: all,
      read: async (offset, length) => content.subarray(offset, offset + length),
      lineIndex: () => indexLines(all()),
      whole: async () => content,
      close: async () => undefined,
    }
  }
  const range = async (offset: number, length: number): Promise<StoredRange> => {
    checkAborted(signal)
    const asked = { offset, length }
    const read = await orAborted(storage.retrieveRange!(reference, asked, { signal }), signal)
    assertStored(read, reference)
    if (!Number.isSafeInteger(read.size)) throw damaged(reference)
    return read
  }
  const first = await range(0, blockBytes)
  const { contentType, size } = first
  const read = async (offset: number, length: number): Promise<Uint8Array> =>
    offset + length <= first.content.length
      ? first.content.subarray(offset, offset + length)
      : (await range(offset, length)).content
  const blocks = (start = 0, end: number = size): AsyncGenerator<Uint8Array> =>
    ranges(start, Math.min(end, size), async (from, to) => read(from, Math.min(blockBytes, to - from)), reference)
  return {
    reference,
    contentType,
    size,
    blocks,
    read,
    lineIndex: () => indexLines(blocks()),
    whole: async () =>
      first.content.length === size ? first.content : (await retrieveWhole(storage, reference, signal)).content,
    close: async () => undefined,
  }
}

async function retrieveWhole(
  storage: ReadableStorage,
  reference: string,
  signal: AbortSignal | undefined,
): Promise<StoredContent> {
  checkAborted(signal)
  const stored = await orAborted(storage.retrieve(reference, { signal }), signal)
  assertStored(stored, reference)
  return stored
}

/** A storage of others may give anything. */
function assertStored(stored: unknown, reference: string): asserts stored is StoredContent {
  const { content, contentType } = Object(stored) as Partial<Record<keyof StoredContent, unknown>>
  if (!isBytes(content) || typeof contentType !== 'string') throw damaged(reference)
}

const damaged = (reference: string): StorageError =>
  new StorageError('corrupt', 'The storage did not give bytes with their content type and size.', { reference })

async function* slices(content: Uint8Array, { blockBytes, signal }: ReadOptions): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < content.length; offset += blockBytes) {
    checkAborted(signal)
    yield content.subarray(offset, offset + blockBytes)
    await yieldToEventLoop()
  }
}

async function indexLines(blocks: AsyncIterable<Uint8Array>): Promise<LineIndex> {
  const builder = new LineIndexBuilder()
  for await (const block of blocks) builder.add(block)
  return builder.finish()
}

/** From the second block on, each is asked for while the one before it is worked on. */
async function* ranges(
  start: number,
  end: number,
  read: (offset: number, end: number) => Promise<Uint8Array>,
  reference: string,
): AsyncGenerator<Uint8Array> {
  let offset = start
  let ahead: Promise<Uint8Array> | undefined
  while (offset < end) {
    const block = await (ahead ?? read(offset, end))
    if (block.length === 0) {
      const message = `The storage has only ${offset} of ${end} bytes. Run the tool again that gave the content.`
      throw new StorageError('corrupt', message, { reference })
    }
    offset += block.length
    ahead = offset < end && offset > start + block.length ? read(offset, end) : undefined
    // The reader may stop here; the failure of a block that nobody waits for does not matter.
    void Promise.allSettled([ahead])
    yield block
    await yieldToEventLoop()
  }
}
