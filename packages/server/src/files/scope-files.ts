import { StorageError, type OperationOptions, type Storage } from '@spillway/core'
import { isTextContentType, KeyedLock } from '@spillway/core/adapter'
import { BoundedMap } from '@spillway/core/driver'
import type { MatchingLine, PatternSearch } from '@spillway/core/files'
import { chooseRecord, DIGEST, fileRecordOf, sha256Hex, type FileRecord } from './file-record.ts'

/** The scope that reserves file names. It has one entry for each name, with the digest of the file's content. */
const NAMES_SCOPE = '.file-names'
const MAX_CANDIDATES = 10_000
const MAX_BEGINNINGS = 10_000
const MAX_BEGINNING_LENGTH = 1_000

interface NewFile {
  readonly content: Uint8Array
  readonly contentType: string
  readonly digest?: string | undefined
}

interface FileSearch extends Pick<NonNullable<Parameters<PatternSearch['find']>[2]>, 'signal' | 'pause'> {
  /** Limit of the lines of all files together. */
  readonly limit: number
  /** Number of characters after which no further file is searched. Defaults to no limit. */
  readonly maxLength?: number
}

interface FileMatches {
  readonly file: FileRecord
  readonly lines: readonly MatchingLine[]
}

const MAX_REMEMBERED = 100_000
/** Milliseconds for which a listing is reused. The removal of a file is noticed when the file is used. */
const TRUSTED_MS = 60_000

/**
 * The virtual files of one scope, which several processes may write concurrently.
 *
 * A file is an entry whose key is its path, as in `StoredFiles` of `@spillway/core/files`. Offloaded results are in
 * `results/`. A name always belongs to its first content. For an unknown path, the scope is listed again, because
 * another process may have stored the file.
 */
export class ScopeFiles {
  readonly storage: ServedStorage
  readonly #names: ServedStorage
  readonly #maxRemembered: number
  readonly #trustedMs: number
  readonly #lock = new KeyedLock()
  readonly #beginnings = new BoundedMap<string, boolean>(MAX_BEGINNINGS)
  #files = new Map<string, FileRecord>()
  #trustedUntil = Number.NEGATIVE_INFINITY
  #running: Promise<unknown> = Promise.resolve()
  #next: Promise<ReadonlyMap<string, FileRecord>> | undefined

  constructor(storage: ServedStorage, maxRemembered: number = MAX_REMEMBERED, trustedMs: number = TRUSTED_MS) {
    this.storage = storage
    this.#names = storage.scope(NAMES_SCOPE) as ServedStorage
    this.#maxRemembered = maxRemembered
    this.#trustedMs = trustedMs
  }

  /** Return a cached file without reading the storage. */
  peek(path: string): FileRecord | undefined {
    return this.#files.get(path)
  }

  /** Return the file with a path; `undefined` if the file does not exist. Rejects like `list`. */
  async find(path: string): Promise<FileRecord | undefined> {
    return this.peek(path) ?? (await this.#listed()).get(path)
  }

  /** Find several files with at most one listing. Rejects like `list`. */
  async findAll(paths: ReadonlySet<string>): Promise<ReadonlyMap<string, FileRecord>> {
    const files = [...paths].every((path) => this.#files.has(path)) ? this.#files : await this.#listed()
    const found = [...paths].map((path) => [path, files.get(path)] as const)
    return new Map(found.filter((one): one is readonly [string, FileRecord] => one[1] !== undefined))
  }

  /** List all files by path. Some files may have been removed: see {@link ScopeFiles.use}. Rejects like `list`. */
  async list(): Promise<readonly FileRecord[]> {
    return [...(await this.#listed()).values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  add(file: FileRecord): void {
    if (this.#files.size < this.#maxRemembered) this.#files.set(file.path, file)
    else this.#trustedUntil = Number.NEGATIVE_INFINITY
  }

  forget(file: FileRecord): void {
    this.#trustedUntil = Number.NEGATIVE_INFINITY
    if (this.#files.get(file.path)?.reference === file.reference) this.#files.delete(file.path)
  }

  /** Start a new listing after this call, and return it. Callers that wait at the same time share one listing. */
  #listed(): Promise<ReadonlyMap<string, FileRecord>> {
    this.#next ??= Promise.allSettled([this.#running]).then(async () => {
      this.#next = undefined
      const listing = this.#read()
      this.#running = listing
      return await listing
    })
    return this.#next
  }

  /** Read a listing. While an earlier listing is recent, only new entries are read. */
  async #read(): Promise<ReadonlyMap<string, FileRecord>> {
    const now = performance.now()
    const known = now < this.#trustedUntil ? this.#files : new Map<string, FileRecord>()
    const files = new Map(known)
    const except = new Set(Array.from(known.values(), ({ reference }) => reference))
    const before = new Set(this.#files.keys())
    for await (const info of this.storage.list({ below: false, except })) {
      const file = fileRecordOf(info)
      const other = files.get(file.path)
      files.set(file.path, other === undefined ? file : chooseRecord(other, file))
    }
    // Files that were added during the listing may be missing in it.
    for (const [path, file] of this.#files) if (!before.has(path) && !files.has(path)) files.set(path, file)
    if (known.size === 0) this.#trustedUntil = now + this.#trustedMs
    this.#files = files.size > this.#maxRemembered ? new Map() : files
    return files
  }
  /** Call a function with a file. Returns `undefined` if the file was removed. Rejects with other errors. */
  async use<Result>(file: FileRecord, use: (file: FileRecord) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await use(file)
    } catch (error) {
      if (!StorageError.isInstance(error) || (error.code !== 'not-found' && error.code !== 'evicted')) throw error
      this.forget(file)
      return undefined
    }
  }

  /** Return whether a file still exists. Rejects like `stat`. */
  async exists(file: FileRecord): Promise<boolean> {
    return (await this.use(file, ({ reference }) => this.storage.stat(reference))) !== undefined
  }

  /** Return whether a file starts with a text; `false` if the file was removed. Rejects like `retrieve`. */
  async beginsWith(file: FileRecord, text: string, { signal }: OperationOptions = {}): Promise<boolean> {
    const key = `${file.reference} ${text}`
    const cached = this.#beginnings.get(key)
    if (cached !== undefined) return cached
    const expected = new TextEncoder().encode(text)
    const range = { offset: 0, length: expected.length }
    const found = await this.use(file, async ({ reference }) =>
      this.storage.retrieveRange === undefined
        ? (await this.storage.retrieve(reference, { signal })).content.subarray(0, expected.length)
        : (await this.storage.retrieveRange(reference, range, { signal })).content,
    )
    const begins = found?.length === expected.length && expected.every((byte, index) => byte === found[index])
    // The result can be cached, because the content of a reference never changes.
    if (found !== undefined && text.length <= MAX_BEGINNING_LENGTH) this.#beginnings.set(key, begins)
    return begins
  }

  /** Search text files in order, until a limit is reached. Files without matching lines are left out. */
  async search(
    files: readonly FileRecord[],
    search: PatternSearch,
    { limit, maxLength = Infinity, ...how }: FileSearch,
  ): Promise<{ readonly found: readonly FileMatches[]; readonly isComplete: boolean }> {
    const found: FileMatches[] = []
    let left = limit
    let length = 0
    let isComplete = true
    for (const file of files.filter(({ contentType }) => isTextContentType(contentType))) {
      if (left <= 0 || length > maxLength || search.isOver) return { found, isComplete: false }
      const result = await this.use(file, () => search.find(this.storage, file.reference, { limit: left, ...how }))
      if (result === undefined) continue
      isComplete &&= result.isComplete
      if (result.lines.length > 0) found.push({ file, lines: result.lines })
      left -= result.lines.length
      for (const { text } of result.lines) length += text.length
    }
    return { found, isComplete }
  }

  /** Remove a file, unless it was used since it was stored. Its name is not used again. */
  async discard(file: FileRecord): Promise<void> {
    this.forget(file)
    await this.storage.delete(file.reference, { unusedSince: file.storedAt })
  }

  /** Store a file under the first path that is free or already has this content. Returns whether it was created. */
  async store(
    paths: Iterable<string>,
    { content, contentType, digest: givenDigest }: NewFile,
    options: OperationOptions = {},
  ): Promise<{ readonly file: FileRecord; readonly created: boolean }> {
    const digest = givenDigest ?? (await sha256Hex(content))
    let tried = 0
    for (const path of paths) {
      const stored = await this.#lock.run(path, async () => {
        const cached = this.peek(path)
        if (cached !== undefined && cached.digest !== digest) return undefined
        if (!(await this.#isOwner(path, digest, options))) return undefined
        return await this.#write(path, { content, contentType }, digest, options)
      })
      if (stored !== undefined) return stored
      if (++tried >= MAX_CANDIDATES) break
    }
    throw new StorageError('invalid-key', 'There are too many files of that name. Use another id or folder.')
  }

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
    const reference = await this.storage.store(key, content, contentType, { metadata, signal, onStored })
    const file = fileRecordOf({
      reference,
      key,
      contentType,
      size: content.length,
      storedAt: receipt.usedAt,
      lastUsedAt: receipt.usedAt,
      metadata,
      state: 'complete',
    })
    this.add(file)
    return { file, created: receipt.created }
  }
}

/** The storage methods that the service needs. */
export type ServedStorage = Storage & Required<Pick<Storage, 'scope' | 'stat' | 'list' | 'delete'>>

const METHODS = ['scope', 'stat', 'list', 'delete'] as const

/** Throw a `TypeError` if a storage cannot isolate scopes or list entries. */
export function assertServedStorage(storage: Storage): asserts storage is ServedStorage {
  const missing = METHODS.filter((method) => typeof storage[method] !== 'function')
  if (missing.length === 0) return
  throw new TypeError(
    `The offloader's storage has no ${missing.map((method) => `${method}()`).join(', ')}. ` +
      'Use a backend of Spillway, such as FileStorage or InMemoryStorage, or make one with createStorage().',
  )
}
