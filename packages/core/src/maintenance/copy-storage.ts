import { createSha256 } from '@spillway/text/internal'
import { LineIndexRecorder } from '@spillway/text/internal/lines'
import type { ManagedStorage } from '../storage/managed-storage.ts'
import { splitId, type EntryId } from '../storage/entry-names.ts'
import { isOpenReference } from '../storage/reference.ts'
import type { CompleteDriver } from '../storage/storage-driver.ts'
import { guard, StorageError } from '../storage/storage-error.ts'
import { assertKnownOptions } from '../storage/storage-input.ts'
import { assertManaged, entryPieces, forEachEntry, isOfEntry, withEntry, type EntryOptions } from './stored-entries.ts'

/** Options of {@link copyStorage}. */
export interface CopyOptions extends EntryOptions {
  /** Called after each entry with the report so far. */
  readonly onProgress?: ((report: CopyReport) => void) | undefined
}

/** Result of {@link copyStorage}. */
export interface CopyReport {
  /** Number of entries written and verified, and their bytes. */
  readonly copied: number
  readonly bytes: number
  /** Number of entries that exist in the target. */
  readonly skipped: number
  /** Entries that are damaged, or that have other content under the same reference in the target. */
  readonly failed: readonly { readonly reference: string; readonly error: StorageError }[]
}

/**
 * Copy the entries of a storage, or of one scope, into a storage of any backend. References, scopes, descriptions and
 * times do not change.
 *
 * Each copy is verified by its SHA-256. Existing entries are skipped, so an interrupted copy can be repeated. Both
 * storages can be in use. Open entries are copied as far as they are written. Tombstones are not copied.
 *
 * @throws TypeError for a scope, and for storages not made by `createStorage`. StorageError if a storage fails.
 *
 * @example
 * ```ts
 * import { copyStorage } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const [from, to] = [new InMemoryStorage(), new InMemoryStorage()]
 * const reference = await from.scope('tenant-1').store('call_1_0', new TextEncoder().encode('hello'))
 * await copyStorage(from, to, { scope: ['tenant-1'] })
 * const { content } = await to.scope('tenant-1').retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'hello')
 * ```
 */
export async function copyStorage(
  from: ManagedStorage,
  to: ManagedStorage,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const [source, target] = [assertManaged(from, 'from').driver, assertManaged(to, 'to').driver]
  assertKnownOptions(options, ['scope', 'onProgress', 'signal'], 'copyStorage')
  const done = { copied: 0, bytes: 0, skipped: 0, failed: [] as { reference: string; error: StorageError }[] }
  await forEachEntry(source, options, async (id, reference, isSegment) => {
    try {
      const size = await copyEntry(source, target, id)
      done.bytes += size ?? 0
      // An entry that is still being written is counted once, by its head.
      if (!isSegment) done[size === undefined ? 'skipped' : 'copied'] += 1
    } catch (error) {
      if (!isOfEntry(error)) throw error
      done.failed.push({ reference, error })
    }
    options.onProgress?.(done)
  })
  return done
}

/** Returns the size, or `undefined` if the entry exists in the target or was removed. */
async function copyEntry(source: CompleteDriver, target: CompleteDriver, id: EntryId): Promise<number | undefined> {
  const { path, reference } = splitId(id)
  return await withEntry(source, id, async (entry) => {
    const { size, lineIndex: _ofSource, ...info } = entry.info
    const present = await guard({ action: 'describe', reference }, () => target.stat(id))
    const isSame = present?.size === size && present.contentType === info.contentType && present.key === info.key
    if (isSame) return undefined
    if (present !== undefined)
      throw failure(reference, 'has other content in the target. Delete the entry there, and copy again.')
    const lines = new LineIndexRecorder()
    const written = createSha256()
    const pieces = entryPieces(entry, reference, (piece) => {
      lines.add(piece)
      written.update(piece)
    })
    await guard({ action: 'store', key: info.key }, () => target.write(id, pieces, info, () => lines.encoded()))
    const read = createSha256()
    await withEntry(target, id, async (copy) => {
      for await (const piece of entryPieces(copy, reference)) read.update(piece)
    })
    if (String(await read.digest()) === String(await written.digest())) {
      // An earlier copy may have copied the entry while it was being written.
      if (isOpenReference(reference)) {
        const { removeOpenEntry } = await import('../storage/entry-writer.ts')
        await guard({ action: 'delete', reference }, () => removeOpenEntry(target, path, reference))
      }
      return size
    }
    await guard({ action: 'delete', reference }, () => target.remove(id))
    throw failure(reference, 'was not the same when it was read back, so the copy was removed. Copy again.')
  })
}

const failure = (reference: string, why: string): StorageError =>
  new StorageError('corrupt', `${reference} ${why}`, { reference })
