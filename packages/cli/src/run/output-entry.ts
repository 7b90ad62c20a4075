import {
  sniffContentType,
  StorageError,
  type CloseEntryOptions,
  type EntryWriter,
  type OmittedPart,
} from '@spillway/core'
import type { Store } from '../store/with-store.ts'

/** Delay before the entry is opened, so that a short command with little output leaves nothing in the store. */
const OPEN_AFTER_MS = 500
/** Small output of a command that ran longer is kept, because a reader that follows the command needs its end. */
const KEPT_AFTER_MS = 5_000
const LINE_FEED = 10
const STALL_MS = 1_000
const MAX_STALLED_MS = 10_000

interface OutputEntryOptions {
  readonly key: string
  /** Size limit. If the output is larger, only its start and end are kept. */
  readonly maxBytes: number
  readonly metadata: Readonly<Record<string, string>>
  /** Called after the end of the output. */
  readonly end: () => CloseEntryOptions
}

/** The entry that stores a command's output while the command runs. Committed parts survive a crash. */
export class OutputEntry {
  /** Number of line ends so far. */
  lines = 0
  readonly #storage: Store
  readonly #options: OutputEntryOptions
  /** The reference. Set when the entry is opened. */
  reference: string | undefined
  #early: Uint8Array[] = []
  #timer: NodeJS.Timeout | undefined
  #opening: Promise<EntryWriter> | undefined
  #openedAt = 0
  #size = 0
  #stalledMs = 0

  constructor(storage: Store, options: OutputEntryOptions) {
    this.#storage = storage
    this.#options = options
  }

  /** Push all chunks of a stream, and return the reference of the entry. */
  async store(chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<string> {
    const opening = this.#open(contentType)
    for await (const _ of chunks) await opening
    return await this.#close(await opening)
  }

  /** Append a copy of a chunk. */
  async push(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.byteLength
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) this.lines += 1
    if (this.#opening !== undefined) return await this.#write(await this.#opening, chunk)
    this.#early.push(new Uint8Array(chunk))
    // If opening fails, the next push throws the error.
    this.#timer ??= setTimeout(() => void Promise.allSettled([this.#open()]), OPEN_AFTER_MS).unref()
  }

  /** Return what is readable: the reference, the number of bytes before the omitted part, and that part. */
  async committed(): Promise<{ reference: string; bytes: number; omitted?: OmittedPart | undefined } | undefined> {
    const { reference } = this
    if (reference === undefined) return undefined
    try {
      const { size, omitted } = await this.#storage.stat(reference)
      return { reference, bytes: size + (omitted?.bytes ?? 0), omitted }
    } catch (error) {
      if (StorageError.isInstance(error)) return undefined
      throw error
    }
  }

  /** End the entry of small output, if it was opened. The entry of a short command is removed. */
  async finishSmall(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#opening === undefined) return
    const writer = await this.#opening
    if (performance.now() - this.#openedAt > KEPT_AFTER_MS) return void (await this.#close(writer))
    await writer.close()
    await this.#storage.delete(writer.reference)
  }

  /** End the entry after a failure, with the bytes stored so far. An entry without bytes is removed. */
  async abandon(): Promise<void> {
    clearTimeout(this.#timer)
    await Promise.allSettled([this.#opening?.then((writer) => writer.close({ state: 'aborted' }))])
    const stored = await this.committed()
    if (stored?.bytes === 0) await Promise.allSettled([this.#storage.delete(stored.reference)])
  }

  /** Write a chunk. The command waits for a slow store. Fails if slow writes in a row take too long in total. */
  async #write(writer: EntryWriter, chunk: Uint8Array): Promise<void> {
    const start = performance.now()
    await writer.write(chunk)
    const took = performance.now() - start
    this.#stalledMs = took < STALL_MS ? 0 : this.#stalledMs + took
    if (this.#stalledMs > MAX_STALLED_MS)
      throw new StorageError('unavailable', `The store has been too slow for ${MAX_STALLED_MS / 1_000} s.`)
  }

  #open(contentType?: string): Promise<EntryWriter> {
    this.#opening ??= this.#start(contentType)
    return this.#opening
  }

  async #start(contentType: string | undefined): Promise<EntryWriter> {
    clearTimeout(this.#timer)
    const { key, maxBytes, metadata } = this.#options
    const bytes = Buffer.concat(this.#early)
    this.#early = []
    const writer = await this.#storage.openEntry(key, contentType ?? sniffContentType(bytes), { maxBytes, metadata })
    this.reference = writer.reference
    this.#openedAt = performance.now()
    await writer.write(bytes)
    return writer
  }

  async #close(writer: EntryWriter): Promise<string> {
    try {
      await writer.close(this.#options.end())
    } catch (error) {
      // If all output is committed, it is readable even if the entry cannot be finished, for example on a full disk.
      if ((await this.committed())?.bytes !== this.#size) throw error
    }
    return writer.reference
  }
}
