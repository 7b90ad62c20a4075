import { parseEviction, type CollectReport, type Eviction } from '@spillway/core/driver'
import { listFolder, walkScopes, type EntryFiles } from './entry-files.ts'
import { ABANDONED_AFTER_MS, type EntryRemover } from './entry-remover.ts'
import { createWhole, unless } from './file-system.ts'
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

/** A file of this age is a leftover, because running writers update the times of their files every minute. */
const LEFTOVER_AGE_MS: number = 10 * 60_000

export function collectorOf(
  files: EntryFiles,
  remover: EntryRemover,
  tombstones: Tombstones,
): (root: string, prefix: string, now: number) => Promise<CollectReport> {
  async function collect(root: string, prefix: string, now: number): Promise<CollectReport> {
    const { directory, fileSystem } = files
    const segments = prefixSegments(prefix)
    const report = { leftovers: 0, bytes: 0 }
    const base = `${root}/${METADATA_FOLDER}`
    if (await directory.has(scopeFolder(base, segments)))
      for await (const item of walkScopes(fileSystem, base, segments)) {
        if (item.name !== '') await collectItem(root, item.segments, item.name, now, report)
        else await pruneScope(root, item.segments)
      }
    const tombstoneRoot = `${root}/${TOMBSTONE_FOLDER}`
    if (await directory.has(scopeFolder(tombstoneRoot, segments)))
      for await (const item of walkScopes(fileSystem, tombstoneRoot, segments)) {
        if (item.name !== '') continue
        const folder = scopeFolder(tombstoneRoot, item.segments)
        await tombstones.trim(folder, now)
        await directory.prune(folder, base)
      }
    return report
  }

  async function collectItem(
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
      const status = await files.stat(paths.removal)
      if (status === undefined || status.modifiedAt >= now - ABANDONED_AFTER_MS) return
      await remover.recover(paths)
      report.leftovers += 1
      return
    }
    const pending = pendingPair(paths, item.nonce)
    const [content, sidecar] = await Promise.all([files.stat(pending.content), files.stat(pending.sidecar)])
    // The age of the content counts for both files, because a sidecar's time is the entry's last use.
    const age = content ?? sidecar
    if (age === undefined || age.modifiedAt >= now - LEFTOVER_AGE_MS) return
    if (item.kind === 'pending-sidecar' && content !== undefined) return
    if (!(await finishWriter(paths, pending, now))) return
    for (const [path, status] of [
      [pending.content, content],
      [pending.sidecar, sidecar],
    ] as const)
      if (status !== undefined && (await files.remove(path))) {
        report.leftovers += 1
        report.bytes += status.size
      }
  }

  /** Returns `false` if another process works on the entry, and the pending files must stay. */
  async function finishWriter(paths: EntryPaths, pending: FilePair, now: number): Promise<boolean> {
    await remover.isBeingRemoved(paths, now)
    const committed = await files.readSidecar(paths.sidecar)
    if (committed === undefined) {
      const extension = (await files.readSidecar(pending.sidecar))?.sidecar?.extension
      return extension === undefined || remover.removeOrphan(paths, extension)
    }
    if (committed.sidecar !== undefined) await remover.putContentBack(paths, committed.sidecar, [pending.content])
    return true
  }

  async function pruneScope(root: string, segments: readonly string[]): Promise<void> {
    if (segments.length === 0) return
    const base = `${root}/${METADATA_FOLDER}`
    const sidecars = scopeFolder(base, segments)
    const contents = scopeFolder(root, segments)
    await files.directory.prune(sidecars, base)
    const isGone = (await files.stat(sidecars)) === undefined
    if (isGone && (await files.directory.has(contents))) await files.directory.prune(contents, root)
  }

  return collect
}

const TOMBSTONE_AGE_MS: number = 7 * 24 * 60 * 60 * 1000
export const MAX_TOMBSTONES = 1_000
const MAX_TOMBSTONE_BYTES = 64 * 1024
export const TRIM_EVERY = 64
const MAX_KNOWN_FOLDERS = 1_000

export class Tombstones {
  readonly #files: EntryFiles
  readonly #untrimmed = new Map<string, number>()

  constructor(files: EntryFiles) {
    this.#files = files
  }

  /** On a full disk, the tombstone is not written, so that the eviction can still free space. */
  async write(paths: EntryPaths, eviction: Eviction): Promise<void> {
    await unless(['ENOSPC', 'EDQUOT'], this.#write(paths, eviction))
    const folder = paths.tombstoneFolder
    // The count starts at random, so that tombstones are trimmed even if each process evicts only a few entries.
    const count = 1 + (this.#untrimmed.get(folder) ?? Math.floor(Math.random() * TRIM_EVERY))
    if (this.#untrimmed.size >= MAX_KNOWN_FOLDERS) this.#untrimmed.clear()
    this.#untrimmed.set(folder, count % TRIM_EVERY)
    if (count >= TRIM_EVERY) await this.trim(folder, eviction.evictedAt)
  }

  async find(paths: EntryPaths): Promise<Eviction | undefined> {
    if (!(await this.#files.directory.has(paths.tombstoneFolder))) return undefined
    const range = { offset: 0, length: MAX_TOMBSTONE_BYTES }
    const reading = this.#files.fileSystem.readFile(paths.tombstone, range)
    const file = await unless(['ENOENT', 'ELOOP', 'EINVAL'], reading)
    return file && parseEviction(new TextDecoder().decode(file.content))
  }

  async remove(paths: EntryPaths): Promise<void> {
    if (await this.#files.directory.has(paths.tombstoneFolder)) await this.#files.remove(paths.tombstone)
  }

  async trim(folder: string, now: number): Promise<void> {
    let kept: { path: string; modifiedAt: number }[] = []
    for await (const { name, kind } of listFolder(this.#files.fileSystem, folder)) {
      if (kind !== 'file' || !name.endsWith('.json')) continue
      const path = `${folder}/${name}`
      const modifiedAt = (await this.#files.stat(path))?.modifiedAt ?? now
      if (modifiedAt < now - TOMBSTONE_AGE_MS) await this.#files.remove(path)
      else kept.push({ path, modifiedAt })
      if (kept.length >= 2 * MAX_TOMBSTONES) kept = await this.#keepNewest(kept)
    }
    await this.#keepNewest(kept)
  }

  async #keepNewest(
    tombstones: { path: string; modifiedAt: number }[],
  ): Promise<{ path: string; modifiedAt: number }[]> {
    tombstones.sort((a, b) => b.modifiedAt - a.modifiedAt)
    for (const { path } of tombstones.splice(MAX_TOMBSTONES)) await this.#files.remove(path)
    return tombstones
  }

  async #write(paths: EntryPaths, { reason, evictedAt, metadata }: Eviction): Promise<void> {
    const { directory, fileSystem } = this.#files
    await directory.ensure(paths.tombstoneFolder)
    // Create the file in the sidecar folder, because leftovers of killed processes are collected there.
    const pending = pendingPair(paths).content
    try {
      const json = JSON.stringify({ version: 1, reason, evictedAt, metadata })
      await createWhole(fileSystem, pending, new TextEncoder().encode(`${json}\n`))
      await fileSystem.setModifiedAt?.(pending, evictedAt)
      await fileSystem.rename(pending, paths.tombstone)
    } finally {
      await this.#files.remove(pending)
    }
  }
}
