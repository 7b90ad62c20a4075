import { listFolder, type EntryFiles } from './entry-files.ts'
import { doneUnless, fileErrorCode, unless, wait, type FileSystem } from './file-system.ts'
import {
  isExtension,
  METADATA_FOLDER,
  parseRemovedName,
  pendingPair,
  removedPair,
  type EntryPaths,
  type FilePair,
  type Sidecar,
} from './paths.ts'

/** Age from which a removal counts as abandoned by a killed process. */
export const ABANDONED_AFTER_MS = 60_000
const REMOVE_ATTEMPTS = 25
const REMOVE_PAUSE_MS = 10
/** Error codes of a full disk, on which no directory can be created. Renaming within a directory is still possible. */
const NO_SPACE = ['ENOSPC', 'EDQUOT']

/**
 * Removes entries in steps, so that an entry stored or used in between is not lost. {@link EntryRemover.recover} undoes
 * an unfinished removal.
 *
 * The directory `<reference>.removal` excludes other removers. First the sidecar is moved there. If the entry was not
 * used meanwhile, the content is moved next. A last check finds entries that were stored again.
 */
export class EntryRemover {
  readonly #files: EntryFiles
  readonly #fileSystem: FileSystem

  constructor(files: EntryFiles) {
    this.#files = files
    this.#fileSystem = files.fileSystem
  }

  async evict(paths: EntryPaths, unusedSince: number, decided: () => Promise<void>): Promise<boolean> {
    const found = await this.#files.readSidecar(paths.sidecar)
    if (found === undefined || found.lastUsedAt > unusedSince) return false
    const taken = await this.#begin(paths)
    if (taken === undefined) return false
    const gone = await this.#evictClaimed(paths, taken, unusedSince, decided)
    await this.#end(paths, taken)
    return gone
  }

  async remove(paths: EntryPaths): Promise<boolean> {
    for (let attempt = 1; attempt <= REMOVE_ATTEMPTS; attempt += 1) {
      const isPresent = (await this.#files.stat(paths.sidecar)) !== undefined
      if (!isPresent && (await this.#files.stat(paths.removal)) === undefined) return false
      const taken = await this.#begin(paths)
      if (taken !== undefined) {
        if (await this.#removeClaimed(paths, taken, [])) return true
      } else if (attempt < REMOVE_ATTEMPTS) {
        await wait(REMOVE_PAUSE_MS)
      } else {
        // The process that began the removal was probably killed, so finish its removal.
        const { sidecars } = await this.#listRemoval(paths)
        return this.#removeClaimed(paths, removedPair(paths), sidecars)
      }
    }
    return false
  }

  /** Removes content that has no sidecar. Returns `false` if another process works on the entry. */
  async removeOrphan(paths: EntryPaths, extension: string): Promise<boolean> {
    if ((await this.#files.stat(paths.content(extension))) === undefined) return true
    if ((await this.#files.stat(paths.sidecar)) !== undefined) return true
    const taken = await this.#begin(paths)
    if (taken === undefined) return false
    if ((await this.#files.stat(paths.sidecar)) === undefined) await this.#takeContent(paths, taken, [extension])
    await this.#end(paths, taken)
    return true
  }

  async isBeingRemoved(paths: EntryPaths, now: number = Date.now()): Promise<boolean> {
    const removal = await this.#files.stat(paths.removal)
    if (removal === undefined) return false
    if (removal.modifiedAt < now - ABANDONED_AFTER_MS) await this.recover(paths)
    return true
  }

  /** Undoes an unfinished removal, which was never reported as done. */
  async recover(paths: EntryPaths): Promise<void> {
    const { sidecars, contents } = await this.#listRemoval(paths)
    for (const path of sidecars) {
      const sidecar = (await this.#files.readSidecar(path))?.sidecar
      if (sidecar === undefined || (await this.#files.stat(paths.sidecar)) !== undefined) continue
      if (!(await this.putContentBack(paths, sidecar, contents))) continue
      await unless('ENOENT', this.#files.put(path, paths.sidecar, paths.sidecarFolder))
    }
    await this.#settle(paths)
    await this.#end(paths)
  }

  async restoreContent(paths: EntryPaths, sidecar: Sidecar): Promise<boolean> {
    return this.putContentBack(paths, sidecar, (await this.#listRemoval(paths)).contents)
  }

  async putContentBack(paths: EntryPaths, sidecar: Sidecar, contents: readonly string[]): Promise<boolean> {
    for (const path of contents) {
      if (await this.#files.hasContent(paths, sidecar)) return true
      if ((await this.#files.stat(path))?.size !== sidecar.info.size) continue
      await this.#files.directory.ensure(paths.contentFolder)
      await unless('ENOENT', this.#files.put(path, paths.content(sidecar.extension), paths.contentFolder))
    }
    return this.#files.hasContent(paths, sidecar)
  }

  async #removeClaimed(paths: EntryPaths, taken: FilePair, left: readonly string[]): Promise<boolean> {
    const claimed = await doneUnless('ENOENT', this.#fileSystem.rename(paths.sidecar, taken.sidecar))
    const extensions = new Set<string>()
    for (const path of claimed ? [taken.sidecar, ...left] : left)
      for (const extension of await this.#extensions(paths, path)) extensions.add(extension)
    await this.#takeContent(paths, taken, extensions)
    if (left.length > 0) await this.#settle(paths)
    await this.#end(paths, taken)
    return claimed || left.length > 0
  }

  async #evictClaimed(
    paths: EntryPaths,
    taken: FilePair,
    unusedSince: number,
    decided: () => Promise<void>,
  ): Promise<boolean> {
    if (!(await doneUnless('ENOENT', this.#fileSystem.rename(paths.sidecar, taken.sidecar)))) return false
    const claimed = await this.#files.readSidecar(taken.sidecar)
    if (claimed === undefined) return false
    if (claimed.lastUsedAt > unusedSince) {
      await unless('ENOENT', this.#files.put(taken.sidecar, paths.sidecar, paths.sidecarFolder))
      return false
    }
    await decided()
    return this.#takeContent(paths, taken, await this.#extensions(paths, taken.sidecar))
  }

  async #takeContent(paths: EntryPaths, taken: FilePair, extensions: Iterable<string>): Promise<boolean> {
    let gone = true
    for (const extension of extensions) {
      const content = paths.content(extension)
      await unless('ENOENT', this.#fileSystem.rename(content, taken.content))
      if ((await this.#files.stat(paths.sidecar)) === undefined) {
        await this.#files.remove(taken.content)
        continue
      }
      gone = false
      await unless('ENOENT', this.#files.put(taken.content, content, paths.contentFolder))
    }
    return gone
  }

  async #settle(paths: EntryPaths): Promise<void> {
    const { sidecars, contents } = await this.#listRemoval(paths)
    const found = await this.#files.readSidecar(paths.sidecar)
    if (found?.sidecar !== undefined) await this.putContentBack(paths, found.sidecar, contents)
    for (const path of [...contents, ...sidecars]) await this.#files.remove(path)
  }

  async #begin(paths: EntryPaths, isRetry = false): Promise<FilePair | undefined> {
    try {
      await this.#fileSystem.createDirectory(paths.removal)
      return removedPair(paths)
    } catch (error) {
      const code = fileErrorCode(error) ?? ''
      if (NO_SPACE.includes(code)) return pendingPair(paths)
      if (code === 'ENOENT') return undefined
      if (code !== 'EEXIST') throw error
    }
    if (isRetry) return undefined
    await this.isBeingRemoved(paths)
    return this.#begin(paths, true)
  }

  async #end(paths: EntryPaths, taken?: FilePair): Promise<void> {
    if (taken !== undefined) await Promise.all([this.#files.remove(taken.content), this.#files.remove(taken.sidecar)])
    await doneUnless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], this.#fileSystem.removeDirectory(paths.removal))
    const root = await this.#files.directory.open()
    if (root === undefined) return
    await Promise.all([
      this.#files.directory.prune(paths.contentFolder, root),
      this.#files.directory.prune(paths.sidecarFolder, `${root}/${METADATA_FOLDER}`),
    ])
  }

  async #extensions(paths: EntryPaths, sidecarPath: string): Promise<readonly string[]> {
    const found = await this.#files.readSidecar(sidecarPath)
    if (found === undefined) return []
    if (found.sidecar !== undefined) return [found.sidecar.extension]
    const extensions: string[] = []
    const start = `${paths.reference}.`
    for await (const { name } of listFolder(this.#fileSystem, paths.contentFolder)) {
      const extension = name.slice(paths.reference.length)
      if (name.startsWith(start) && isExtension(extension)) extensions.push(extension)
    }
    return extensions
  }

  async #listRemoval(paths: EntryPaths): Promise<{ readonly sidecars: string[]; readonly contents: string[] }> {
    const sidecars: string[] = []
    const contents: string[] = []
    for await (const { name } of listFolder(this.#fileSystem, paths.removal)) {
      const removed = parseRemovedName(name)
      if (removed === undefined) continue
      const pair = removedPair(paths, removed.nonce)
      if (removed.isSidecar) sidecars.push(pair.sidecar)
      else contents.push(pair.content)
    }
    return { sidecars, contents }
  }
}
