import { extensionForContentType } from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { StoredInfo } from '../storage/storage.ts'

/** Metadata of an entry that is a version of a file: its number, and when the first one was stored. */
const VERSION = 'file-version'
const CREATED_AT = 'file-created'

/** The entry of a file. */
export interface FileEntry {
  readonly path: string
  readonly info: StoredInfo
  /** Counts from 1 with each write; 0 for the result of a tool, which nobody can change. */
  readonly version: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** References of versions that were replaced, and not removed yet. */
  readonly replaced: readonly string[]
}

/** What a file has in it. */
export interface FileContent {
  readonly content: Uint8Array
  /** A MIME type. Defaults to `text/plain`. */
  readonly contentType?: string | undefined
}

/** The newest entries of a scope by path, in the order of their paths. */
export async function listFileEntries(storage: AdoptedStorage, resultFolder: string): Promise<Map<string, FileEntry>> {
  const entries = new Map<string, FileEntry>()
  const results: FileEntry[] = []
  for await (const info of storage.list({ below: false })) {
    const entry = asEntry(info, resultFolder)
    const other = entries.get(entry.path)
    if (entry.version === 0) results.push(entry)
    else if (other === undefined) entries.set(entry.path, entry)
    else entries.set(entry.path, isNewer(entry, other) ? withReplaced(entry, other) : withReplaced(other, entry))
  }
  // Last, so that no file can stand in for what a tool returned.
  for (const result of results) entries.set(result.path, result)
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Store a version of a file, and only then remove those before it, so that there is one at any time. */
export async function storeVersion(
  storage: AdoptedStorage,
  path: string,
  { content, contentType }: FileContent,
  before: FileEntry | undefined,
): Promise<void> {
  const version = `${(before?.version ?? 0) + 1}`
  const createdAt = new Date(before?.createdAt ?? Date.now()).toISOString()
  // With the version in its key no two versions are one entry, whatever their content.
  await storage.store(`${path}@${version}`, content, contentType, {
    metadata: { [VERSION]: version, [CREATED_AT]: createdAt },
  })
  try {
    if (before !== undefined) await removeVersions(storage, before)
  } catch (error) {
    // The new version is there and goes first; the next write removes what is left of those before it.
    if (!StorageError.isInstance(error)) throw error
  }
}

/** Remove all versions of a file, the newest last, so that none before it comes back. */
export async function removeVersions(storage: AdoptedStorage, { info, replaced }: FileEntry): Promise<void> {
  for (const reference of [...replaced, info.reference]) await storage.delete(reference)
}

/**
 * Return the path of the file that a listed entry is a version of, or `undefined` where it is the result of a tool.
 *
 * Before a write or a removal has ended, or after a kill, a file has more than one version.
 *
 * @example
 * ```ts
 * import { InMemoryStorage } from '@spillway/memory'
 * import { filePathOf, StoredFiles } from '@spillway/core/files'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * await new StoredFiles(storage.scope('session-1')).write('/notes.md', new TextEncoder().encode('buy milk'))
 * // Those of all scopes below.
 * for await (const info of storage.list()) console.assert(filePathOf(info) === '/notes.md')
 * ```
 */
export function filePathOf({ key, metadata }: StoredInfo): string | undefined {
  const version = metadata[VERSION]
  if (version === undefined || !key.startsWith('/') || !key.endsWith(`@${version}`)) return undefined
  return key.slice(0, -version.length - 1)
}

function asEntry(info: StoredInfo, resultFolder: string): FileEntry {
  const { metadata, reference, contentType, storedAt } = info
  const firstStoredAt = Date.parse(metadata[CREATED_AT] ?? '')
  const createdAt = Number.isNaN(firstStoredAt) ? storedAt : firstStoredAt
  const path = filePathOf(info)
  if (path !== undefined) return { path, info, version: Number(metadata[VERSION]), createdAt, replaced: [] }
  const resultPath = `${resultFolder}${reference}${extensionForContentType(contentType)}`
  return { path: resultPath, info, version: 0, createdAt, replaced: [] }
}

/** Two processes may have stored the same version; then the later one stays. */
function isNewer(a: FileEntry, b: FileEntry): boolean {
  if (a.version !== b.version) return a.version > b.version
  if (a.info.storedAt !== b.info.storedAt) return a.info.storedAt > b.info.storedAt
  return a.info.reference > b.info.reference
}

const withReplaced = (entry: FileEntry, other: FileEntry): FileEntry => ({
  ...entry,
  replaced: [...entry.replaced, other.info.reference, ...other.replaced],
})

const MAX_LENGTH = 1_024
const CONTROL = /\p{Cc}/u

/**
 * Say why a text cannot be the path of a file, and what to do; `undefined` where it can.
 *
 * A path is absolute, resolved and names a file: no `.` and `..` parts, no empty ones, no control characters, at most
 * 1,024 UTF-16 units. The reason may be shown to a model.
 *
 * @example
 * ```ts
 * import { refuseFilePath } from '@spillway/core/files'
 *
 * console.assert(refuseFilePath('/notes/plan.md') === undefined)
 * console.assert(refuseFilePath('/notes/../plan.md')?.includes('Write it without . and .. parts') === true)
 * ```
 */
export function refuseFilePath(path: unknown): string | undefined {
  if (typeof path !== 'string' || path === '') return 'A path must be a text, such as /notes.md.'
  if (path.length > MAX_LENGTH)
    return `A path may have at most ${MAX_LENGTH} characters, got ${path.length}. Shorten it.`
  const shown = JSON.stringify(path)
  if (!path.startsWith('/')) return `${shown} is not absolute. Begin it with a slash, as in /notes.md.`
  if (CONTROL.test(path) || !path.isWellFormed()) return `${shown} has control characters. Leave them out.`
  const names = path.slice(1).split('/')
  if (names.includes('..') || names.includes('.')) return `${shown} is not resolved. Write it without . and .. parts.`
  if (names.includes(''))
    return `${shown} names no file. Write it without a slash at its end and without double slashes.`
  return undefined
}
