import { isBytes } from '@spillway/text/internal'
import { LINE_BLOCK_BYTES } from '@spillway/text/internal/lines'
import {
  CachedContent,
  OpenedContent,
  type CachedContents,
  type ContentInfo,
  type ContentReader,
} from '../storage/opened-content.ts'
import { checkAborted, orAborted, StorageError } from '../storage/storage-error.ts'
import type {
  ByteRange,
  EntryState,
  OpenContent,
  Storage,
  StoredContent as Whole,
  StoredRange,
} from '../storage/storage.ts'
import type { IndexedContent, OpenOptions } from './adopt-storage.ts'
import { orMiss } from './or-miss.ts'

/** Interval for checking that content still exists, for storages without ranges. */
const CHECKED_FOR_MS = 60_000

type ReadableStorage = Pick<Storage, 'retrieve' | 'retrieveRange' | 'open'>

/** Cached content of any storage. If the storage has no `open`, core checks that the content still exists. */
export class StoredContent {
  readonly #storage: ReadableStorage
  readonly #contents: CachedContents<ContentInfo>
  readonly #reference: string
  readonly #options: OpenOptions

  constructor(
    storage: ReadableStorage,
    contents: CachedContents<ContentInfo>,
    reference: string,
    options: OpenOptions,
  ) {
    this.#storage = storage
    this.#contents = contents
    this.#reference = reference
    this.#options = options
  }

  async open(): Promise<IndexedContent> {
    checkAborted(this.#options.signal)
    if (this.#storage.open !== undefined) return await this.#openByItself()
    return this.#storage.retrieveRange === undefined ? await this.#openWhole() : await this.#openRanges()
  }

  async #openByItself(): Promise<IndexedContent> {
    const { signal } = this.#options
    const opened = await orClosed(
      this.#found(() => this.#storage.open!(this.#reference, { signal })),
      signal,
    )
    this.#assertOpened(opened)
    const { contentType, size, lineIndex } = opened
    if (lineIndex !== undefined) return opened as IndexedContent
    const content = new CachedContent({ contentType, size }, 0, undefined, () => undefined)
    const reader: ContentReader = {
      read: ({ offset, length }, buffer) => opened.read(offset, length, buffer),
      close: () => opened.close(),
    }
    return this.#opened(content, reader, opened.state)
  }

  async #openWhole(): Promise<IndexedContent> {
    const known = this.#contents.find(this.#reference)
    if (known !== undefined && Date.now() - known.checkedAt < CHECKED_FOR_MS)
      return this.#opened(
        known,
        wholeReader(() => this.#whole(undefined)),
      )
    const { content, contentType } = await this.#whole(this.#options.signal)
    return this.#opened(
      this.#add({ contentType, size: content.byteLength }),
      wholeReader(async () => ({ content })),
    )
  }

  async #openRanges(): Promise<IndexedContent> {
    const known = this.#contents.find(this.#reference)
    const range = { offset: 0, length: known === undefined ? LINE_BLOCK_BYTES : 1 }
    const first = await this.#range(range, this.#options.signal)
    const { contentType, size } = first
    return this.#opened(this.#add({ contentType, size }), this.#rangeReader(first))
  }

  #add(info: ContentInfo): CachedContent<ContentInfo> {
    return this.#contents.add(this.#reference, info, Date.now(), this.#contents.removals)
  }

  #opened(content: CachedContent<ContentInfo>, reader: ContentReader, state?: EntryState): IndexedContent {
    return new OpenedContent({ reference: this.#reference, content, signal: this.#options.signal, reader, state })
  }

  /** Some storages return fewer bytes than requested, so the missing bytes are requested again. */
  #rangeReader({ content: head }: StoredRange): ContentReader {
    return {
      read: async ({ offset, length }, _buffer, signal) => {
        let read = head.subarray(offset, offset + length)
        if (read.byteLength === 0) read = (await this.#range({ offset, length }, signal)).content
        if (read.byteLength >= length || read.byteLength === 0) return read
        const bytes = new Uint8Array(length)
        bytes.set(read)
        for (let filled = read.byteLength; filled < length; filled += read.byteLength) {
          read = (await this.#range({ offset: offset + filled, length: length - filled }, signal)).content
          if (read.byteLength === 0) return bytes.subarray(0, filled)
          bytes.set(read.subarray(0, length - filled), filled)
        }
        return bytes
      },
      close: async () => undefined,
    }
  }

  async #range(range: ByteRange, signal: AbortSignal | undefined): Promise<StoredRange> {
    const ask = () => this.#storage.retrieveRange!(this.#reference, range, { signal })
    const read = await orAborted(this.#found(ask), signal)
    this.#assertStored(read)
    if (!Number.isSafeInteger(read.size) || read.size < 0) throw this.#damaged()
    return read
  }

  async #whole(signal: AbortSignal | undefined): Promise<Whole> {
    const stored = await orAborted(
      this.#found(() => this.#storage.retrieve(this.#reference, { signal })),
      signal,
    )
    this.#assertStored(stored)
    return stored
  }

  #found<Result>(ask: () => Promise<Result>): Promise<NonNullable<Result>> {
    const { call = (_reference, run) => run() } = this.#options
    return call(this.#reference, () => orMiss(this.#reference, ask))
  }

  #assertOpened(opened: unknown): asserts opened is OpenContent {
    const { contentType, size, read, close } = Object(opened) as Partial<Record<keyof OpenContent, unknown>>
    const isContent = typeof contentType === 'string' && Number.isSafeInteger(size) && (size as number) >= 0
    if (!isContent || typeof read !== 'function' || typeof close !== 'function') throw this.#damaged()
  }

  #assertStored(stored: unknown): asserts stored is Whole {
    const { content, contentType } = Object(stored) as Partial<Record<keyof Whole, unknown>>
    if (!isBytes(content) || typeof contentType !== 'string') throw this.#damaged()
  }

  #damaged(): StorageError {
    return new StorageError('corrupt', 'The storage returned no bytes, content type, or size.', {
      reference: this.#reference,
    })
  }
}

/** If the signal fires first, the content is closed as soon as it is open. */
async function orClosed(opening: Promise<OpenContent>, signal: AbortSignal | undefined): Promise<OpenContent> {
  try {
    return await orAborted(opening, signal)
  } catch (error) {
    void Promise.allSettled([opening.then((late) => late.close())])
    throw error
  }
}

function wholeReader(retrieve: () => Promise<Pick<Whole, 'content'>>): ContentReader {
  let whole: Promise<Pick<Whole, 'content'>> | undefined
  return {
    read: async ({ offset, length }) => {
      const { content } = await (whole ??= retrieve())
      return content.subarray(offset, offset + length)
    },
    close: async () => undefined,
  }
}
