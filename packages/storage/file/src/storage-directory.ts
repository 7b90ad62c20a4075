import { StorageError } from '@spillway/core/driver'
import { doneUnless, fileErrorCode, unless } from './file-error.ts'
import type { FileSystem } from './file-system.ts'
import { MARK_FOLDER } from './paths.ts'
import { listFolder } from './walk.ts'

const MAX_ATTEMPTS = 10
const GITIGNORE = '*\n'

/**
 * The directory of a storage: made at its first use, and a wall that no symbolic link below it leads out of.
 *
 * The directory itself may be a symbolic link, since whoever configured it chose so.
 */
export class StorageDirectory {
  readonly fileSystem: FileSystem
  /** The absolute path as it was configured. */
  readonly path: string
  readonly #fsync: boolean
  #root: string | undefined
  /** The name of a file in the folder of marks, from when the directory was first used. */
  #mark: string | undefined

  constructor(fileSystem: FileSystem, path: string, fsync: boolean) {
    this.fileSystem = fileSystem
    this.path = path
    this.#fsync = fsync
  }

  /** Return the real path of the directory, or `undefined` where it does not exist yet. */
  async open(): Promise<string | undefined> {
    this.#root ??= await this.#resolve()
    if (this.#root !== undefined) this.#mark ??= await this.#findMark(this.#root)
    return this.#root
  }

  /** The file that is there for as long as the directory is the one that was made or opened. */
  get markPath(): string {
    return `${this.#root}/${MARK_FOLDER}/${this.#mark}`
  }

  /**
   * Make sure that the directory is still the one that was used before: what is not found there is a miss only then.
   * Throws `unavailable` if it was removed, moved, emptied or replaced.
   */
  async assertInPlace(): Promise<void> {
    if (this.#root === undefined) return
    const path = this.#mark === undefined ? this.#root : this.markPath
    if ((await unless(['ENOENT', 'ENOTDIR'], this.fileSystem.stat(path))) === undefined)
      throw new StorageError(
        'unavailable',
        `${this.path} was removed, moved or replaced while it was in use. Put it back, or begin anew with another FileStorage.`,
      )
  }

  /** Return the real path of the directory, making it where it does not exist, closed to other users and to git. */
  async create(): Promise<string> {
    if (this.#root !== undefined && this.#mark !== undefined) return this.#root
    if (this.#root === undefined && (await this.#makeWithParents(this.path))) await this.#ignoreInGit()
    const root = await this.open()
    if (root === undefined) throw new StorageError('unavailable', `${this.path} vanished while it was made. Try again.`)
    this.#mark ??= await this.#makeMark(root)
    return root
  }

  /**
   * Tell whether a folder below the root exists. Throws `corrupt` where a symbolic link on the way leads elsewhere.
   */
  async has(folder: string): Promise<boolean> {
    if (this.fileSystem.realPath === undefined) return this.#hasEachPart(folder)
    const real = await unless('ENOENT', this.fileSystem.realPath(folder))
    if (real !== undefined && real !== folder) await this.#refuse(folder)
    return real !== undefined
  }

  /** Make a folder below the root, and those above it, where they do not exist. Throws like {@link has}. */
  async ensure(folder: string): Promise<void> {
    if (await this.has(folder)) return
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const root = await this.create()
      if (folder !== root && !folder.startsWith(`${root}/`)) return this.#refuse(folder)
      if (folder === root ? await this.has(root) : await this.#makeParts(root, folder)) return
      // Somebody removed an empty folder, or all of them, between two of the steps.
      await this.assertInPlace()
    }
    throw new StorageError('unavailable', `${this.path} keeps being removed while it is written to. Try again.`)
  }

  /** Remove a folder below the root and those above it as far as they are empty; `keep` stays in any case. */
  async prune(folder: string, keep: string): Promise<void> {
    for (let at = folder; at.startsWith(`${keep}/`); at = parentOf(at))
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
        // It was there already: it must not be a link that the next part would be made behind.
        if (!(await this.has(at))) return false
        // Whoever has made it just now may not have come so far.
        await this.#syncNames(parent)
      }
    }
    return true
  }

  async #makeWithParents(path: string): Promise<boolean> {
    const parent = parentOf(path)
    try {
      await this.fileSystem.createDirectory(path)
    } catch (error) {
      const code = fileErrorCode(error)
      if (code === 'EEXIST') return false
      if (code !== 'ENOENT' || parent === path) throw error
      await this.#makeWithParents(parent)
      if (!(await doneUnless('EEXIST', this.fileSystem.createDirectory(path)))) return false
    }
    await this.#syncNames(parent)
    return true
  }

  /** With `fsync`, bring the names in a folder onto the medium; one that may not be read above the root cannot be. */
  async #syncNames(folder: string): Promise<void> {
    if (this.#fsync) await unless('EACCES', this.fileSystem.sync?.(folder) ?? Promise.resolve())
  }

  /** Several processes may make one each: every one of them stays as long as the directory does. */
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

  async #ignoreInGit(): Promise<void> {
    const file = await unless('EEXIST', this.fileSystem.createFile(`${this.path}/.gitignore`))
    if (file === undefined) return
    try {
      await file.write(new TextEncoder().encode(GITIGNORE))
    } finally {
      await file.close()
    }
  }

  async #resolve(): Promise<string | undefined> {
    const { fileSystem, path } = this
    if (fileSystem.realPath !== undefined) return unless('ENOENT', fileSystem.realPath(path))
    return (await unless('ENOENT', fileSystem.stat(path))) === undefined ? undefined : path
  }

  async #hasEachPart(folder: string): Promise<boolean> {
    const root = this.#root ?? this.path
    let at = root
    for (const part of folder.slice(root.length + 1).split('/')) {
      at = part === '' ? at : `${at}/${part}`
      const status = await unless('ENOENT', this.fileSystem.stat(at))
      if (status === undefined) return false
      if (status.kind === 'other' && at !== root) await this.#refuse(folder)
    }
    return true
  }

  async #refuse(folder: string): Promise<never> {
    const before = this.#root
    this.#root = await this.#resolve()
    if (before !== undefined && this.#root !== before)
      throw new StorageError('unavailable', `${this.path} was moved while it was in use. Try again.`)
    throw new StorageError(
      'corrupt',
      `${folder} leads elsewhere through a symbolic link, which the file storage does not follow. Remove the link.`,
    )
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}
