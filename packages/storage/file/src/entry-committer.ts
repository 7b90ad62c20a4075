import { StorageError, type WrittenEntry } from '@spillway/core/driver'
import type { EntryFiles } from './entry-files.ts'
import type { EntryRemover } from './entry-remover.ts'
import type { EntryPaths, FilePair } from './paths.ts'
import { settled } from './settled.ts'
import type { Sidecar } from './sidecar.ts'
import { PATIENCE_MS, wait } from './wait.ts'

const MAX_ATTEMPTS = 10

/** Give the files of a writer the names that make them an entry, among others that store and remove the same one. */
export class EntryCommitter {
  readonly #files: EntryFiles
  readonly #remover: EntryRemover

  constructor(files: EntryFiles, remover: EntryRemover) {
    this.#files = files
    this.#remover = remover
  }

  /**
   * Name the content, then the sidecar, both of which were written; where the entry exists by then, touch it.
   *
   * @param closed - Resolves once the files are closed.
   */
  async commit(
    paths: EntryPaths,
    pending: FilePair,
    sidecar: Sidecar,
    closed?: Promise<unknown>,
  ): Promise<WrittenEntry> {
    const { lastUsedAt } = sidecar.info
    const dated = this.#files.dateSidecar(pending.sidecar, sidecar)
    // What traces the content reaches the medium before it.
    if (this.#files.fsync) await dated
    await settled([dated, this.#placeContent(paths, pending, sidecar), closed ?? Promise.resolve()])
    for (const [attempt, pause] of PATIENCE_MS.entries()) {
      if (attempt > 0) await this.#placeContent(paths, pending, sidecar)
      // Power may fail at any point: no sidecar may reach the medium before its content.
      await this.#files.sync([paths.contentFolder])
      if (await this.#files.put(pending.sidecar, paths.sidecar, paths.sidecarFolder)) {
        await this.holdContent(paths, pending, sidecar)
        return { created: true, lastUsedAt }
      }
      const existing = await this.#files.readSidecar(paths.sidecar)
      if (existing !== undefined) {
        const isWhole = existing.sidecar !== undefined && (await this.#files.hasContent(paths, existing.sidecar))
        if (!isWhole) {
          await this.#files.replace(paths, pending.sidecar, paths.sidecar, paths.sidecarFolder)
          await this.holdContent(paths, pending, sidecar)
          return { created: true, lastUsedAt }
        }
        const usedAt = await this.#files.touch(paths, existing, lastUsedAt)
        if (usedAt !== undefined) return { created: false, lastUsedAt: usedAt }
      }
      await wait(pause)
    }
    throw new StorageError('unavailable', `${paths.reference} keeps being removed while it is stored. Try again.`)
  }

  /** Make sure that the content is there after the commit: a removal begun before it may have taken it away. */
  async holdContent(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<void> {
    let replaced = false
    for (const pause of PATIENCE_MS) {
      const isThere = await this.#files.hasContent(paths, sidecar)
      if (isThere && !replaced) return
      if ((await this.#files.stat(paths.sidecar)) === undefined) {
        // Removed again since then, which comes after this call's own success.
        if (replaced) await this.#remover.removeOrphan(paths, sidecar.extension)
        return
      }
      if (isThere) return
      await this.#placeContent(paths, pending, sidecar)
      replaced = true
      await wait(pause)
    }
    throw new StorageError('unavailable', `${paths.reference} keeps being removed while it is stored. Try again.`)
  }

  /** Give the content its own name, unless equal content has it already. */
  async #placeContent(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<void> {
    const content = paths.content(sidecar.extension)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (await this.#files.put(pending.content, content, paths.contentFolder)) return
      const status = await this.#files.stat(content)
      if (status?.kind === 'file' && status.size === sidecar.info.size) return
      // Taken away again between the two looks.
      if (status === undefined) continue
      // Bytes of another length are those of an entry that is whole, or damaged.
      const existing = await this.#files.readSidecar(paths.sidecar)
      if (existing?.sidecar !== undefined && (await this.#files.hasContent(paths, existing.sidecar))) return
      await this.#files.replace(paths, pending.content, content, paths.contentFolder)
      return
    }
  }
}
