import { yieldToEventLoop, isBytes, plainBytes, LineIndex, LineIndexBuilder } from '@spillway/text/internal'
import { assertRange } from './reference.ts'
import type { CachedContent, ContentInfo } from './cached-content.ts'
import { checkAborted, orAborted, StorageError } from './storage-error.ts'
import type { ByteRange, EntryState, OmittedPart, OpenContent, OperationOptions } from './storage.ts'

const INDEXED_BYTES = 1_048_576

export interface ContentReader {
  /** Returned bytes are borrowed. The range lies within the content. */
  read(range: ByteRange, buffer: Uint8Array | undefined, signal: AbortSignal | undefined): Promise<Uint8Array>
  close(): Promise<void>
}

export interface OpenedContentOptions extends OperationOptions {
  readonly reference: string
  readonly content: CachedContent<ContentInfo>
  /** A function opens the reader at its first use. The reader is closed in the end. */
  readonly reader: ContentReader | (() => Promise<ContentReader>)
  readonly state?: EntryState | undefined
  readonly omitted?: OmittedPart | undefined
  readonly lineIndex?: (() => Promise<LineIndex>) | undefined
}

export class OpenedContent implements OpenContent {
  readonly contentType: string
  readonly size: number
  readonly state: EntryState | undefined
  readonly omitted: OmittedPart | undefined
  readonly #options: OpenedContentOptions
  #reader: Promise<ContentReader> | undefined
  #closed: Promise<void> | undefined
  readonly #reads = new Set<Promise<unknown>>()

  constructor(options: OpenedContentOptions) {
    const { contentType, size } = options.content.info
    this.contentType = contentType
    this.size = size
    this.state = options.state
    this.omitted = options.omitted
    this.#options = options
    if (typeof options.reader === 'object') this.#reader = Promise.resolve(options.reader)
  }

  async read(offset: number, length: number, buffer?: Uint8Array): Promise<Uint8Array> {
    const { content, signal } = this.#options
    assertRange({ offset, length })
    this.#assertOpen()
    checkAborted(signal)
    const start = Math.min(offset, this.size)
    const end = Math.min(this.size, start + length)
    if (end === start) return new Uint8Array(0)
    const read = content.read(start, end, (range, isShared) => this.#load(range, isShared, buffer))
    return await orAborted(read, signal)
  }

  async lineIndex({ rebuild = false }: { readonly rebuild?: boolean | undefined } = {}): Promise<LineIndex> {
    const { content, signal } = this.#options
    const make = (): Promise<LineIndex> => this.#pending(this.#indexLines())
    for (;;) {
      this.#assertOpen()
      const index = rebuild
        ? content.rebuildLineIndex(make)
        : content.lineIndex(async () => decodeLineIndex(content.info) ?? (await (this.#options.lineIndex ?? make)()))
      try {
        const present = await orAborted(index, signal)
        return this.omitted === undefined ? present : present.withOmitted(this.omitted)
      } catch (error) {
        // The caller that started the shared read has aborted.
        const isOther = StorageError.isInstance(error) && error.code === 'aborted' && signal?.aborted !== true
        if (!isOther) throw error
      }
    }
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close()
    await this.#closed
  }

  #assertOpen(): void {
    if (this.#closed !== undefined)
      throw new TypeError(`${this.#options.reference} was closed. Open it again to read more of it.`)
  }

  /** Shared reads continue after closing, but closing never waits for a backend that hangs. */
  async #close(): Promise<void> {
    const reader = this.#reader
    if (reader === undefined) return
    const closing = async (): Promise<void> => {
      await Promise.allSettled(this.#reads)
      await (await reader).close()
    }
    if (this.#reads.size > 0) void Promise.allSettled([closing()])
    else await closing()
  }

  async #open(): Promise<ContentReader> {
    const { reader } = this.#options
    if (typeof reader === 'object') return reader
    this.#reader ??= reader()
    try {
      return await this.#reader
    } catch (error) {
      // The next read tries again.
      this.#reader = undefined
      throw error
    }
  }

  /** Shared reads use neither the signal nor the memory of one caller. */
  #load(range: ByteRange, isShared: boolean, buffer: Uint8Array | undefined): Promise<Uint8Array> {
    const own = isShared ? {} : { buffer, signal: this.#options.signal }
    return this.#pending(this.#readExactly(range, own))
  }

  async #pending<Result>(work: Promise<Result>): Promise<Result> {
    const settled = Promise.allSettled([work])
    this.#reads.add(settled)
    try {
      return await work
    } finally {
      this.#reads.delete(settled)
    }
  }

  async #readExactly({ offset, length }: ByteRange, { buffer, signal }: OwnRead): Promise<Uint8Array> {
    const { reference } = this.#options
    const reader = await this.#open()
    const bytes: unknown = await reader.read({ offset, length }, buffer, signal)
    if (isBytes(bytes) && bytes.byteLength === length) return plainBytes(bytes)
    const got = isBytes(bytes) ? `${bytes.byteLength} bytes` : 'something else'
    throw new StorageError(
      'corrupt',
      `${reference} came back with ${got} instead of ${length} bytes from ${offset} on. Run the tool again.`,
      { reference },
    )
  }

  async #indexLines(): Promise<LineIndex> {
    const { content, signal } = this.#options
    const builder = new LineIndexBuilder()
    const buffer = new Uint8Array(Math.min(this.size, INDEXED_BYTES))
    for (let offset = 0; offset < this.size; offset += INDEXED_BYTES) {
      checkAborted(signal)
      const end = Math.min(this.size, offset + INDEXED_BYTES)
      builder.add(await content.read(offset, end, (range, isShared) => this.#load(range, isShared, buffer)))
      await yieldToEventLoop()
    }
    return builder.finish()
  }
}

interface OwnRead {
  readonly buffer?: Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
}

function decodeLineIndex({ lineIndex, size }: ContentInfo): LineIndex | undefined {
  return lineIndex === undefined ? undefined : LineIndex.decode(lineIndex, size)
}
