import {
  assertKnownOptions,
  describeUnknown,
  extensionForContentType,
  ManagedStorage,
  type ByteRange,
  type CollectReport,
  type DriverContent,
  type DriverEntry,
  type DriverListOptions,
  type EntryId,
  type EntryInfo,
  type Eviction,
  type Location,
  type ManagedStorageOptions,
  type NewEntryInfo,
  type OpenEntry,
  type StorageDriver,
  type WrittenEntry,
} from '@spillway/core/driver'
import { resolve, sep } from 'node:path'
import { Collector, Tombstones } from './collector.ts'
import { DefaultFileSystem } from './default-file-system.ts'
import { EntryFiles, StorageDirectory, walkScopes } from './entry-files.ts'
import { EntryReader, type EntryFound } from './entry-reader.ts'
import { EntryRemover } from './entry-remover.ts'
import { ContentSource, EntryWriter, SourceFailure, type EntryContent } from './entry-writer.ts'
import type { FileSystem } from './file-system.ts'
import {
  entryPaths,
  METADATA_FOLDER,
  parseSidecarFolderItem,
  prefixSegments,
  scopeFolder,
  type EntryPaths,
} from './paths.ts'

const DEFAULT_DIRECTORY = './artifacts'
const NAMES: readonly string[] = [
  'directory',
  'fileSystem',
  'fsync',
  'evictAfterTurns',
  'ttlMs',
  'maxBytes',
  'now',
] satisfies (keyof FileStorageOptions)[]
const FILE_SYSTEM_METHODS = [
  'createFile',
  'readFile',
  'stat',
  'rename',
  'removeFile',
  'createDirectory',
  'removeDirectory',
  'list',
] as const satisfies (keyof FileSystem)[]

/** Options of {@link FileStorage}. */
export interface FileStorageOptions extends ManagedStorageOptions {
  /**
   * Directory of the files. It is created on first use. A relative path is resolved at construction. Defaults to
   * `./artifacts`.
   */
  readonly directory?: string | undefined
  /** File operations, for example of a sandbox. Defaults to {@link NodeFileSystem}, with a thread for small content. */
  readonly fileSystem?: FileSystem | undefined
  /**
   * Wait until content is durable before `store` resolves. Without it, content survives a killed process, but perhaps
   * not a crash of the machine. Defaults to `false`.
   */
  readonly fsync?: boolean | undefined
}

/**
 * Store content as plain files, which a shell can search and several processes can share.
 *
 * Rejects with `unavailable` and the fix if the directory cannot be written or the disk is full. Rejects with `corrupt`
 * if stored content was changed.
 *
 * @throws TypeError if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 * import { FileStorage } from '@spillway/file'
 *
 * const storage = new FileStorage(await mkdtemp(join(tmpdir(), 'artifacts-')))
 * const session = storage.scope('tenant-1', 'session-1')
 * const reference = await session.store('call_1_0', new TextEncoder().encode('hello'))
 * const { content, contentType } = await session.retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'hello' && contentType === 'text/plain')
 * ```
 */
export class FileStorage extends ManagedStorage {
  constructor(options: string | FileStorageOptions = DEFAULT_DIRECTORY) {
    const given: FileStorageOptions = typeof options === 'string' ? { directory: options } : options
    assertKnownOptions(given, NAMES, 'FileStorage')
    const { directory, fileSystem, fsync, ...managed } = given
    super(new FileDriver(driverOptions(directory, fileSystem, fsync)), managed)
  }
}

function driverOptions(
  directory: string = DEFAULT_DIRECTORY,
  fileSystem: FileSystem = new DefaultFileSystem(),
  fsync: boolean = false,
): FileDriverOptions {
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0'))
    throw new TypeError(`directory must be a path such as '${DEFAULT_DIRECTORY}', not empty and without NUL.`)
  for (const method of FILE_SYSTEM_METHODS)
    if (typeof (fileSystem as Partial<FileSystem> | null)?.[method] !== 'function')
      throw new TypeError(`fileSystem must have the method ${method}(). It needs ${FILE_SYSTEM_METHODS.join(', ')}.`)
  if (typeof fsync !== 'boolean') throw new TypeError(`fsync must be true or false, got ${String(fsync)}.`)
  if (fsync && fileSystem.sync === undefined)
    throw new TypeError('fsync needs a fileSystem with the method sync(). Add it, or leave fsync out.')
  const path = resolve(directory)
  return { directory: sep === '/' ? path : path.replaceAll(sep, '/'), fileSystem, fsync }
}

const MAX_TOUCH_ATTEMPTS = 10
const LIST_BATCH = 32

interface FileDriverOptions {
  readonly fileSystem: FileSystem
  readonly directory: string
  readonly fsync: boolean
}

export class FileDriver implements StorageDriver {
  readonly touchFirstBytes: number = Infinity
  readonly collectsHourly = true
  /** If absent, core reads each range separately. */
  readonly open?: (id: EntryId) => Promise<OpenEntry | undefined>
  readonly #directory: StorageDirectory
  readonly #files: EntryFiles
  readonly #reader: EntryReader
  readonly #writer: EntryWriter
  readonly #remover: EntryRemover
  readonly #tombstones: Tombstones
  readonly #collector: Collector

  constructor({ fileSystem, directory, fsync }: FileDriverOptions) {
    if (fileSystem.openFile !== undefined) this.open = (id) => this.#open(id)
    this.#directory = new StorageDirectory(fileSystem, directory, fsync)
    this.#files = new EntryFiles(this.#directory, fsync)
    this.#remover = new EntryRemover(this.#files)
    this.#reader = new EntryReader(this.#files, this.#remover)
    this.#tombstones = new Tombstones(this.#files)
    this.#writer = new EntryWriter(this.#files, this.#remover)
    this.#collector = new Collector(this.#files, this.#remover, this.#tombstones)
  }

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined = () => undefined,
  ): Promise<WrittenEntry> {
    return this.#explained(async () => {
      const paths = entryPaths(await this.#directory.create(), id)
      const source = new ContentSource(chunks)
      try {
        return await this.#write(paths, { source, info, lineIndex })
      } finally {
        await source.end()
      }
    })
  }

  async #write(paths: EntryPaths, entry: EntryContent): Promise<WrittenEntry> {
    let done = await this.#writer.writeAtOnce(paths, entry)
    if (done === undefined) {
      const { directory } = this.#files
      await directory.assertInPlace()
      const [present] = await Promise.all([
        this.#files.stat(paths.sidecar),
        directory.ensure(paths.sidecarFolder),
        directory.ensure(paths.contentFolder),
      ])
      const usedAt = present && (await this.#touch({ paths }, entry.info.lastUsedAt))
      if (usedAt !== undefined) {
        await entry.source.drain()
        return { created: false, lastUsedAt: usedAt }
      }
      done = await this.#writer.write(paths, entry)
    }
    const { sidecar, ...written } = done
    this.#reader.remember(paths.id, sidecar)
    return written
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    return this.#found(async () => {
      const paths = await this.#paths(id)
      if (paths === undefined) return undefined
      const early = this.#reader.readEarly(paths, range)
      const entry = await this.#findEntry(paths)
      return entry && this.#reader.read(entry, range, early)
    })
  }

  async #open(id: EntryId): Promise<OpenEntry | undefined> {
    return this.#found(async () => {
      const found = await this.#findEntry(await this.#paths(id))
      const entry = found && (await this.#reader.open(found))
      return entry && { ...entry, read: (range, buffer) => this.#explained(() => entry.read(range, buffer)) }
    })
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    return this.#found(async () => {
      const entry = await this.#findEntry(await this.#paths(id))
      return entry && (await this.#reader.describe(entry))?.info
    })
  }

  async touch(id: EntryId, lastUsedAt: number): Promise<number | undefined> {
    return this.#found(async () => {
      const entry = await this.#findEntry(await this.#paths(id))
      return entry && this.#touch(entry, lastUsedAt)
    })
  }

  async #touch({ paths, sidecar }: EntryFound, lastUsedAt: number): Promise<number | undefined> {
    for (let attempt = 0; attempt < MAX_TOUCH_ATTEMPTS; attempt += 1) {
      const found = await this.#reader.findSidecar(paths, attempt === 0 ? sidecar : undefined)
      // A damaged entry counts as missing, so that storing it again repairs it.
      if (found?.sidecar === undefined) return undefined
      const [isWhole, usedAt] = await Promise.all([
        this.#files.hasContent(paths, found.sidecar),
        this.#files.touch(paths, found, lastUsedAt),
      ])
      if (!isWhole) return undefined
      if (usedAt === undefined) continue
      await this.#files.syncEntry(paths, found.sidecar.extension)
      return usedAt
    }
    return undefined
  }

  async remove(id: EntryId): Promise<boolean> {
    return this.#found(async () => {
      const paths = await this.#paths(id)
      if (paths === undefined) return false
      await this.#tombstones.remove(paths)
      return (await this.#hasFolders(paths)) && this.#remover.remove(paths)
    })
  }

  async evict(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean> {
    return this.#found(async () => {
      const paths = await this.#paths(id)
      if (paths === undefined || !(await this.#hasFolders(paths))) return false
      return this.#remover.evict(paths, unusedSince, async () => {
        if (eviction !== undefined) await this.#tombstones.write(paths, eviction)
      })
    })
  }

  async findEviction(id: EntryId): Promise<Eviction | undefined> {
    return this.#explained(async () => {
      const paths = await this.#paths(id)
      if (paths === undefined) return undefined
      const eviction = await this.#tombstones.find(paths)
      return eviction === undefined || (await this.#files.stat(paths.sidecar)) !== undefined ? undefined : eviction
    })
  }

  async *list(prefix: string, options: DriverListOptions = {}): AsyncGenerator<DriverEntry> {
    try {
      yield* this.#list(prefix, options)
      await this.#directory.assertInPlace()
    } catch (error) {
      throw await this.#directory.explained(error)
    }
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    return this.#explained(async () => {
      const root = await this.#directory.open()
      if (root === undefined) return { leftovers: 0, bytes: 0 }
      await this.#directory.assertInPlace()
      return this.#collector.collect(root, prefix, now)
    })
  }

  locate(id: EntryId, { contentType }: Pick<EntryInfo, 'contentType'>): Location {
    const address = entryPaths(this.#directory.path, id).content(extensionForContentType(contentType))
    return { address, command: `cat '${address.replaceAll("'", String.raw`'\''`)}'` }
  }

  async #paths(id: EntryId): Promise<EntryPaths | undefined> {
    const root = await this.#directory.open()
    return root === undefined ? undefined : entryPaths(root, id)
  }

  async #hasFolders(paths: EntryPaths): Promise<boolean> {
    const [exists] = await Promise.all([
      this.#directory.has(paths.sidecarFolder),
      this.#directory.has(paths.contentFolder),
    ])
    return exists
  }

  async #findEntry(paths: EntryPaths | undefined): Promise<EntryFound | undefined> {
    if (paths === undefined) return undefined
    const reading = this.#files.readSidecar(paths.sidecar)
    const [exists] = await Promise.allSettled([this.#hasFolders(paths), reading])
    if (exists.status === 'rejected') throw exists.reason
    return exists.value ? { paths, sidecar: await reading } : undefined
  }

  async *#list(prefix: string, { below = true, except }: DriverListOptions): AsyncGenerator<DriverEntry> {
    const segments = prefixSegments(prefix)
    const root = await this.#directory.open()
    if (root === undefined) return
    const base = `${root}/${METADATA_FOLDER}`
    if (!(await this.#directory.has(scopeFolder(base, segments)))) return
    let batch: EntryId[] = []
    const described = async (): Promise<readonly DriverEntry[]> => {
      const entries = await Promise.all(batch.map((id) => this.#describe(entryPaths(root, id))))
      return entries.filter((entry) => entry !== undefined)
    }
    for await (const item of walkScopes(this.#files.fileSystem, base, segments, below)) {
      const parsed = parseSidecarFolderItem(item.name)
      if (parsed?.kind !== 'sidecar') continue
      const id = [...item.segments, parsed.reference].join('/')
      if (except?.(id) === true) continue
      batch.push(id)
      if (batch.length < LIST_BATCH) continue
      yield* await described()
      batch = []
    }
    yield* await described()
  }

  /** Damaged entries are listed, too, so that they can be found and removed. */
  async #describe(paths: EntryPaths): Promise<DriverEntry | undefined> {
    const found = await this.#files.readSidecar(paths.sidecar)
    if (found === undefined) return undefined
    const { lastUsedAt, sidecar } = found
    return { id: paths.id, info: sidecar?.info ?? describeUnknown(lastUsedAt) }
  }

  /** Calls a function. If a file is missing because the directory is missing, the error is an outage. */
  async #found<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#explained(async () => {
      const found = await run()
      if (found === undefined || found === false) await this.#directory.assertInPlace()
      return found
    })
  }

  async #explained<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      if (error instanceof SourceFailure) throw error.cause
      throw await this.#directory.explained(error)
    }
  }
}
