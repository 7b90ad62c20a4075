import { isTextContentType, KeyedLock, type LineRange } from '@spillway/text/internal'
import { adoptStorage, type AdoptedStorage } from '../content/adopt-storage.ts'
import { DEFAULT_BLOCK_BYTES, openTextSource } from '../content/content-source.ts'
import { StorageError } from '../storage/storage-error.ts'
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

const MAX_MATCHES = 10_000
/** UTF-16 units of the lines that one search finds, about. */
const MAX_FOUND_LENGTH = 4_194_304

/** Options of {@link StoredFiles}. */
export interface StoredFilesOptions {
  /** The folder in which results of tools appear: an absolute path, or `/`. Defaults to `/results/`. */
  readonly resultFolder?: string | undefined
}

/** Options of {@link StoredFiles.find}. */
export interface FindOptions {
  /** The files that are searched. Defaults to all of the scope whose content is text. */
  readonly files?: Iterable<StoredFile> | undefined
  /** Lines that are found, at most. Defaults to 10,000. */
  readonly maxMatches?: number | undefined
}

/** What {@link StoredFiles.find} found. */
export interface FoundLines {
  readonly matches: readonly FoundLine[]
  /** Whether there are more than these. */
  readonly truncated: boolean
}

/**
 * The entries of one scope of a storage as files with paths, for file tools of agents.
 *
 * What was offloaded is a file in the folder of results, `/results/<reference>.txt`, that nobody can change. What is
 * written stands beside it under its own path, for as long as the storage keeps it. There is a version of a file at any
 * time: a new one is stored before the one it replaces is removed. Changes of one path made through one instance come
 * one after another; of those made by different ones at once, the last stays.
 *
 * Every operation lists the scope. Failures reject: with what the storage throws, so that an outage is never a missing
 * file; with `invalid-key` where the path of a change cannot be a file's; with `unsupported` where a result would be
 * changed, or the storage cannot remove.
 *
 * @param storage - The storage of one scope, or what gives it at each operation. It must have `list()`.
 * @throws TypeError where the storage cannot list, or an option is impossible.
 *
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

  constructor(storage: Storage | (() => Storage), { resultFolder = '/results/' }: StoredFilesOptions = {}) {
    if (typeof resultFolder !== 'string' || (resultFolder !== '/' && refuseFilePath(resultFolder.replace(/\/$/, ''))))
      throw new TypeError(
        `resultFolder must be an absolute path such as '/results/', got ${JSON.stringify(resultFolder)}.`,
      )
    this.#resultFolder = resultFolder.endsWith('/') ? resultFolder : `${resultFolder}/`
    if (typeof storage === 'function') {
      this.#storage = () => listing(storage())
    } else {
      const checked = listing(storage)
      this.#storage = () => checked
    }
  }

  /** List all files by path, in the order of their paths. */
  async list(): Promise<ReadonlyMap<string, StoredFile>> {
    const storage = this.#storage()
    const entries = await listFileEntries(storage, this.#resultFolder)
    return new Map([...entries].map(([path, entry]) => [path, new StoredFile(storage, entry)]))
  }

  /** Find the lines that have a literal text in them, file by file, until there are too many to hold. */
  async find(text: string, { files, maxMatches = MAX_MATCHES }: FindOptions = {}): Promise<FoundLines> {
    if (typeof text !== 'string') throw new TypeError(`text must be a string, got ${typeof text}.`)
    if (!(maxMatches >= 0)) throw new TypeError(`maxMatches must be 0 or more, got ${maxMatches}.`)
    const matches: FoundLine[] = []
    let length = 0
    for (const file of files ?? (await this.#textFiles())) {
      for await (const match of file.findLines(text)) {
        if (matches.length >= maxMatches || length > MAX_FOUND_LENGTH) return { matches, truncated: true }
        matches.push(match)
        length += match.text.length
      }
    }
    return { matches, truncated: false }
  }

  /** Store a file, in place of what is there. */
  async write(path: string, content: Uint8Array, contentType?: string): Promise<void> {
    await this.update(path, () => ({ content, contentType }))
  }

  /**
   * Replace a file by what `change` makes of it: of `undefined`, where there is none.
   *
   * No other change of the path comes between. Where `change` throws, the file stays as it is and the error is passed on.
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
   * Remove a file that was written, or all of them in a folder, and return the paths that are gone. Results stay.
   *
   * Removing nothing is fine, unless there are results only.
   */
  async remove(path: string): Promise<readonly string[]> {
    if (typeof path !== 'string') throw new TypeError(`path must be a string, got ${typeof path}.`)
    const storage = this.#storage()
    const base = withoutFinalSlashes(path)
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
    return await this.#inTurnOf(written, async () => {
      // As they are now: a change that came before may have stored another version.
      const latest = (await under()).filter((entry) => entry.version > 0 && inTurn.has(entry.path))
      for (const entry of latest) await removeVersions(storage, entry)
      return latest.map((entry) => entry.path)
    })
  }

  /** Run a task between the changes of several paths. They are asked for in order, so that no two wait for each other. */
  async #inTurnOf<Result>(paths: readonly string[], task: () => Promise<Result>): Promise<Result> {
    const run = paths.reduceRight((next, path) => () => this.#lock.run(path, next), task)
    return await run()
  }

  async #textFiles(): Promise<StoredFile[]> {
    return [...(await this.list()).values()].filter(({ contentType }) => isTextContentType(contentType))
  }
}

/** Refuse a storage that cannot say what it holds. */
function listing(storage: Storage): AdoptedStorage {
  const { list, retrieve, store } = Object(storage) as Partial<Storage>
  if (typeof list === 'function' && typeof retrieve === 'function' && typeof store === 'function')
    return adoptStorage(storage)
  throw new TypeError(
    'storage must have the methods store(), retrieve() and list(). Use a backend of Spillway, such as InMemoryStorage or FileStorage, or make one with createStorage().',
  )
}

const readOnly = (path: string): StorageError =>
  new StorageError('unsupported', `'${path}' is what a tool returned and cannot be changed. Write to another path.`)

/** Not by a regular expression: one that looks for the end of a run of slashes may take its length squared. */
function withoutFinalSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

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
