import { isTextContentType, KeyedLock, type LineRange } from '@spillway/text/internal'
import { adoptStorage, type AdoptedStorage } from '../content/adopt-storage.ts'
import { openTextSource } from '../content/content-source.ts'
import { StorageError, unlessFailed } from '../storage/storage-error.ts'
import type { Storage } from '../storage/storage.ts'
import {
  listFileEntries,
  refuseFilePath,
  removeVersions,
  storeVersion,
  type FileContent,
  type FileEntry,
} from './file-entry.ts'
import { findLines, readLinePage, type FoundLine, type LinePage } from './read-line-page.ts'
import { assertKnownOptions, shown } from '../storage/storage-input.ts'

const MAX_MATCHES = 10_000
/** Number of times that a file is read if it is replaced meanwhile. */
const MAX_LOOKS = 10
/** Number of listings without a file after which it does not exist. */
const MAX_MISSES = 3
/** Approximate limit of all found lines, in UTF-16 units. */
const MAX_FOUND_LENGTH = 4_194_304

/** Options of {@link StoredFiles}. */
export interface StoredFilesOptions {
  /** Folder of tool results: an absolute path, or `/`. Defaults to `/results/`. */
  readonly resultFolder?: string | undefined
}

/** Options of {@link StoredFiles.find}. */
export interface FindOptions {
  /** Files to search. Defaults to all text files of the scope. */
  readonly files?: Iterable<StoredFile> | undefined
  /** Maximum number of lines. Defaults to 10,000. */
  readonly maxMatches?: number | undefined
}

/** Result of {@link StoredFiles.find}. */
export interface FoundLines {
  readonly matches: readonly FoundLine[]
  /** Paths of damaged files, which were not searched to the end. */
  readonly damaged: readonly string[]
  /** Whether more lines match. */
  readonly truncated: boolean
}

/**
 * Show the entries of one scope as files with paths, for file tools of agents.
 *
 * Offloaded results are read-only files `/results/<reference>.txt`. Written files have their own paths. Files exist as
 * long as the storage keeps their entries. A new version is stored before the old one is removed, so that a file never
 * disappears. One instance applies changes of a path one after the other. Between instances, the last change wins.
 * Every operation lists the scope.
 *
 * Rejects with the storage's errors, so that an outage is never reported as a missing file. Rejects with `invalid-key`
 * if the path of a change is invalid. Rejects with `unsupported` if a result would be changed, or if the storage cannot
 * remove entries.
 *
 * @param storage - The storage of one scope, or a function that returns it for each operation. The storage must have
 *   `list()`.
 * @throws TypeError if the storage cannot list, or an option is invalid.
 * @example
 * ```ts
 * import { InMemoryStorage } from '@spillway/memory'
 * import { StoredFiles } from '@spillway/core/files'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * const files = new StoredFiles(storage.scope('session-1'))
 * await files.write('/notes.md', new TextEncoder().encode('buy milk\nfeed the cat\n'), 'text/markdown')
 *
 * const page = await (await files.list()).get('/notes.md')?.readLines({ start: 2, end: 2 })
 * console.assert(page?.text === 'feed the cat' && page.totalLines === 2)
 *
 * const { matches } = await files.find('milk')
 * console.assert(matches[0]?.path === '/notes.md' && matches[0].line === 1)
 * ```
 */
export class StoredFiles {
  readonly #storage: () => AdoptedStorage
  readonly #resultFolder: string
  readonly #lock = new KeyedLock()

  constructor(storage: Storage | (() => Storage), options: StoredFilesOptions = {}) {
    assertKnownOptions(options, ['resultFolder'], 'StoredFiles')
    const { resultFolder = '/results/' } = options
    if (typeof resultFolder !== 'string' || (resultFolder !== '/' && refuseFilePath(resultFolder.replace(/\/$/, ''))))
      throw new TypeError(`resultFolder must be an absolute path such as '/results/', got ${shown(resultFolder)}.`)
    this.#resultFolder = resultFolder.endsWith('/') ? resultFolder : `${resultFolder}/`
    if (typeof storage === 'function') {
      this.#storage = () => listing(storage())
    } else {
      const checked = listing(storage)
      this.#storage = () => checked
    }
  }

  /** List all files, sorted by path. */
  async list(): Promise<ReadonlyMap<string, StoredFile>> {
    const storage = this.#storage()
    const entries = await listFileEntries(storage, this.#resultFolder)
    return new Map([...entries].map(([path, entry]) => [path, new StoredFile(storage, entry)]))
  }

  /** Call `read` with a file, or again with its newest version if the file is replaced meanwhile. */
  async read<Result extends object | boolean>(
    path: string,
    read: (file: StoredFile) => Promise<Result>,
    listed?: StoredFile,
  ): Promise<Result | undefined> {
    let file = listed
    for (let looks = 0, misses = 0; looks < MAX_LOOKS; looks++) {
      file ??= (await this.list()).get(path)
      // A listing may miss a file that is being replaced, but the next listing has it.
      if (file === undefined && ++misses === MAX_MISSES) return undefined
      const result = file && (await unlessFailed(read(file), 'not-found', 'evicted'))
      if (result !== undefined) return result
      file = undefined
    }
    throw new StorageError('unavailable', `'${path}' keeps being replaced. Try again.`)
  }

  /** Find lines that contain a literal text, file by file, up to the limit. */
  async find(text: string, options: FindOptions = {}): Promise<FoundLines> {
    assertKnownOptions(options, ['files', 'maxMatches'], 'find()')
    const { files, maxMatches = MAX_MATCHES } = options
    if (typeof text !== 'string') throw new TypeError(`text must be a string, got ${shown(text)}.`)
    if (!(maxMatches >= 0)) throw new TypeError(`maxMatches must be 0 or more, got ${maxMatches}.`)
    const matches: FoundLine[] = []
    const damaged: string[] = []
    let length = 0
    const isText = ({ contentType }: StoredFile): boolean => isTextContentType(contentType)
    for (const listed of files ?? [...(await this.list()).values()].filter(isText)) {
      const before = { matches: matches.length, length }
      const search = async (file: StoredFile): Promise<boolean> => {
        // Matches of an earlier version of the file do not count.
        matches.length = before.matches
        length = before.length
        for await (const match of file.findLines(text)) {
          if (matches.length >= maxMatches || length > MAX_FOUND_LENGTH) return true
          matches.push(match)
          length += match.text.length
        }
        return false
      }
      const isOver = this.read(listed.path, search, listed).then((result) => result ?? false)
      const outcome = await unlessFailed(isOver, 'corrupt')
      if (outcome === true) return { matches, damaged, truncated: true }
      if (outcome === undefined) damaged.push(listed.path)
    }
    return { matches, damaged, truncated: false }
  }

  /** Write a file, replacing an existing one. */
  async write(path: string, content: Uint8Array, contentType?: string): Promise<void> {
    await this.update(path, () => ({ content, contentType }))
  }

  /**
   * Replace a file by the result of `change`. If the file is missing, `change` gets `undefined`. Other changes of the
   * same path wait.
   *
   * If `change` throws, the file does not change, and the error is thrown.
   */
  async update(
    path: string,
    change: (file: StoredFile | undefined) => FileContent | Promise<FileContent>,
  ): Promise<void> {
    const refused = refuseFilePath(path)
    if (refused !== undefined) throw new StorageError('invalid-key', refused, { key: path })
    await this.#lock.run(path, async () => {
      const storage = this.#storage()
      const entry = (await listFileEntries(storage, this.#resultFolder)).get(path)
      if (entry?.version === 0) throw readOnly(path)
      await storeVersion(storage, path, await change(entry && new StoredFile(storage, entry)), entry)
    })
  }

  /**
   * Remove a written file, or all written files of a folder, and return the removed paths. Resolves even if nothing
   * matches. Tool results are not removed. Rejects if only results match.
   */
  async remove(path: string): Promise<readonly string[]> {
    if (typeof path !== 'string') throw new TypeError(`path must be a string, got ${shown(path)}.`)
    const storage = this.#storage()
    // Linear: the lookbehind allows only one start for each run of slashes.
    const base = path.replace(/(?<!\/)\/+$/, '')
    const under = async (): Promise<FileEntry[]> => {
      const entries = await listFileEntries(storage, this.#resultFolder)
      return [...entries.values()].filter((entry) => entry.path === base || entry.path.startsWith(`${base}/`))
    }
    const found = await under()
    const written = found.filter(({ version }) => version > 0).map((entry) => entry.path)
    if (written.length === 0) {
      if (found.length === 0) return []
      throw readOnly(path)
    }
    if (!storage.can.delete) throw new StorageError('unsupported', `The storage cannot remove '${path}'.`)
    const inTurn = new Set(written)
    return await this.#lock.run(written, async () => {
      // The files are listed again, because an earlier change may have stored another version.
      const latest = (await under()).filter((entry) => entry.version > 0 && inTurn.has(entry.path))
      for (const entry of latest) await removeVersions(storage, entry)
      return latest.map((entry) => entry.path)
    })
  }
}

function listing(storage: Storage): AdoptedStorage {
  const { list, retrieve, store } = Object(storage) as Partial<Storage>
  if (typeof list === 'function' && typeof retrieve === 'function' && typeof store === 'function')
    return adoptStorage(storage)
  throw new TypeError(
    'storage must have the methods store(), retrieve() and list(). Use a backend of Spillway, such as InMemoryStorage or FileStorage, or make one with createStorage().',
  )
}

const readOnly = (path: string): StorageError =>
  new StorageError('unsupported', `'${path}' is the result of a tool and cannot be changed. Write to another path.`)

/** A file in a list. Reading its content rejects with `not-found` if it was replaced or removed since. */
export class StoredFile {
  readonly path: string
  /** Reference for retrieving the content. */
  readonly reference: string
  /** MIME type, exactly as stored. */
  readonly contentType: string
  /** Size of the content, in bytes. */
  readonly size: number
  /** Time of the first version, in milliseconds since the epoch. */
  readonly createdAt: number
  /** Time of this version, in milliseconds since the epoch. */
  readonly modifiedAt: number
  /** Whether the file is a tool result, which is read-only. */
  readonly isResult: boolean
  readonly #storage: AdoptedStorage

  constructor(storage: AdoptedStorage, { path, info, version, createdAt }: FileEntry) {
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
   * Read a range of lines. The encoding is detected.
   *
   * A page ends early after about a million UTF-16 units. A longer line is cut and marked. A range has no lines if it
   * starts beyond the end, or ends before its start.
   *
   * @param range - From line 1. The end may be `Infinity`.
   * @throws TypeError if the range has no whole numbers.
   */
  async readLines(range: LineRange): Promise<LinePage> {
    return await readLinePage(this.#storage, this.reference, range)
  }

  /** Find the lines that contain a literal text, in order and each only once. The encoding is detected. */
  async *findLines(text: string): AsyncGenerator<FoundLine> {
    yield* findLines(this.path, this.#blocks(), text)
  }

  async *#blocks(): AsyncGenerator<Uint8Array> {
    const source = await openTextSource(this.#storage, this.reference, { readsPart: true })
    try {
      // The consumer decodes each block before it requests the next.
      yield* source.blocks(0, source.size, { transient: true })
    } finally {
      await source.close()
    }
  }
}
