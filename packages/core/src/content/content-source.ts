import {
  copyBytes,
  decodeText,
  hasWidePart,
  isBytes,
  isTextContentType,
  mayBeText,
  textEncodingOf,
  yieldToOthers,
} from '@spillway/text/internal'
import { LINE_BLOCK_BYTES, LineIndexBuilder, type LineIndex } from '@spillway/text/internal/lines'
import { MAX_WHOLE_BYTES } from '../storage/content-cache.ts'
import type { IndexedContent } from '../storage/opened-content.ts'
import { checkAborted, orAborted, StorageError } from '../storage/storage-error.ts'
import type { EntryState, OmittedPart } from '../storage/storage.ts'
import type { AdoptedStorage, OpenOptions } from './adopt-storage.ts'

/** Default size of a block: large enough for a remote backend, and small enough to hold several. */
const DEFAULT_BLOCK_BYTES = 1_048_576
const TRANSIENT_AHEAD = 2

interface ReadOptions extends OpenOptions {
  readonly blockBytes?: number | undefined
}

type Opener = Pick<AdoptedStorage, 'open' | 'caller'>

export interface ContentSource {
  readonly reference: string
  readonly contentType: string
  readonly size: number
  /** Identity of the caller, for fair turns between callers. */
  readonly caller: unknown
  readonly state?: EntryState | undefined
  readonly omitted?: OmittedPart | undefined
  /** Yields blocks, which the caller must not keep or change. With `transient`, the next block reuses the memory. */
  blocks(start?: number, end?: number, options?: { readonly transient?: boolean }): AsyncGenerator<Uint8Array>
  /** The caller must not change the returned bytes. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** The index may be stale, so use it through `withLineIndex`. */
  lineIndex(options?: { readonly rebuild?: boolean | undefined }): Promise<LineIndex>
  whole(): Promise<Uint8Array>
  close(): Promise<void>
}

interface TypedSource extends ContentSource {
  as(contentType: string): TypedSource
}

function sourceOf(
  reference: string,
  opened: IndexedContent,
  options: ReadOptions & Pick<Opener, 'caller'>,
  contentType: string = opened.contentType,
): TypedSource {
  const { size, state, omitted } = opened
  const { signal, blockBytes = DEFAULT_BLOCK_BYTES, caller } = options
  const read = async (offset: number, length: number, buffer?: Uint8Array): Promise<Uint8Array> => {
    checkAborted(signal)
    const bytes: unknown = await orAborted(opened.read(offset, length, buffer), signal)
    const expected = Math.max(0, Math.min(length, size - offset))
    if (isBytes(bytes) && bytes.byteLength === expected) return bytes
    throw new StorageError('corrupt', 'The storage returned no bytes, content type, or size.', { reference })
  }
  return {
    reference,
    contentType,
    size,
    caller,
    state,
    omitted,
    as: (type) => sourceOf(reference, opened, options, type),
    read,

    async *blocks(start = 0, end = size, { transient = false } = {}) {
      const until = Math.min(end, size)
      if (start >= until) return
      if (size <= MAX_WHOLE_BYTES) {
        const content = await read(start, until - start)
        for (let offset = 0; offset < content.length; offset += blockBytes) {
          checkAborted(signal)
          yield content.subarray(offset, offset + blockBytes)
          await yieldToOthers(caller)
        }
        return
      }
      const length = Math.min(blockBytes, until - start)
      const ahead = transient ? TRANSIENT_AHEAD : 1
      const buffers = transient ? Array.from({ length: ahead + 1 }, () => new Uint8Array(length)) : []
      let reads = 0
      const blocks = ranges(start, until, length, ahead, (offset) =>
        read(offset, Math.min(length, until - offset), buffers[reads++ % buffers.length]),
      )
      for await (const block of blocks) {
        yield block
        await yieldToOthers(caller)
      }
    },

    lineIndex: (rebuilding) => opened.lineIndex(rebuilding),

    async whole() {
      // Larger content is not cached, so the caller's memory can be used for the bytes.
      const buffer = size > MAX_WHOLE_BYTES ? new Uint8Array(size) : undefined
      const bytes = await read(0, size, buffer)
      return bytes.buffer === buffer?.buffer ? bytes : copyBytes(bytes)
    },

    close: () => opened.close(),
  }
}

/** Reads up to `ahead` blocks in advance, but none until the second block is requested. */
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
      // If the reader stops, the pending block is not awaited, even if it fails.
      void Promise.allSettled([next])
      reads.push(next)
    }
    yield (await reads.shift())!
  }
}

/** UTF-16 up to this size in bytes is decoded in memory. */
const MAX_DECODED_BYTES = 67_108_864
/** Content up to this size in bytes is read at once. */
const SMALL_BYTES = 1_048_576

export interface TextReadOptions extends ReadOptions {
  /** Whether only a few lines are read. UTF-16 is then detected in content up to 1 MiB, and otherwise up to 16 MiB. */
  readonly readsPart?: boolean | undefined
}

export async function withTextSource<Result>(
  storage: Opener,
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

/** Opens text as UTF-8. Corrects a content type that does not match the bytes. */
export async function openTextSource(
  storage: Opener,
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

export async function openContentSource(
  storage: Opener,
  reference: string,
  options: ReadOptions,
): Promise<TypedSource> {
  const opened = await storage.open(reference, options)
  return sourceOf(reference, opened, { ...options, caller: storage.caller })
}

async function asText(source: TypedSource, readsAll: boolean, options: ReadOptions): Promise<ContentSource> {
  const { contentType, reference, size } = source
  if (!mayBeText(contentType)) return source
  const isDeclared = isTextContentType(contentType)
  // Content that is probably not text is read only as far as detection needs.
  let bytes = await source.read(0, readsAll && isDeclared ? size : LINE_BLOCK_BYTES)
  const encoding = textEncodingOf(bytes, isDeclared)
  const isSmall = size <= MAX_DECODED_BYTES
  if (encoding === undefined || (encoding !== 'utf-8' && !isSmall)) return source.as('application/octet-stream')
  if (readsAll && bytes.length < size) bytes = await source.read(0, size)
  const textType = isDeclared ? contentType : 'text/plain'
  if (encoding === 'utf-8' && (!isSmall || !hasWidePart(bytes))) return source.as(textType)
  const text = decodeText(await source.whole())
  await source.close()
  const { caller } = source
  return sourceOf(reference, openedText(new TextEncoder().encode(text), textType), { ...options, caller })
}

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

export interface IndexedBlocks {
  readonly index: LineIndex
  block(number: number): Promise<Uint8Array>
}

/** If the stored index is stale, runs `use` again with a new index. So `use` must be repeatable. */
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
    const message = `${source.reference} changed while it was read. Run the tool that returned the content again.`
    throw new StorageError('corrupt', message, { reference: source.reference })
  }
}

/** Thrown for a stale index, and passed on by the code of the caller. */
class StaleIndexError extends Error {
  override readonly name = 'StaleIndexError'
}

function checkedBlocks(source: ContentSource, index: LineIndex): IndexedBlocks {
  return {
    index,
    block: async (number) => {
      const start = index.startOf(number)
      const bytes = await source.read(start, index.startOf(number + 1) - start)
      if (!index.fits(number, bytes)) throw new StaleIndexError(`Block ${number} does not match its line index.`)
      return bytes
    },
  }
}
