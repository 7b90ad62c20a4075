import { LineIndexRecorder } from '@spillway/text/internal/lines'
import { prefixOf, type ManagedStorage } from '../storage/managed-storage.ts'
import { decodeSegment, type EntryId } from '../storage/entry-names.ts'
import { canBeRandom, hasSlugOf, ReferenceDigest } from '../storage/reference.ts'
import type { OpenEntry } from '../storage/storage-driver.ts'
import { guard } from '../storage/storage-error.ts'
import { assertKnownOptions } from '../storage/storage-input.ts'
import { assertManaged, entryPieces, forEachEntry, isOfEntry, withEntry, type EntryOptions } from './stored-entries.ts'

/** Options of {@link checkStorage}. */
export interface CheckOptions extends EntryOptions {
  /** Remove unreadable entries and leftovers of killed writers. Defaults to `false`. */
  readonly repair?: boolean | undefined
}

/** A problem with a stored entry. */
export interface EntryProblem {
  /** Encoded scope and reference of the entry. */
  readonly id: EntryId
  /**
   * - `unreadable`: bytes are missing, or cannot be decoded or decrypted. Repair removes the entry.
   * - `changed`: the content does not match the digest in its reference.
   * - `line-index`: the line index does not match the content. The next retrieval makes a new index.
   */
  readonly problem: 'unreadable' | 'changed' | 'line-index'
  readonly message: string
  readonly repaired: boolean
}

/** Result of {@link checkStorage}. */
export interface CheckReport {
  /** Number of readable entries, and their bytes. */
  readonly entries: number
  readonly bytes: number
  /** Readable entries whose reference cannot be checked: streams, wrapped entries, scopes known only by a hash. */
  readonly unproven: number
  readonly problems: readonly EntryProblem[]
  /** Leftovers of killed writers that repair removed. Always 0 without `repair`. */
  readonly leftovers: number
}

/**
 * Check the entries of a storage, or of one scope, for damage. The storage can be in use.
 *
 * @throws TypeError for a scope, and for storages not made by `createStorage`. StorageError if the storage fails.
 *
 * @example
 * ```ts
 * import { checkStorage } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage()
 * await storage.store('call_1_0', new TextEncoder().encode('hello'))
 * const { entries, problems } = await checkStorage(storage)
 * console.assert(entries === 1 && problems.length === 0)
 * ```
 */
export async function checkStorage(storage: ManagedStorage, options: CheckOptions = {}): Promise<CheckReport> {
  const state = assertManaged(storage, 'storage')
  const { driver } = state
  assertKnownOptions(options, ['scope', 'repair', 'signal'], 'checkStorage')
  const { scope = [], repair = false } = options
  const problems: EntryProblem[] = []
  const done = { entries: 0, bytes: 0, unproven: 0 }
  await forEachEntry(driver, options, async (id, reference, isSegment) => {
    const report = (problem: EntryProblem['problem'], message: string, repaired = false): void =>
      void problems.push({ id, problem, message, repaired })
    try {
      const read = await withEntry(driver, id, (entry) => readEntry(entry, reference, scopeOf(id, scope)))
      if (read === undefined) return
      done.bytes += read.size
      if (!isSegment) done.entries += 1
      if (!isSegment && read.proof === 'none') done.unproven += 1
      if (read.proof === 'other') report('changed', 'The content does not match the digest in the reference.')
      if (!read.hasLineIndex) report('line-index', 'The line index does not match the content.')
    } catch (error) {
      if (!isOfEntry(error)) throw error
      const removed = repair && (await guard({ action: 'delete', reference }, () => driver.remove(id)))
      if (removed) state.removed(id)
      report('unreadable', error.message, removed)
    }
  })
  const prefix = await prefixOf(scope)
  const collect = async (): Promise<number> => (await driver.collect(prefix, Date.now())).leftovers
  const leftovers = repair ? await guard({ action: 'collect' }, collect) : undefined
  return { ...done, problems, leftovers: leftovers ?? 0 }
}

async function readEntry(
  entry: OpenEntry,
  reference: string,
  scope: readonly string[] | undefined,
): Promise<{ readonly size: number; readonly hasLineIndex: boolean; readonly proof: 'same' | 'other' | 'none' }> {
  const { key, contentType, size, lineIndex, metadata } = entry.info
  const lines = new LineIndexRecorder()
  const digest = new ReferenceDigest({ scope: scope ?? [], key, contentType })
  for await (const piece of entryPieces(entry, reference)) {
    lines.add(piece)
    digest.add(piece)
  }
  // Wrappers add metadata names with a dot, or rename entries.
  const isWrapped = Object.keys(metadata).some((name) => name.includes('.')) || !hasSlugOf(reference, key)
  const hasLineIndex = lineIndex === undefined || isWrapped || lineIndex === lines.encoded()
  if ((await digest.reference()) === reference) return { size, hasLineIndex, proof: 'same' }
  const canProve = scope !== undefined && !isWrapped && !canBeRandom(reference)
  return { size, hasLineIndex, proof: canProve ? 'other' : 'none' }
}

function scopeOf(id: EntryId, known: readonly string[]): readonly string[] | undefined {
  const names = id.split('/').slice(known.length, -1).map(decodeSegment)
  return names.every((segment) => segment !== undefined) ? [...known, ...names] : undefined
}
