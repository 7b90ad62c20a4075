import {
  assertBoolean,
  assertKnownOptions,
  describeUnknown,
  extensionForContentType,
  MANAGED_OPTIONS,
  ManagedStorage,
  shellQuoted,
  type DriverEntry,
  type DriverListOptions,
  type EntryId,
  type ManagedStorageOptions,
  type StorageDriver,
  type WrittenEntry,
} from '@spillway/core/driver'
import { sep } from 'node:path'
import { collectorOf, Tombstones } from './collector.ts'
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
  resolvedDirectory,
  scopeFolder,
  type EntryPaths,
} from './paths.ts'

const DEFAULT_DIRECTORY = './artifacts'
const NAMES: readonly string[] = [
  'directory',
  'fileSystem',
  'fsync',
  ...MANAGED_OPTIONS,
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
  /** Directory, created on first use. A relative path is resolved at construction. Defaults to `./artifacts`. */
  readonly directory?: string | undefined
  /** File operations, for example of a sandbox. Defaults to {@link NodeFileSystem}, with a thread for small content. */
  readonly fileSystem?: FileSystem | undefined
  /** Wait until content is durable before `store` resolves, to survive a crash of the machine. Defaults to `false`. */
  readonly fsync?: boolean | undefined
}

/**
 * Store content as plain files, which a shell can search and several processes can share.
 *
 * Rejects with `unavailable` and the fix if the directory cannot be written or the disk is full. Rejects with `corrupt`
 * if stored content was changed.
 *
 * @param target - A directory, or options.
 * @param options - Further options, if `target` is a directory.
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
  constructor(target: string | FileStorageOptions = {}, options: FileStorageOptions = {}) {
    const given: FileStorageOptions = typeof target === 'string' ? { directory: target } : target
    for (const one of [given, options]) assertKnownOptions(one, NAMES, 'FileStorage')
    const { directory, fileSystem, fsync, ...managed } = { ...given, ...options }
    super(fileDriver(driverOptions(directory, fileSystem, fsync)), managed)
  }
}

function driverOptions(
  directory: string = DEFAULT_DIRECTORY,
  fileSystem: FileSystem = new DefaultFileSystem(),
  fsync: boolean = false,
): FileDriverOptions {
  for (const method of FILE_SYSTEM_METHODS)
    if (typeof (fileSystem as Partial<FileSystem> | null)?.[method] !== 'function')
      throw new TypeError(`fileSystem must have the method ${method}(). It needs ${FILE_SYSTEM_METHODS.join(', ')}.`)
  assertBoolean('fsync', fsync)
  if (fsync && fileSystem.sync === undefined)
    throw new TypeError('fsync needs a fileSystem with the method sync(). Add the method, or leave fsync out.')
  const path = resolvedDirectory(directory)
  return { directory: sep === '/' ? path : path.replaceAll(sep, '/'), fileSystem, fsync }
}

const MAX_TOUCH_ATTEMPTS = 10
const LIST_BATCH = 32

interface FileDriverOptions {
  readonly fileSystem: FileSystem
  readonly directory: string
  readonly fsync: boolean
}

export function fileDriver({ fileSystem, directory: path, fsync }: FileDriverOptions): StorageDriver {
  const directory = new StorageDirectory(fileSystem, path, fsync)
  const files = new EntryFiles(directory, fsync)
  const remover = new EntryRemover(files)
  const reader = new EntryReader(files, remover)
  const tombstones = new Tombstones(files)
  const writer = new EntryWriter(files, remover)
  const collect = collectorOf(files, remover, tombstones)

  const explained = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run()
    } catch (error) {
      if (error instanceof SourceFailure) throw error.cause
      throw await directory.explained(error)
    }
  }
  /** Runs an operation. If nothing is found because the directory is gone, throws `unavailable`. */
  const found = <Result>(run: () => Promise<Result>): Promise<Result> =>
    explained(async () => {
      const result = await run()
      if (result === undefined || result === false) await directory.assertInPlace()
      return result
    })

  const pathsOf = async (id: EntryId): Promise<EntryPaths | undefined> => {
    const root = await directory.open()
    return root === undefined ? undefined : entryPaths(root, id)
  }
  const hasFolders = async (paths: EntryPaths): Promise<boolean> => {
    const [exists] = await Promise.all([directory.has(paths.sidecarFolder), directory.has(paths.contentFolder)])
    return exists
  }
  const findEntry = async (paths: EntryPaths | undefined): Promise<EntryFound | undefined> => {
    if (paths === undefined) return undefined
    const reading = files.readSidecar(paths.sidecar)
    const [exists] = await Promise.allSettled([hasFolders(paths), reading])
    if (exists.status === 'rejected') throw exists.reason
    return exists.value ? { paths, sidecar: await reading } : undefined
  }

  const touch = async ({ paths, sidecar }: EntryFound, lastUsedAt: number): Promise<number | undefined> => {
    for (let attempt = 0; attempt < MAX_TOUCH_ATTEMPTS; attempt += 1) {
      const entry = await reader.findSidecar(paths, attempt === 0 ? sidecar : undefined)
      // A damaged entry counts as missing, so that storing it again repairs it.
      if (entry?.sidecar === undefined) return undefined
      const [isWhole, usedAt] = await Promise.all([
        files.hasContent(paths, entry.sidecar),
        files.touch(paths, entry, lastUsedAt),
      ])
      if (!isWhole) return undefined
      if (usedAt === undefined) continue
      await files.syncEntry(paths, entry.sidecar.extension)
      return usedAt
    }
    return undefined
  }

  const write = async (paths: EntryPaths, entry: EntryContent): Promise<WrittenEntry> => {
    let done = await writer.writeAtOnce(paths, entry)
    if (done === undefined) {
      await directory.assertInPlace()
      const [present] = await Promise.all([
        files.stat(paths.sidecar),
        directory.ensure(paths.sidecarFolder),
        directory.ensure(paths.contentFolder),
      ])
      const usedAt = present && (await touch({ paths }, entry.info.lastUsedAt))
      if (usedAt !== undefined) {
        await entry.source.drain()
        return { created: false, lastUsedAt: usedAt }
      }
      done = await writer.write(paths, entry)
    }
    const { sidecar, ...written } = done
    reader.remember(paths.id, sidecar)
    return written
  }

  /** Damaged entries are listed too, so that they can be found and removed. */
  const describe = async (paths: EntryPaths): Promise<DriverEntry | undefined> => {
    const entry = await files.readSidecar(paths.sidecar)
    if (entry === undefined) return undefined
    const { lastUsedAt, sidecar } = entry
    return { id: paths.id, info: sidecar?.info ?? describeUnknown(lastUsedAt) }
  }

  async function* list(prefix: string, { below = true, except }: DriverListOptions): AsyncGenerator<DriverEntry> {
    const segments = prefixSegments(prefix)
    const root = await directory.open()
    if (root === undefined) return
    const base = `${root}/${METADATA_FOLDER}`
    if (!(await directory.has(scopeFolder(base, segments)))) return
    let batch: EntryId[] = []
    const described = async (): Promise<readonly DriverEntry[]> => {
      const entries = await Promise.all(batch.map((id) => describe(entryPaths(root, id))))
      return entries.filter((entry) => entry !== undefined)
    }
    for await (const item of walkScopes(fileSystem, base, segments, below)) {
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

  const open: StorageDriver['open'] = (id) =>
    found(async () => {
      const entry = await findEntry(await pathsOf(id))
      const opened = entry && (await reader.open(entry))
      return opened && { ...opened, read: (range, buffer) => explained(() => opened.read(range, buffer)) }
    })

  return {
    touchFirstBytes: Infinity,
    collectsHourly: true,

    write: (id, chunks, info, lineIndex = () => undefined) =>
      explained(async () => {
        const paths = entryPaths(await directory.create(), id)
        const source = new ContentSource(chunks)
        try {
          return await write(paths, { source, info, lineIndex })
        } finally {
          await source.end()
        }
      }),

    read: (id, range) =>
      found(async () => {
        const paths = await pathsOf(id)
        if (paths === undefined) return undefined
        const early = reader.readEarly(paths, range)
        const entry = await findEntry(paths)
        return entry && reader.read(entry, range, early)
      }),

    // Without `openFile`, core reads each range separately.
    ...(fileSystem.openFile !== undefined && { open }),

    stat: (id) =>
      found(async () => {
        const entry = await findEntry(await pathsOf(id))
        return entry && (await reader.describe(entry))?.info
      }),

    touch: (id, lastUsedAt) =>
      found(async () => {
        const entry = await findEntry(await pathsOf(id))
        return entry && touch(entry, lastUsedAt)
      }),

    remove: (id) =>
      found(async () => {
        const paths = await pathsOf(id)
        if (paths === undefined) return false
        await tombstones.remove(paths)
        return (await hasFolders(paths)) && remover.remove(paths)
      }),

    evict: (id, unusedSince, eviction) =>
      found(async () => {
        const paths = await pathsOf(id)
        if (paths === undefined || !(await hasFolders(paths))) return false
        return remover.evict(paths, unusedSince, async () => {
          if (eviction !== undefined) await tombstones.write(paths, eviction)
        })
      }),

    findEviction: (id) =>
      explained(async () => {
        const paths = await pathsOf(id)
        const eviction = paths && (await tombstones.find(paths))
        if (paths === undefined || eviction === undefined) return undefined
        return (await files.stat(paths.sidecar)) === undefined ? eviction : undefined
      }),

    async *list(prefix, options = {}) {
      try {
        yield* list(prefix, options)
        await directory.assertInPlace()
      } catch (error) {
        throw await directory.explained(error)
      }
    },

    collect: (prefix, now) =>
      explained(async () => {
        const root = await directory.open()
        if (root === undefined) return { leftovers: 0, bytes: 0 }
        await directory.assertInPlace()
        return collect(root, prefix, now)
      }),

    locate(id, { contentType }) {
      const address = entryPaths(directory.path, id).content(extensionForContentType(contentType))
      return { address, command: `cat ${shellQuoted(address)}` }
    },
  }
}
