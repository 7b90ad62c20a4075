import { StorageError } from '@spillway/core/driver'
import {
  createWhole,
  doneUnless,
  explainFileError,
  fileErrorCode,
  folderOf,
  unless,
  type DirectoryItem,
  type FileStatus,
  type FileStep,
  type FileSystem,
  type FileWriter,
} from './file-system.ts'
import {
  decodeSidecar,
  encodeSidecar,
  isScopeName,
  MARK_FOLDER,
  pendingPair,
  type EntryPaths,
  type Sidecar,
} from './paths.ts'

const MAX_SIDECAR_BYTES = 64 * 1024 * 1024
const MAX_ATTEMPTS = 10
/** Error codes of file systems without hard links: exFAT, many network mounts, sandboxes. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']
const NO_PLAIN_FILE = ['ELOOP', 'EINVAL', 'EISDIR']

export interface FoundSidecar {
  readonly lastUsedAt: number
  readonly sidecar?: Sidecar
}

export class EntryFiles {
  readonly directory: StorageDirectory
  readonly fileSystem: FileSystem
  readonly fsync: boolean

  constructor(directory: StorageDirectory, fsync: boolean) {
    this.directory = directory
    this.fileSystem = directory.fileSystem
    this.fsync = fsync
  }

  async stat(path: string): Promise<FileStatus | undefined> {
    return unless('ENOENT', this.fileSystem.stat(path))
  }

  async hasContent(paths: EntryPaths, { info, extension }: Sidecar): Promise<boolean> {
    const status = await this.stat(paths.content(extension))
    return status?.kind === 'file' && status.size === info.size
  }

  async readSidecar(path: string): Promise<FoundSidecar | undefined> {
    try {
      const { content, status } = await this.fileSystem.readFile(path, { offset: 0, length: MAX_SIDECAR_BYTES })
      const sidecar = decodeSidecar(content, status.modifiedAt)
      return sidecar === undefined
        ? { lastUsedAt: status.modifiedAt }
        : { lastUsedAt: sidecar.info.lastUsedAt, sidecar }
    } catch (error) {
      const code = fileErrorCode(error) ?? ''
      if (code === 'ENOENT') return undefined
      if (!NO_PLAIN_FILE.includes(code)) throw error
      const status = await this.stat(path)
      // The path is a plain file, so a parent folder was a link for a moment.
      if (status?.kind === 'file') throw error
      return status && { lastUsedAt: status.modifiedAt }
    }
  }

  /** Creates a pending file. If its folder was just removed because it was empty, the folder is created again. */
  async createPending(paths: EntryPaths, path: string): Promise<FileWriter> {
    return this.#retrying(paths.sidecarFolder, undefined, () => this.fileSystem.createFile(path))
  }

  /** Call {@link dateSidecar} before the file is renamed. */
  encodeSidecar(sidecar: Sidecar): Uint8Array {
    return encodeSidecar(sidecar, this.fileSystem.setModifiedAt === undefined)
  }

  creationOfSidecar(path: string, sidecar: Sidecar): FileStep {
    const step = { step: 'create', path, content: this.encodeSidecar(sidecar) } as const
    return this.fileSystem.setModifiedAt === undefined ? step : { ...step, modifiedAt: sidecar.info.lastUsedAt }
  }

  /** Sets the time of the last use, because the sidecar must have it before it gets its final name. */
  async dateSidecar(path: string, { info }: Sidecar): Promise<void> {
    await this.fileSystem.setModifiedAt?.(path, info.lastUsedAt)
    await this.sync([path])
  }

  /** Returns `false` if the name `to` is in use. Without hard links, two processes may both get `true`. */
  async put(from: string, to: string, folder: string): Promise<boolean> {
    return this.#retrying(folder, from, () => this.#putOnce(from, to))
  }

  async replace(paths: EntryPaths, from: string, to: string, folder: string): Promise<void> {
    const copy = pendingPair(paths).content
    await this.put(from, copy, paths.sidecarFolder)
    try {
      await this.#retrying(folder, copy, () => this.fileSystem.rename(copy, to))
    } finally {
      // If both names already belong to the same file, renaming does nothing, so the copy is removed here.
      await this.remove(copy)
    }
  }

  async remove(path: string): Promise<boolean> {
    return doneUnless('ENOENT', this.fileSystem.removeFile(path))
  }

  /** Sets the last use, at least 1 ms later. Returns the new time, or `undefined` if the entry is missing. */
  async touch(paths: EntryPaths, found: FoundSidecar, lastUsedAt: number): Promise<number | undefined> {
    const usedAt = Math.max(found.lastUsedAt + 1, lastUsedAt)
    const done = await unless('ENOENT', this.#setLastUse(paths, found, usedAt))
    // A remover that starts now sees the new time. A remover that started earlier has already moved the sidecar away.
    return done !== undefined && (await this.stat(paths.sidecar)) !== undefined ? usedAt : undefined
  }

  async sync(paths: readonly string[]): Promise<void> {
    if (!this.fsync) return
    for (const path of paths) await unless('ENOENT', this.fileSystem.sync?.(path) ?? Promise.resolve())
  }

  async syncEntry(paths: EntryPaths, extension: string): Promise<void> {
    await this.sync([paths.content(extension), paths.contentFolder, paths.sidecar, paths.sidecarFolder])
  }

  /** Creates a missing folder and tries again. If the file `from` is missing, the first failure is final. */
  async #retrying<Result>(folder: string, from: string | undefined, run: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run()
      } catch (error) {
        if (fileErrorCode(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error
        if (from !== undefined && (await this.stat(from)) === undefined) throw error
        await this.directory.ensure(folder)
      }
    }
  }

  async #putOnce(from: string, to: string): Promise<boolean> {
    if (this.fileSystem.link !== undefined) {
      try {
        await this.fileSystem.link(from, to)
        return true
      } catch (error) {
        const code = fileErrorCode(error) ?? ''
        if (code === 'EEXIST') return false
        if (!NO_LINKS.includes(code)) throw error
      }
    }
    if ((await this.stat(to)) !== undefined) return false
    await this.fileSystem.rename(from, to)
    return true
  }

  async #setLastUse(paths: EntryPaths, found: FoundSidecar, usedAt: number): Promise<true> {
    const { sidecar } = found
    if (this.fileSystem.setModifiedAt !== undefined && sidecar?.holdsLastUse !== true) {
      await this.fileSystem.setModifiedAt(paths.sidecar, usedAt)
    } else if (sidecar !== undefined) {
      const pending = pendingPair(paths).sidecar
      const used = { ...sidecar, info: { ...sidecar.info, lastUsedAt: usedAt } }
      await createWhole(this.fileSystem, pending, this.encodeSidecar(used))
      await this.dateSidecar(pending, used)
      await this.fileSystem.rename(pending, paths.sidecar)
    }
    return true
  }
}

const GITIGNORE = '*\n'

/** Creates the directory on first use, and rejects symbolic links below it. The directory itself may be a link. */
export class StorageDirectory {
  readonly fileSystem: FileSystem
  readonly path: string
  readonly #fsync: boolean
  #root: string | undefined
  #mark: string | undefined

  constructor(fileSystem: FileSystem, path: string, fsync: boolean) {
    this.fileSystem = fileSystem
    this.path = path
    this.#fsync = fsync
  }

  async open(): Promise<string | undefined> {
    this.#root ??= await this.#realPath(this.path)
    if (this.#root !== undefined) this.#mark ??= await this.#findMark(this.#root)
    return this.#root
  }

  get markPath(): string {
    return `${this.#root}/${MARK_FOLDER}/${this.#mark}`
  }

  /** Throws `unavailable` if the directory was replaced, so that no entry is wrongly reported as missing. */
  async assertInPlace(): Promise<void> {
    if (this.#root === undefined) return
    const path = this.#mark === undefined ? this.#root : this.markPath
    if ((await unless(['ENOENT', 'ENOTDIR'], this.fileSystem.stat(path))) === undefined)
      throw new StorageError(
        'unavailable',
        `${this.path} was removed, moved or replaced while it was in use. Put it back, or create another FileStorage.`,
      )
  }

  async create(): Promise<string> {
    if (this.#root !== undefined && this.#mark !== undefined) return this.#root
    const made = this.#root === undefined ? await this.#makeWithParents(this.path) : undefined
    if (made !== undefined) await this.#ignoreInGit(made)
    const root = await this.open()
    if (root === undefined)
      throw new StorageError('unavailable', `${this.path} was removed while it was created. Try again.`)
    this.#mark ??= await this.#makeMark(root)
    return root
  }

  async explained(error: unknown): Promise<unknown> {
    if (fileErrorCode(error) !== 'ELOOP' || this.#root === undefined) return explainFileError(error, this.path)
    return this.#refusal((error as { readonly path?: string }).path ?? this.path)
  }

  /** Whether the folder exists. Throws `corrupt` if a symbolic link in its path leads elsewhere. */
  async has(folder: string): Promise<boolean> {
    const real = await this.#realPath(folder)
    if (real !== undefined && real !== folder) throw await this.#refusal(folder)
    return real !== undefined
  }

  async ensure(folder: string): Promise<void> {
    if (await this.has(folder)) return
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const root = await this.create()
      if (folder !== root && !folder.startsWith(`${root}/`)) throw await this.#refusal(folder)
      if (folder === root ? await this.has(root) : await this.#makeParts(root, folder)) return
      // Another process removed an empty folder between two steps.
      await this.assertInPlace()
    }
    throw new StorageError('unavailable', `${this.path} is repeatedly removed during writes. Try again.`)
  }

  async prune(folder: string, keep: string): Promise<void> {
    for (let at = folder; at.startsWith(`${keep}/`); at = folderOf(at))
      if (
        !(await doneUnless(['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EBUSY'], this.fileSystem.removeDirectory(at)))
      )
        return
  }

  async #makeParts(root: string, folder: string): Promise<boolean> {
    let at = root
    for (const part of folder.slice(root.length + 1).split('/')) {
      const parent = at
      at = `${at}/${part}`
      try {
        await this.fileSystem.createDirectory(at)
        await this.#syncNames(parent)
      } catch (error) {
        const code = fileErrorCode(error)
        if (code === 'ENOENT') return false
        if (code !== 'EEXIST') throw error
        // The existing name must not be a link, or the next part would be created in the link's target.
        if (!(await this.has(at))) return false
        // The process that created the folder may not have synced it yet.
        await this.#syncNames(parent)
      }
    }
    return true
  }

  /** Creates a folder and its parents, which may be links. Returns the real path of a new folder. */
  async #makeWithParents(path: string): Promise<string | undefined> {
    const above = folderOf(path)
    if ((await this.#realPath(above)) === undefined) await this.#makeWithParents(above)
    const parent = (await this.#realPath(above)) ?? above
    const made = `${parent === '/' ? '' : parent}${path.slice(path.lastIndexOf('/'))}`
    if (!(await doneUnless('EEXIST', this.fileSystem.createDirectory(made)))) return undefined
    await this.#syncNames(parent)
    return made
  }

  /** Makes the names in a folder durable. Unreadable folders above the root are skipped. */
  async #syncNames(folder: string): Promise<void> {
    if (this.#fsync) await unless('EACCES', this.fileSystem.sync?.(folder) ?? Promise.resolve())
  }

  /** Creates a mark that identifies the directory. Each process may create a mark. Marks are never removed. */
  async #makeMark(root: string): Promise<string> {
    const folder = `${root}/${MARK_FOLDER}`
    while (!(await this.#makeParts(root, folder))) await this.assertInPlace()
    const mark = crypto.randomUUID()
    await (await this.fileSystem.createFile(`${folder}/${mark}`)).close()
    return mark
  }

  async #findMark(root: string): Promise<string | undefined> {
    for await (const { name } of listFolder(this.fileSystem, `${root}/${MARK_FOLDER}`)) return name
    return undefined
  }

  async #ignoreInGit(root: string): Promise<void> {
    const ignored = new TextEncoder().encode(GITIGNORE)
    await unless('EEXIST', createWhole(this.fileSystem, `${root}/.gitignore`, ignored))
  }

  async #realPath(path: string): Promise<string | undefined> {
    return await unless('ENOENT', this.fileSystem.realPath(path))
  }

  async #refusal(folder: string): Promise<StorageError> {
    const before = this.#root
    this.#root = await this.#realPath(this.path)
    if (before !== undefined && this.#root !== before)
      return new StorageError('unavailable', `${this.path} was moved while it was in use. Try again.`)
    return new StorageError(
      'corrupt',
      `The path ${folder} contains a symbolic link, which the file storage does not follow. Remove the link.`,
    )
  }
}

interface ScopeItem extends DirectoryItem {
  readonly segments: readonly string[]
}

export async function* listFolder(fileSystem: FileSystem, folder: string): AsyncGenerator<DirectoryItem> {
  try {
    yield* fileSystem.list(folder)
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error
  }
}

/** Yields a folder's items, its scopes' items, and last the folder with an empty name. Follows no symbolic links. */
export async function* walkScopes(
  fileSystem: FileSystem,
  base: string,
  segments: readonly string[],
  below = true,
): AsyncGenerator<ScopeItem> {
  const scopes: string[] = []
  for await (const item of listFolder(fileSystem, [base, ...segments].join('/'))) {
    if (item.kind === 'directory' && isScopeName(item.name)) {
      if (below) scopes.push(item.name)
    } else yield { ...item, segments }
  }
  for (const name of scopes) yield* walkScopes(fileSystem, base, [...segments, name])
  yield { name: '', kind: 'directory', segments }
}
