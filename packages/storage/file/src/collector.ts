import type { CollectReport } from '@spillway/core/driver'
import type { EntryFiles } from './entry-files.ts'
import { ABANDONED_AFTER_MS, type EntryRemover } from './entry-remover.ts'
import {
  entryPaths,
  METADATA_FOLDER,
  parseSidecarFolderItem,
  pendingPair,
  prefixSegments,
  scopeFolder,
  TOMBSTONE_FOLDER,
  type EntryPaths,
  type FilePair,
} from './paths.ts'
import type { Tombstones } from './tombstones.ts'
import { walkScopes } from './walk.ts'

/** How old the files of a writer must be to belong to one that was killed: a living one marks them every minute. */
export const LEFTOVER_AGE_MS: number = 10 * 60_000

/** Remove what killed processes left behind, and put back what they were about to remove. */
export class Collector {
  readonly #files: EntryFiles
  readonly #remover: EntryRemover
  readonly #tombstones: Tombstones

  constructor(files: EntryFiles, remover: EntryRemover, tombstones: Tombstones) {
    this.#files = files
    this.#remover = remover
    this.#tombstones = tombstones
  }

  async collect(root: string, prefix: string, now: number): Promise<CollectReport> {
    const { directory, fileSystem } = this.#files
    const segments = prefixSegments(prefix)
    const report = { leftovers: 0, bytes: 0 }
    const base = `${root}/${METADATA_FOLDER}`
    if (await directory.has(scopeFolder(base, segments)))
      for await (const item of walkScopes(fileSystem, base, segments)) {
        if (item.name !== '') await this.#collectItem(root, item.segments, item.name, now, report)
        else await this.#pruneScope(root, item.segments)
      }
    const tombstones = `${root}/${TOMBSTONE_FOLDER}`
    if (await directory.has(scopeFolder(tombstones, segments)))
      for await (const item of walkScopes(fileSystem, tombstones, segments)) {
        if (item.name !== '') continue
        const folder = scopeFolder(tombstones, item.segments)
        await this.#tombstones.trim(folder, now)
        await directory.prune(folder, base)
      }
    return report
  }

  async #collectItem(
    root: string,
    segments: readonly string[],
    name: string,
    now: number,
    report: { leftovers: number; bytes: number },
  ): Promise<void> {
    const item = parseSidecarFolderItem(name)
    if (item === undefined || item.kind === 'sidecar') return
    const paths = entryPaths(root, [...segments, item.reference].join('/'))
    if (item.kind === 'removal') {
      const status = await this.#files.stat(paths.removal)
      if (status === undefined || status.modifiedAt >= now - ABANDONED_AFTER_MS) return
      await this.#remover.recover(paths)
      report.leftovers += 1
      return
    }
    const pending = pendingPair(paths, item.nonce)
    const [content, sidecar] = await Promise.all([this.#files.stat(pending.content), this.#files.stat(pending.sidecar)])
    // The age of both is that of the content: a sidecar has the time of the entry's last use.
    const age = content ?? sidecar
    if (age === undefined || age.modifiedAt >= now - LEFTOVER_AGE_MS) return
    if (item.kind === 'pending-sidecar' && content !== undefined) return
    if (!(await this.#finishWriter(paths, pending, now))) return
    for (const [path, status] of [
      [pending.content, content],
      [pending.sidecar, sidecar],
    ] as const)
      if (status !== undefined && (await this.#files.remove(path))) {
        report.leftovers += 1
        report.bytes += status.size
      }
  }

  /**
   * See to the content that a killed process had named, or had taken away, without getting to its sidecar. Return
   * `false` where others are at it: without these files nobody would look for that content again.
   */
  async #finishWriter(paths: EntryPaths, pending: FilePair, now: number): Promise<boolean> {
    await this.#remover.isBeingRemoved(paths, now)
    const committed = await this.#files.readSidecar(paths.sidecar)
    if (committed === undefined) {
      const extension = (await this.#files.readSidecar(pending.sidecar))?.sidecar?.extension
      return extension === undefined || this.#remover.removeOrphan(paths, extension)
    }
    if (committed.sidecar !== undefined) await this.#remover.putContentBack(paths, committed.sidecar, [pending.content])
    return true
  }

  /** Remove the folders of a scope where nothing is left in them. */
  async #pruneScope(root: string, segments: readonly string[]): Promise<void> {
    if (segments.length === 0) return
    const base = `${root}/${METADATA_FOLDER}`
    const sidecars = scopeFolder(base, segments)
    const contents = scopeFolder(root, segments)
    await this.#files.directory.prune(sidecars, base)
    const isGone = (await this.#files.stat(sidecars)) === undefined
    if (isGone && (await this.#files.directory.has(contents))) await this.#files.directory.prune(contents, root)
  }
}
