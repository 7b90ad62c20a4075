import { StorageError, type OperationOptions, type Storage } from '@spillway/core'
import { KeyedLock } from '@spillway/core/adapter'
import { BoundedMap } from '@spillway/core/driver'
import { FileIndex } from './file-index.ts'
import { DIGEST, fileRecordOf, type FileRecord } from './file-record.ts'
import type { ServedStorage } from './listing-storage.ts'
import { sha256Hex } from './sha256-hex.ts'

/** The scope below that of the files in which it is written down whose a name is. */
const NAMES_SCOPE = '.file-names'
/** Of the results of one name, more are told apart by digests. */
const MAX_CANDIDATES = 10_000
/** Beginnings of files that are remembered, of up to so many characters. */
const MAX_BEGINNINGS = 10_000
const MAX_BEGINNING_LENGTH = 1_000

/** A file to store. */
export interface NewFile {
  readonly content: Uint8Array
  /** A MIME type. */
  readonly contentType: string
  /** The SHA-256 of the content in hexadecimal, where that is known already. */
  readonly digest?: string | undefined
}

/**
 * The virtual files of one scope, which many processes may write at once.
 *
 * A file is an entry of the storage under its path, as `StoredFiles` of `@spillway/core/files` knows it; what was offloaded
 * stands in `results/`. A name belongs to the content that it was first given to, and to no other, ever: the entry that says
 * so is made before the file and can only be made once. No operation but a listing costs more with what is stored already.
 */
export class ScopeFiles {
  readonly #storage: ServedStorage
  readonly #names: ServedStorage
  readonly #index: FileIndex
  readonly #lock = new KeyedLock()
  readonly #beginnings = new BoundedMap<string, boolean>(MAX_BEGINNINGS)

  constructor(storage: ServedStorage) {
    this.#storage = storage
    this.#names = storage.scope(NAMES_SCOPE) as ServedStorage
    this.#index = new FileIndex(storage)
  }

  /** The storage that the files are in. */
  get storage(): Storage {
    return this.#storage
  }

  /** Return the file with this path, `undefined` where there is none. Rejects like `list`. */
  async find(path: string): Promise<FileRecord | undefined> {
    return await this.#index.find(path)
  }

  /** Return those files that there are of these paths, by their paths. Rejects like `list`. */
  async findAll(paths: ReadonlySet<string>): Promise<ReadonlyMap<string, FileRecord>> {
    return await this.#index.findAll(paths)
  }

  /**
   * Return all files, in the order of their paths, also those that other processes have just stored. One that they have just
   * removed may still be among them: {@link ScopeFiles.use} finds out. Rejects like `list`.
   */
  async list(): Promise<readonly FileRecord[]> {
    return await this.#index.list()
  }

  /** Do something with a file; `undefined` where it has gone since it was remembered. Rejects with what `use` throws. */
  async use<Result>(file: FileRecord, use: (file: FileRecord) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await use(file)
    } catch (error) {
      if (!StorageError.isInstance(error) || (error.code !== 'not-found' && error.code !== 'evicted')) throw error
      this.#index.forget(file)
      return undefined
    }
  }

  /** Tell whether a file is still there. Rejects like `stat`. */
  async exists(file: FileRecord): Promise<boolean> {
    return (await this.use(file, ({ reference }) => this.#storage.stat(reference))) !== undefined
  }

  /** Tell whether the text of a file begins so; `false` where it has gone. Rejects like `retrieve`. */
  async beginsWith(file: FileRecord, text: string, { signal }: OperationOptions = {}): Promise<boolean> {
    const key = `${file.reference} ${text}`
    const known = this.#beginnings.get(key)
    if (known !== undefined) return known
    const expected = new TextEncoder().encode(text)
    const range = { offset: 0, length: expected.length }
    const found = await this.use(file, async ({ reference }) =>
      this.#storage.retrieveRange === undefined
        ? (await this.#storage.retrieve(reference, { signal })).content.subarray(0, expected.length)
        : (await this.#storage.retrieveRange(reference, range, { signal })).content,
    )
    const begins = found?.length === expected.length && expected.every((byte, index) => byte === found[index])
    // Content never changes under a reference.
    if (found !== undefined && text.length <= MAX_BEGINNING_LENGTH) this.#beginnings.set(key, begins)
    return begins
  }

  /** Remove a file again, unless somebody has used it since it was stored. Its name stays that of its content. */
  async discard(file: FileRecord): Promise<void> {
    this.#index.forget(file)
    await this.#storage.delete(file.reference, { unusedSince: file.storedAt })
  }

  /**
   * Store a file under the first of these paths that is free, or has this very content already; that is not stored again.
   *
   * @param paths - As `virtualPath` writes them; they may go on without end.
   * @returns The file, and whether this call made it.
   */
  async store(
    paths: Iterable<string>,
    { content, contentType, digest: knownDigest }: NewFile,
    options: OperationOptions = {},
  ): Promise<{ readonly file: FileRecord; readonly created: boolean }> {
    const digest = knownDigest ?? (await sha256Hex(content))
    let tried = 0
    for (const path of paths) {
      const stored = await this.#lock.run(path, async () => {
        const known = this.#index.peek(path)
        if (known !== undefined && known.digest !== digest) return undefined
        if (!(await this.#isOwner(path, digest, options))) return undefined
        return await this.#write(path, { content, contentType }, digest, options)
      })
      if (stored !== undefined) return stored
      if (++tried >= MAX_CANDIDATES) break
    }
    throw new StorageError('invalid-key', 'There are too many files of that name. Use another id or folder.')
  }

  /** Take a name for a content, or find out whether it has it already. */
  async #isOwner(path: string, digest: string, { signal }: OperationOptions): Promise<boolean> {
    let isOurs = false
    const reference = await this.#names.store(`/${path}`, new Uint8Array(), 'text/plain', {
      metadata: { [DIGEST]: digest },
      signal,
      onStored: ({ created }) => (isOurs = created),
    })
    return isOurs || (await this.#names.stat(reference, { signal })).metadata[DIGEST] === digest
  }

  async #write(
    path: string,
    { content, contentType }: NewFile,
    digest: string,
    { signal }: OperationOptions,
  ): Promise<{ readonly file: FileRecord; readonly created: boolean }> {
    const metadata = { 'file-version': '1', 'file-created': new Date().toISOString(), [DIGEST]: digest }
    const key = `/${path}@1`
    let receipt = { created: false, usedAt: Date.now() }
    const onStored = (stored: typeof receipt): void => void (receipt = stored)
    const reference = await this.#storage.store(key, content, contentType, { metadata, signal, onStored })
    const file = fileRecordOf({
      reference,
      key,
      contentType,
      size: content.length,
      storedAt: receipt.usedAt,
      lastUsedAt: receipt.usedAt,
      metadata,
    })
    this.#index.add(file)
    return { file, created: receipt.created }
  }
}
