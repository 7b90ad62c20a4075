import { isBytes, LINE_BLOCK_BYTES } from '@spillway/text/internal'
import { CachedContents, contentCache, type CachedContent, type ContentInfo } from '../storage/cached-content.ts'
import { orMiss } from './or-miss.ts'
import { checkAborted, orAborted, StorageError } from '../storage/storage-error.ts'
import { OpenedContent, type ContentReader } from '../storage/opened-content.ts'
import type { ByteRange, OpenContent, Storage, StoredContent, StoredRange } from '../storage/storage.ts'

/** How long content of a storage that can only be retrieved as a whole is taken to be there still. */
const CHECKED_FOR_MS = 60_000

/** What opening content of any storage needs of it. */
export type RetrievingStorage = Pick<Storage, 'retrieve' | 'retrieveRange'>

const remembered = new WeakMap<object, CachedContents<ContentInfo>>()

/**
 * Open content of a storage that has no `open` of its own, by ranges where it has them, else as a whole.
 *
 * What was read is remembered as with any storage. Nobody tells when such a storage removes something: one with ranges is
 * asked each time whether it has the content still, with a range of no bytes, and one without once a minute.
 */
export async function openForeign(
  storage: RetrievingStorage,
  reference: string,
  signal: AbortSignal | undefined,
): Promise<OpenContent> {
  checkAborted(signal)
  const contents = remembered.get(storage) ?? new CachedContents<ContentInfo>(contentCache)
  remembered.set(storage, contents)
  const content = new ForeignContent(storage, contents, reference)
  return storage.retrieveRange === undefined ? await content.openWhole(signal) : await content.openRanges(signal)
}

/** One content of a storage of others. */
class ForeignContent {
  readonly #storage: RetrievingStorage
  readonly #contents: CachedContents<ContentInfo>
  readonly #reference: string

  constructor(storage: RetrievingStorage, contents: CachedContents<ContentInfo>, reference: string) {
    this.#storage = storage
    this.#contents = contents
    this.#reference = reference
  }

  async openWhole(signal: AbortSignal | undefined): Promise<OpenContent> {
    const known = this.#contents.find(this.#reference)
    if (known !== undefined && Date.now() - known.checkedAt < CHECKED_FOR_MS)
      return this.#opened(
        known,
        wholeReader(() => this.#whole(undefined)),
        signal,
      )
    const { content, contentType } = await this.#whole(signal)
    const opened = this.#add({ contentType, size: content.byteLength })
    return this.#opened(
      opened,
      wholeReader(async () => ({ content })),
      signal,
    )
  }

  async openRanges(signal: AbortSignal | undefined): Promise<OpenContent> {
    const known = this.#contents.find(this.#reference)
    const first = await this.#range({ offset: 0, length: known === undefined ? LINE_BLOCK_BYTES : 1 }, signal)
    const { contentType, size } = first
    return this.#opened(this.#add({ contentType, size }), this.#rangeReader(first), signal)
  }

  #add(info: ContentInfo): CachedContent<ContentInfo> {
    return this.#contents.add(this.#reference, info, Date.now(), this.#contents.removals)
  }

  #opened(content: CachedContent<ContentInfo>, reader: ContentReader, signal: AbortSignal | undefined): OpenContent {
    return new OpenedContent({ reference: this.#reference, content, signal, reader })
  }

  /** Some storages give less than they were asked for: the rest is then asked for again. */
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
    const read = await orAborted(orMiss(this.#reference, ask), signal)
    this.#assertStored(read)
    if (!Number.isSafeInteger(read.size) || read.size < 0) throw this.#damaged()
    return read
  }

  async #whole(signal: AbortSignal | undefined): Promise<StoredContent> {
    const ask = () => this.#storage.retrieve(this.#reference, { signal })
    const stored = await orAborted(orMiss(this.#reference, ask), signal)
    this.#assertStored(stored)
    return stored
  }

  #assertStored(stored: unknown): asserts stored is StoredContent {
    const { content, contentType } = Object(stored) as Partial<Record<keyof StoredContent, unknown>>
    if (!isBytes(content) || typeof contentType !== 'string') throw this.#damaged()
  }

  #damaged(): StorageError {
    return new StorageError('corrupt', 'The storage did not give bytes with their content type and size.', {
      reference: this.#reference,
    })
  }
}

function wholeReader(retrieve: () => Promise<Pick<StoredContent, 'content'>>): ContentReader {
  let whole: Promise<Pick<StoredContent, 'content'>> | undefined
  return {
    read: async ({ offset, length }) => {
      const { content } = await (whole ??= retrieve())
      return content.subarray(offset, offset + length)
    },
    close: async () => undefined,
  }
}
