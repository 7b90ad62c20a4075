import { doneUnless, fileErrorCode, unless } from './file-error.ts'
import type { FileStatus, FileStep, FileSystem, FileWriter } from './file-system.ts'
import { pendingPair, type EntryPaths } from './paths.ts'
import { decodeSidecar, encodeSidecar, type Sidecar } from './sidecar.ts'
import type { StorageDirectory } from './storage-directory.ts'

const MAX_SIDECAR_BYTES = 64 * 1024 * 1024
const MAX_ATTEMPTS = 10
/** What file systems without hard links say, such as exFAT, many network mounts and sandboxes. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']
/** A link, a directory or a pipe where a plain file should be. */
const NO_PLAIN_FILE = ['ELOOP', 'EINVAL', 'EISDIR']

/** A sidecar that was found; `sidecar` is absent where it is damaged. */
export interface FoundSidecar {
  readonly lastUsedAt: number
  readonly sidecar?: Sidecar
}

/** The single steps on the files of entries, from which writing, reading and removing are made. */
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

  /** Tell whether the content that a sidecar describes is there. */
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
      return status && { lastUsedAt: status.modifiedAt }
    }
  }

  /**
   * Create a file with a pending name in the folder of the sidecars, making that again where it was removed just now for
   * being empty.
   */
  async createPending(paths: EntryPaths, path: string): Promise<FileWriter> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.fileSystem.createFile(path)
      } catch (error) {
        if (fileErrorCode(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error
        await this.directory.ensure(paths.sidecarFolder)
      }
    }
  }

  /** Encode a sidecar for a file with a pending name. Before that gets another one, {@link dateSidecar} must follow. */
  encodeSidecar(sidecar: Sidecar): Uint8Array {
    return encodeSidecar(sidecar, this.fileSystem.setModifiedAt === undefined)
  }

  /** The step that writes and dates a sidecar. */
  creationOfSidecar(path: string, sidecar: Sidecar): FileStep {
    const step = { step: 'create', path, content: this.encodeSidecar(sidecar) } as const
    return this.fileSystem.setModifiedAt === undefined ? step : { ...step, modifiedAt: sidecar.info.lastUsedAt }
  }

  /** Finish a pending sidecar, so that a link to it carries the time of its last use from the start. */
  async dateSidecar(path: string, { info }: Sidecar): Promise<void> {
    await this.fileSystem.setModifiedAt?.(path, info.lastUsedAt)
    await this.sync([path])
  }

  /**
   * Give a file another name that must not be taken; tell whether it worked. Without hard links the file is renamed:
   * then two processes can both believe that the name was theirs, and the file is gone from its old name.
   */
  async put(from: string, to: string, folder: string): Promise<boolean> {
    return this.#retrying(folder, from, () => this.#putOnce(from, to))
  }

  /** Give a file another name, replacing what is there. */
  async replace(paths: EntryPaths, from: string, to: string, folder: string): Promise<void> {
    const copy = pendingPair(paths).content
    await this.put(from, copy, paths.sidecarFolder)
    try {
      await this.#retrying(folder, copy, () => this.fileSystem.rename(copy, to))
    } finally {
      // Renaming does nothing where both names belong to one file already.
      await this.remove(copy)
    }
  }

  /** Remove a file; tell whether it was there. */
  async remove(path: string): Promise<boolean> {
    return doneUnless('ENOENT', this.fileSystem.removeFile(path))
  }

  /**
   * Move the last use of an entry, whose sidecar was found just now, forward to `lastUsedAt`, at least by a millisecond,
   * and return it; `undefined` where the entry is not there, or is just being removed.
   */
  async touch(paths: EntryPaths, found: FoundSidecar, lastUsedAt: number): Promise<number | undefined> {
    const usedAt = Math.max(found.lastUsedAt + 1, lastUsedAt)
    const done = await unless('ENOENT', this.#setLastUse(paths, found, usedAt))
    // Whoever takes the sidecar away after this point sees the new time; whoever took it before has it no longer here.
    return done !== undefined && (await this.stat(paths.sidecar)) !== undefined ? usedAt : undefined
  }

  /** With `fsync`, bring files, and the names in folders, onto the medium. */
  async sync(paths: readonly string[]): Promise<void> {
    if (!this.fsync) return
    for (const path of paths) await unless('ENOENT', this.fileSystem.sync?.(path) ?? Promise.resolve())
  }

  /** With `fsync`, bring an entry and its names onto the medium. */
  async syncEntry(paths: EntryPaths, extension: string): Promise<void> {
    await this.sync([paths.content(extension), paths.contentFolder, paths.sidecar, paths.sidecarFolder])
  }

  /** Run what needs `folder`, making it again where it was removed for being empty, as long as `from` is there. */
  async #retrying<Result>(folder: string, from: string, run: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run()
      } catch (error) {
        if (fileErrorCode(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error
        if ((await this.stat(from)) === undefined) throw error
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
      const file = await this.fileSystem.createFile(pending)
      try {
        await file.write(this.encodeSidecar(used))
      } finally {
        await file.close()
      }
      await this.dateSidecar(pending, used)
      await this.fileSystem.rename(pending, paths.sidecar)
    }
    return true
  }
}
