import { extensionForContentType, StorageError, type Storage, type StoredInfo } from '@spillway/core'

/** Metadata of an entry that is a file which the agent wrote: its version, and when the first one was stored. */
const VERSION = 'file-version'
const CREATED_AT = 'file-created'
/** Bytes read at a time. */
export const SLICE_BYTES = 524_288

/** What a file system needs of a storage. */
export type ListedStorage = Storage & Required<Pick<Storage, 'list'>>

/** An entry as a file. */
export interface StoredFile {
  readonly path: string
  readonly info: StoredInfo
  /** Counts from 1 with each write; 0 for the result of a tool, which nobody can change. */
  readonly version: number
  readonly createdAt: string
  /** References of versions that were replaced, and not removed yet. */
  readonly replaced: readonly string[]
}

/** Refuse a storage that cannot say what it holds. */
export function listed(storage: Storage): ListedStorage {
  const { list, retrieve, store } = Object(storage) as Partial<Storage>
  if (typeof list === 'function' && typeof retrieve === 'function' && typeof store === 'function')
    return storage as ListedStorage
  throw new TypeError(
    'storage must have the methods store(), retrieve() and list(). Use a backend of Spillway, such as InMemoryStorage or FileStorage, or make one with createStorage().',
  )
}

/** The files of a scope by path, in the order of their paths. */
export async function listFiles(storage: ListedStorage, resultFolder: string): Promise<Map<string, StoredFile>> {
  const files = new Map<string, StoredFile>()
  const results: StoredFile[] = []
  for await (const info of storage.list({ below: false })) {
    const file = asFile(info, resultFolder)
    const other = files.get(file.path)
    if (file.version === 0) results.push(file)
    else if (other === undefined) files.set(file.path, file)
    else files.set(file.path, isNewer(file, other) ? withReplaced(file, other) : withReplaced(other, file))
  }
  // Last, so that no file can stand in for what a tool returned.
  for (const result of results) files.set(result.path, result)
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Store a version of a file, and only then remove those before it, so that there is one at any time. */
export async function storeFile(
  storage: Storage,
  path: string,
  content: Uint8Array,
  contentType: string,
  before: StoredFile | undefined,
): Promise<void> {
  const version = `${(before?.version ?? 0) + 1}`
  const metadata = { [VERSION]: version, [CREATED_AT]: before?.createdAt ?? new Date().toISOString() }
  // With the version in its key no two versions are one entry, whatever their content.
  await storage.store(`${path}@${version}`, content, contentType, { metadata })
  try {
    if (before !== undefined) await removeFile(storage, before)
  } catch (error) {
    // The new version is there and goes first; the next write removes what is left of those before it.
    if (!StorageError.isInstance(error)) throw error
  }
}

/** Remove all versions of a file, the newest last, so that none before it comes back. */
export async function removeFile(storage: Storage, { info, replaced }: StoredFile): Promise<void> {
  for (const reference of [...replaced, info.reference]) await storage.delete?.(reference)
}

/** The bytes of a file, in slices where the storage can give them. */
export async function* readChunks(storage: Storage, { info }: StoredFile): AsyncGenerator<Uint8Array> {
  const { reference, size } = info
  if (storage.retrieveRange === undefined) return yield (await storage.retrieve(reference)).content
  for (let offset = 0; offset < size; offset += SLICE_BYTES) {
    yield (await storage.retrieveRange(reference, { offset, length: SLICE_BYTES })).content
  }
}

function asFile(info: StoredInfo, resultFolder: string): StoredFile {
  const { key, metadata, reference, contentType, storedAt } = info
  const version = metadata[VERSION]
  const createdAt = metadata[CREATED_AT] ?? new Date(storedAt).toISOString()
  if (version !== undefined && key.startsWith('/') && key.endsWith(`@${version}`)) {
    const path = key.slice(0, -version.length - 1)
    return { path, info, version: Number(version), createdAt, replaced: [] }
  }
  const path = `${resultFolder}${reference}${extensionForContentType(contentType)}`
  return { path, info, version: 0, createdAt, replaced: [] }
}

/** Two processes may have stored the same version; then the later one stays. */
function isNewer(a: StoredFile, b: StoredFile): boolean {
  if (a.version !== b.version) return a.version > b.version
  if (a.info.storedAt !== b.info.storedAt) return a.info.storedAt > b.info.storedAt
  return a.info.reference > b.info.reference
}

const withReplaced = (file: StoredFile, other: StoredFile): StoredFile => ({
  ...file,
  replaced: [...file.replaced, other.info.reference, ...other.replaced],
})
