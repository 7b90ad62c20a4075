import type { LineRange } from '@spillway/text/internal'
import { DEFAULT_BLOCK_BYTES, openTextSource } from '../content/content-source.ts'
import type { Storage } from '../storage/storage.ts'
import type { FileEntry } from './file-entry.ts'
import { findLines, type FoundLine } from './find-lines.ts'
import { readLinePage, type LinePage } from './read-line-page.ts'

/** Lines of a file of up to so many bytes are all counted, whatever page of it is read. */
const MAX_COUNTED_BYTES = 524_288

/**
 * A file as it was when it was listed.
 *
 * Its content is read when it is asked for. Where the file was replaced or removed since, reading rejects as the storage
 * does for what is gone, with `not-found`.
 *
 * @example
 * ```ts
 * import { InMemoryStorage } from '@spillway/memory'
 * import { StoredFiles, type StoredFile } from '@spillway/core/files'
 *
 * const files = new StoredFiles(new InMemoryStorage({ evictAfterTurns: null }))
 * await files.write('/list.txt', new TextEncoder().encode('one\ntwo\nthree\n'))
 * const file: StoredFile | undefined = (await files.list()).get('/list.txt')
 * const page = await file?.readLines({ start: 1, end: 2 })
 * console.assert(page?.text === 'one\ntwo' && page.goesOn && page.totalLines === 3)
 * ```
 */
export class StoredFile {
  readonly path: string
  /** Under which the content can also be retrieved. */
  readonly reference: string
  /** A MIME type, exactly as it was stored. */
  readonly contentType: string
  /** In bytes. */
  readonly size: number
  /** When the first version was stored, in milliseconds since the epoch. */
  readonly createdAt: number
  /** When this version was stored, in milliseconds since the epoch. */
  readonly modifiedAt: number
  /** Whether it is the result of a tool, which cannot be changed or removed. */
  readonly isResult: boolean
  readonly #storage: Storage

  constructor(storage: Storage, { path, info, version, createdAt }: FileEntry) {
    this.path = path
    this.reference = info.reference
    this.contentType = info.contentType
    this.size = info.size
    this.createdAt = createdAt
    this.modifiedAt = info.storedAt
    this.isResult = version === 0
    this.#storage = storage
  }

  /** Return the whole content. */
  async readBytes(): Promise<Uint8Array> {
    return (await this.#storage.retrieve(this.reference)).content
  }

  /**
   * Read lines of the content, whose bytes tell its encoding, in slices and no further than needed.
   *
   * A page ends early after about a million UTF-16 units, and a longer line is cut and says so. A range beyond the end
   * gives no lines; one that ends before it starts gives none either.
   *
   * @param range - From line 1. The end may be `Infinity`.
   * @throws TypeError where the range is not of whole numbers.
   */
  async readLines(range: LineRange): Promise<LinePage> {
    const { start, end } = range
    if (!Number.isSafeInteger(start) || start < 1 || !(Number.isSafeInteger(end) || end === Infinity))
      throw new TypeError(`range must have whole numbers from line 1, got start ${start} and end ${end}.`)
    return await readLinePage(this.#blocks(), { start, end }, this.size <= MAX_COUNTED_BYTES)
  }

  /** Find the lines of the content, whose bytes tell its encoding, that have a literal text in them: each once, in their order. */
  async *findLines(text: string): AsyncGenerator<FoundLine> {
    yield* findLines(this.path, this.#blocks(), text)
  }

  async *#blocks(): AsyncGenerator<Uint8Array> {
    const source = await openTextSource(this.#storage, this.reference, {
      blockBytes: DEFAULT_BLOCK_BYTES,
      readsPart: true,
    })
    try {
      // What reads them decodes each before it asks for the next.
      yield* source.blocks(0, source.size, { transient: true })
    } finally {
      await source.close()
    }
  }
}
