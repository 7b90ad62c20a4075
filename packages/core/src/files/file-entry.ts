import { extensionForContentType } from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import { unlessFailed } from '../storage/storage-error.ts'
import type { StoredInfo } from '../storage/storage.ts'

const VERSION = 'file-version'
const CREATED_AT = 'file-created'

export interface FileEntry {
  readonly path: string
  readonly info: StoredInfo
  /** Number of the version, from 1, or 0 for a tool result, which is read-only. */
  readonly version: number
  readonly createdAt: number
  /** References of replaced versions that are not removed yet. */
  readonly replaced: readonly string[]
}

/** Content of a file. */
export interface FileContent {
  readonly content: Uint8Array
  /** A MIME type. Defaults to `text/plain`. */
  readonly contentType?: string | undefined
}

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
  // Results are added last, so that no file can replace a tool result.
  for (const result of results) entries.set(result.path, result)
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}

export async function storeVersion(
  storage: AdoptedStorage,
  path: string,
  { content, contentType }: FileContent,
  before: FileEntry | undefined,
): Promise<void> {
  const version = `${(before?.version ?? 0) + 1}`
  const createdAt = new Date(before?.createdAt ?? Date.now()).toISOString()
  // The version in the key makes each version a separate entry, even with equal content.
  await storage.store(`${path}@${version}`, content, contentType, {
    metadata: { [VERSION]: version, [CREATED_AT]: createdAt },
  })
  // If it fails, the new version is stored and is used. The next write removes the older versions.
  if (before !== undefined) await unlessFailed(removeVersions(storage, before))
}

/** Remove all versions of a file. The newest version is removed last, so that no older version becomes visible. */
export async function removeVersions(storage: AdoptedStorage, { info, replaced }: FileEntry): Promise<void> {
  for (const reference of [...replaced, info.reference]) await storage.delete(reference)
}

/**
 * Return the file path of a listed entry. Returns `undefined` for a tool result.
 *
 * During a write or a removal, or after a crash, there may be several versions of a file.
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

/** Two processes may store the same version number. The entry that was stored later is then the newer version. */
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
 * Return the reason that a text is not a valid file path, and the fix. Returns `undefined` if the path is valid.
 *
 * A valid path is absolute, normalized, and has at most 1,024 UTF-16 units without control characters. The reason can
 * be shown to a model.
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
