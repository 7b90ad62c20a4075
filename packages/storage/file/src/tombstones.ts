import type { Eviction, EvictionReason } from '@spillway/core/driver'
import type { EntryFiles } from './entry-files.ts'
import { fileErrorCode, unless } from './file-error.ts'
import { pendingPair, type EntryPaths } from './paths.ts'
import { isMetadata, parseObject } from './sidecar.ts'
import { listFolder } from './walk.ts'

/** How long evicted entries are remembered. */
export const TOMBSTONE_AGE_MS: number = 7 * 24 * 60 * 60 * 1000
/** How many evicted entries of one scope are remembered, plus at most {@link TRIM_EVERY} for each process that evicts. */
export const MAX_TOMBSTONES = 1_000
const MAX_TOMBSTONE_BYTES = 64 * 1024
/** Trimming looks at every tombstone of the scope, so it is done once in so many evictions. */
export const TRIM_EVERY = 64
const MAX_KNOWN_FOLDERS = 1_000
const REASONS: readonly EvictionReason[] = ['turns', 'age', 'quota']

/** Remember evicted entries, each in a small file, bounded in age and in number for each scope. */
export class Tombstones {
  readonly #files: EntryFiles
  /** Evictions since a folder was trimmed. */
  readonly #untrimmed = new Map<string, number>()

  constructor(files: EntryFiles) {
    this.#files = files
  }

  /** Remember an eviction. On a full disk it is forgotten, so that the eviction can make room. */
  async write(paths: EntryPaths, eviction: Eviction): Promise<void> {
    await unless(['ENOSPC', 'EDQUOT'], this.#write(paths, eviction))
    const folder = paths.tombstoneFolder
    // Processes that evict only a few entries each must trim too, so each begins somewhere.
    const count = 1 + (this.#untrimmed.get(folder) ?? Math.floor(Math.random() * TRIM_EVERY))
    if (this.#untrimmed.size >= MAX_KNOWN_FOLDERS) this.#untrimmed.clear()
    this.#untrimmed.set(folder, count % TRIM_EVERY)
    if (count >= TRIM_EVERY) await this.trim(folder, eviction.evictedAt)
  }

  /** Find the tombstone of an entry that is not there. */
  async find(paths: EntryPaths): Promise<Eviction | undefined> {
    if (!(await this.#files.directory.has(paths.tombstoneFolder))) return undefined
    try {
      const { content } = await this.#files.fileSystem.readFile(paths.tombstone, {
        offset: 0,
        length: MAX_TOMBSTONE_BYTES,
      })
      return decode(content)
    } catch (error) {
      if (!['ENOENT', 'ELOOP', 'EINVAL'].includes(fileErrorCode(error) ?? '')) throw error
      return undefined
    }
  }

  async remove(paths: EntryPaths): Promise<void> {
    if (await this.#files.directory.has(paths.tombstoneFolder)) await this.#files.remove(paths.tombstone)
  }

  /** Forget what is too old in the folder of one scope, and the oldest beyond {@link MAX_TOMBSTONES}. */
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
    // It is made among the sidecars, where leftovers of killed processes are looked for.
    const pending = pendingPair(paths).content
    try {
      const file = await fileSystem.createFile(pending)
      try {
        await file.write(new TextEncoder().encode(`${JSON.stringify({ version: 1, reason, evictedAt, metadata })}\n`))
      } finally {
        await file.close()
      }
      await fileSystem.setModifiedAt?.(pending, evictedAt)
      await fileSystem.rename(pending, paths.tombstone)
    } finally {
      await this.#files.remove(pending)
    }
  }
}

function decode(bytes: Uint8Array): Eviction | undefined {
  const { reason, evictedAt, metadata } = parseObject(bytes) ?? {}
  const known = REASONS.find((one) => one === reason)
  if (known === undefined || typeof evictedAt !== 'number' || !isMetadata(metadata)) return undefined
  return { reason: known, evictedAt, metadata }
}
