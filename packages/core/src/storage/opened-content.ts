import { copyBytes, isBytes, plainBytes, yieldToEventLoop } from '@spillway/text/internal'
import { LINE_BLOCK_BYTES, LineIndex, LineIndexBuilder } from '@spillway/text/internal/lines'
import { contentCache, ContentCache, MAX_WHOLE_BYTES, type CachePiece } from './content-cache.ts'
import { assertRange } from './storage-input.ts'
import { checkAborted, orAborted, StorageError } from './storage-error.ts'
import type { ByteRange, EntryState, OmittedPart, OpenContent, OperationOptions } from './storage.ts'

const INDEXED_BYTES = 1_048_576

export interface ContentReader {
  /** The caller must not change the returned bytes. The range must be within the content. */
  read(range: ByteRange, buffer: Uint8Array | undefined, signal: AbortSignal | undefined): Promise<Uint8Array>
  close(): Promise<void>
}

export interface OpenedContentOptions extends OperationOptions {
  readonly reference: string
  readonly content: CachedContent<ContentInfo>
  /** The reader, or a function that opens the reader on first use. Closing the content closes the reader. */
  readonly reader: ContentReader | (() => Promise<ContentReader>)
  readonly state?: EntryState | undefined
  readonly omitted?: OmittedPart | undefined
  readonly lineIndex?: (() => Promise<LineIndex>) | undefined
}

export type IndexedContent = OpenContent & Required<Pick<OpenContent, 'lineIndex'>>

export function openedContent(options: OpenedContentOptions): IndexedContent {
  const { reference, content, signal, state, omitted } = options
  const { contentType, size } = content.info
  const reads = new Set<Promise<unknown>>()
  let reader = typeof options.reader === 'object' ? Promise.resolve(options.reader) : undefined
  let closed: Promise<void> | undefined

  const assertOpen = (): void => {
    if (closed !== undefined) throw new TypeError(`${reference} was closed. Open it again to read more of it.`)
  }
  const pending = async <Result>(work: Promise<Result>): Promise<Result> => {
    const settled = Promise.allSettled([work])
    reads.add(settled)
    try {
      return await work
    } finally {
      reads.delete(settled)
    }
  }
  const open = async (): Promise<ContentReader> => {
    if (typeof options.reader === 'object') return options.reader
    reader ??= options.reader()
    try {
      return await reader
    } catch (error) {
      // The next read tries again.
      reader = undefined
      throw error
    }
  }
  const readExactly = async ({ offset, length }: ByteRange, own: OwnRead): Promise<Uint8Array> => {
    const opened = await open()
    const bytes: unknown = await opened.read({ offset, length }, own.buffer, own.signal)
    if (isBytes(bytes) && bytes.byteLength === length) return plainBytes(bytes)
    const got = isBytes(bytes) ? `${bytes.byteLength} bytes` : 'something else'
    throw new StorageError(
      'corrupt',
      `The storage returned ${got} instead of ${length} bytes of ${reference} from offset ${offset} on. Run the tool again.`,
      { reference },
    )
  }
  /** A shared read uses neither the signal nor the memory of one caller. */
  const load = (range: ByteRange, isShared: boolean, buffer: Uint8Array | undefined): Promise<Uint8Array> =>
    pending(readExactly(range, isShared ? {} : { buffer, signal }))

  const indexLines = async (): Promise<LineIndex> => {
    const builder = new LineIndexBuilder()
    const buffer = new Uint8Array(Math.min(size, INDEXED_BYTES))
    for (let offset = 0; offset < size; offset += INDEXED_BYTES) {
      if (offset > 0) await yieldToEventLoop()
      checkAborted(signal)
      const end = Math.min(size, offset + INDEXED_BYTES)
      builder.add(await content.read(offset, end, (range, isShared) => load(range, isShared, buffer)))
    }
    return builder.finish()
  }
  /** Closes the reader after all pending reads, but does not wait for the reads, because a backend may not answer. */
  const close = async (): Promise<void> => {
    const opened = reader
    if (opened === undefined) return
    const closing = async (): Promise<void> => {
      await Promise.allSettled(reads)
      await (await opened).close()
    }
    if (reads.size > 0) void Promise.allSettled([closing()])
    else await closing()
  }

  return {
    contentType,
    size,
    state,
    omitted,

    async read(offset, length, buffer) {
      assertRange({ offset, length })
      assertOpen()
      checkAborted(signal)
      const start = Math.min(offset, size)
      const end = Math.min(size, start + length)
      if (end === start) return new Uint8Array(0)
      const read = content.read(start, end, (range, isShared) => load(range, isShared, buffer))
      return await orAborted(read, signal)
    },

    async lineIndex({ rebuild = false } = {}) {
      const make = (): Promise<LineIndex> => pending(indexLines())
      for (;;) {
        assertOpen()
        const index = rebuild
          ? content.rebuildLineIndex(make)
          : content.lineIndex(async () => decodeLineIndex(content.info) ?? (await (options.lineIndex ?? make)()))
        try {
          const present = await orAborted(index, signal)
          return omitted === undefined ? present : present.withOmitted(omitted)
        } catch (error) {
          // Another caller started the shared read and has aborted it, so read again.
          const isOther = StorageError.isInstance(error) && error.code === 'aborted' && signal?.aborted !== true
          if (!isOther) throw error
        }
      }
    },

    async close() {
      await (closed ??= close())
    },
  }
}

interface OwnRead {
  readonly buffer?: Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
}

function decodeLineIndex({ lineIndex, size }: ContentInfo): LineIndex | undefined {
  return lineIndex === undefined ? undefined : LineIndex.decode(lineIndex, size)
}

/** Longest read that is cached, in bytes. Longer reads of large content usually happen only once. */
const MAX_KEPT_READ_BYTES = 262_144
const ENTRY_BYTES = 1_024

export interface ContentInfo {
  readonly contentType: string
  readonly size: number
  readonly lineIndex?: string
}

/** Reads bytes from a backend. The abort signal of one caller does not abort a shared read. */
export type LoadBytes = (range: ByteRange, isShared: boolean) => Promise<Uint8Array>

/** Creates a cache of opened contents. Content that a driver holds in memory is not cached again. */
export function newContents<Info extends ContentInfo>(isInMemory = false): CachedContents<Info> {
  return new CachedContents(isInMemory ? new ContentCache(0) : contentCache)
}

export class CachedContents<Info extends ContentInfo> {
  readonly #cache: ContentCache
  readonly #contents = new Map<string, CachedContent<Info>>()
  removals = 0

  constructor(cache: ContentCache) {
    this.#cache = cache
  }

  find(key: string): CachedContent<Info> | undefined {
    return this.#contents.get(key)
  }

  /** `removals` is the count before the read. If the count has changed, `info` may be stale and is not cached. */
  add(key: string, info: Info, checkedAt: number, removals: number): CachedContent<Info> {
    const known = this.#contents.get(key)
    if (known !== undefined && isSame(known.info, info)) {
      known.checked(info, checkedAt)
      return known
    }
    this.#forget(key)
    const isKept = removals === this.removals && this.#cache.maxBytes > 0
    const content = new CachedContent(info, checkedAt, isKept ? this.#cache : undefined, () =>
      this.#contents.delete(key),
    )
    if (content.isKept) this.#contents.set(key, content)
    return content
  }

  remove(key: string): void {
    this.removals += 1
    this.#forget(key)
  }

  clear(): void {
    this.removals += 1
    for (const content of this.#contents.values()) content.release()
    this.#contents.clear()
  }

  #forget(key: string): void {
    this.#contents.get(key)?.release()
    this.#contents.delete(key)
  }
}

export class CachedContent<Info extends ContentInfo> {
  #cache: ContentCache | undefined
  info: Info
  checkedAt: number
  readonly #self: CachePiece
  readonly #parts = new Map<number, Part>()
  readonly #loading = new Map<number, Promise<Uint8Array>>()
  #lineIndex: Promise<LineIndex> | undefined

  constructor(info: Info, checkedAt: number, cache: ContentCache | undefined, forget: () => void) {
    this.info = info
    this.checkedAt = checkedAt
    this.#cache = cache
    this.#self = {
      // The index is in memory twice: as text and as numbers of 8 bytes.
      bytes: ENTRY_BYTES + 8 * Math.ceil(info.size / LINE_BLOCK_BYTES) + (info.lineIndex?.length ?? 0),
      forget: () => {
        forget()
        this.release()
      },
    }
    cache?.add(this.#self)
  }

  get isKept(): boolean {
    return this.#cache !== undefined
  }

  checked(info: Info, checkedAt: number): void {
    this.info = info
    this.checkedAt = Math.max(checkedAt, this.checkedAt)
  }

  release(): void {
    const cache = this.#cache
    this.#cache = undefined
    cache?.release(this.#self)
    for (const part of this.#parts.values()) cache?.release(part)
    this.#parts.clear()
    this.#lineIndex = undefined
  }

  lineIndex(make: () => Promise<LineIndex>): Promise<LineIndex> {
    return (this.#lineIndex ??= this.#newLineIndex(make))
  }

  rebuildLineIndex(make: () => Promise<LineIndex>): Promise<LineIndex> {
    return (this.#lineIndex = this.#newLineIndex(make))
  }

  /** The caller must not change the returned bytes. */
  async read(offset: number, end: number, load: LoadBytes): Promise<Uint8Array> {
    const cache = this.#cache
    const length = end - offset
    if (cache === undefined || length === 0) return await load({ offset, length }, false)
    cache.use(this.#self)
    if (this.#parts.has(WHOLE) || this.#isWorthWhole(length, cache))
      return (await this.#whole(load)).subarray(offset, end)
    return length > MAX_KEPT_READ_BYTES ? await load({ offset, length }, false) : await this.#blocks(offset, end, load)
  }

  #isWorthWhole(length: number, { maxBytes }: ContentCache): boolean {
    const { size } = this.info
    if (size > Math.min(MAX_WHOLE_BYTES, maxBytes / 2)) return false
    return length > MAX_KEPT_READ_BYTES || length * 2 >= size || this.#loading.has(WHOLE)
  }

  async #blocks(offset: number, end: number, load: LoadBytes): Promise<Uint8Array> {
    const first = Math.floor(offset / LINE_BLOCK_BYTES)
    const last = Math.floor((end - 1) / LINE_BLOCK_BYTES)
    const isAtHand = (block: number): boolean => this.#parts.has(block) || this.#loading.has(block)
    for (let block = first; block <= last; block++) {
      if (isAtHand(block)) continue
      const start = block
      while (block < last && !isAtHand(block + 1)) block++
      this.#load(start, block, load)
    }
    const blocks: Promise<Uint8Array>[] = []
    for (let block = first; block <= last; block++) blocks.push(this.#atHand(block))
    return join(await Promise.all(blocks), offset - first * LINE_BLOCK_BYTES, end - offset)
  }

  async #whole(load: LoadBytes): Promise<Uint8Array> {
    if (!this.#parts.has(WHOLE) && !this.#loading.has(WHOLE)) {
      const loaded = load({ offset: 0, length: this.info.size }, true)
      this.#loading.set(WHOLE, this.#loaded(WHOLE, loaded))
    }
    return await this.#atHand(WHOLE)
  }

  #load(first: number, last: number, load: LoadBytes): void {
    const offset = first * LINE_BLOCK_BYTES
    const loaded = load({ offset, length: Math.min((last + 1) * LINE_BLOCK_BYTES, this.info.size) - offset }, true)
    for (let block = first; block <= last; block++) {
      const start = (block - first) * LINE_BLOCK_BYTES
      const part = loaded.then((bytes) => bytes.subarray(start, start + LINE_BLOCK_BYTES))
      this.#loading.set(block, this.#loaded(block, part))
    }
  }

  async #loaded(number: number, loaded: Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      const bytes = await loaded
      // A view of a larger buffer would keep that whole buffer in memory.
      const content = bytes.byteLength < bytes.buffer.byteLength ? copyBytes(bytes) : bytes
      this.#keep(number, content)
      return content
    } finally {
      this.#loading.delete(number)
    }
  }

  async #atHand(number: number): Promise<Uint8Array> {
    const part = this.#parts.get(number)
    if (part === undefined) return (await this.#loading.get(number)) ?? NOTHING
    this.#cache?.use(part)
    return part.content
  }

  #keep(number: number, content: Uint8Array): void {
    const cache = this.#cache
    if (cache === undefined || this.#parts.has(WHOLE)) return
    if (number === WHOLE) {
      for (const part of this.#parts.values()) cache.release(part)
      this.#parts.clear()
    }
    const part: Part = { content, bytes: content.byteLength, forget: () => void this.#parts.delete(number) }
    this.#parts.set(number, part)
    cache.add(part)
  }

  async #newLineIndex(make: () => Promise<LineIndex>): Promise<LineIndex> {
    try {
      return await make()
    } catch (error) {
      this.#lineIndex = undefined
      throw error
    }
  }
}

interface Part extends CachePiece {
  readonly content: Uint8Array
}

const WHOLE = -1
const NOTHING = new Uint8Array(0)

function join(blocks: readonly Uint8Array[], from: number, length: number): Uint8Array {
  const [only] = blocks
  if (only !== undefined && blocks.length === 1) return only.subarray(from, from + length)
  const joined = new Uint8Array(length)
  let at = -from
  for (const block of blocks) {
    joined.set(block.subarray(Math.max(0, -at), length - at), Math.max(0, at))
    at += block.length
  }
  return joined
}

const isSame = (one: ContentInfo, other: ContentInfo): boolean =>
  one.size === other.size && one.contentType === other.contentType && one.lineIndex === other.lineIndex
