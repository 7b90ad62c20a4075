import { assertFormat, isMetadata, parseObject, type EntryId, type EntryInfo } from '@spillway/core/driver'
import { resolve } from 'node:path'

/** Folder of all files that are not content. No scope uses this name, because scope names never start with a dot. */
export const METADATA_FOLDER = '.metadata'
export const TOMBSTONE_FOLDER: string = `${METADATA_FOLDER}/.evicted`

/** Folder with an empty file whose name identifies the directory. */
export const MARK_FOLDER: string = `${METADATA_FOLDER}/.root`

const SIDECAR_SUFFIX = '.metadata.json'
const REMOVAL_SUFFIX = '.removal'
const PENDING_CONTENT_SUFFIX = '.content'
const PENDING_SIDECAR_SUFFIX = '.sidecar'
const NAME = /^[a-z0-9_-]{1,64}$/
const EXTENSION = /^\.[a-z0-9]{1,8}$/
const NONCE_BYTES = 8
const NONCE = /^[0-9a-f]{16}$/

export interface EntryPaths {
  readonly id: EntryId
  readonly reference: string
  readonly contentFolder: string
  readonly sidecarFolder: string
  readonly sidecar: string
  /** Directory that marks a running removal. The directory has the files removed so far. */
  readonly removal: string
  readonly tombstoneFolder: string
  readonly tombstone: string
  content(extension: string): string
}

export interface FilePair {
  readonly content: string
  readonly sidecar: string
}

/** Resolves the directory of a storage or a journal. Throws `TypeError` if it cannot be a path. */
export function resolvedDirectory(directory: unknown): string {
  if (typeof directory !== 'string' || /^$|\0|^(?:file:|~[\\/])/i.test(directory))
    throw new TypeError(`directory must be a path such as './artifacts': no URL, no NUL, no ~ at the start.`)
  return resolve(directory)
}

/** Throws `TypeError` if the id leads to a path outside of the root. */
export function entryPaths(root: string, id: EntryId): EntryPaths {
  const segments = id.split('/')
  if (!segments.every((segment) => NAME.test(segment)))
    throw new TypeError(`${JSON.stringify(id.slice(0, 100))} is not an entry id.`)
  const reference = segments.pop() ?? ''
  const contentFolder = scopeFolder(root, segments)
  const sidecarFolder = scopeFolder(`${root}/${METADATA_FOLDER}`, segments)
  const tombstoneFolder = scopeFolder(`${root}/${TOMBSTONE_FOLDER}`, segments)
  return {
    id,
    reference,
    contentFolder,
    sidecarFolder,
    sidecar: `${sidecarFolder}/${reference}${SIDECAR_SUFFIX}`,
    removal: `${sidecarFolder}/${reference}${REMOVAL_SUFFIX}`,
    tombstoneFolder,
    tombstone: `${tombstoneFolder}/${reference}.json`,
    content: (extension) => `${contentFolder}/${reference}${extension}`,
  }
}

export function pendingPair(paths: EntryPaths, nonce: string = randomNonce()): FilePair {
  return pair(`${paths.sidecarFolder}/${paths.reference}.${nonce}`)
}

export const removedPair = (paths: EntryPaths, nonce: string = randomNonce()): FilePair =>
  pair(`${paths.removal}/${nonce}`)

export function scopeFolder(base: string, segments: readonly string[]): string {
  return segments.length === 0 ? base : `${base}/${segments.join('/')}`
}

export function prefixSegments(prefix: string): string[] {
  if (prefix === '') return []
  const segments = prefix.split('/')
  if (segments.pop() !== '' || !segments.every(isScopeName))
    throw new TypeError(`${JSON.stringify(prefix.slice(0, 100))} is not a prefix of entry ids.`)
  return segments
}

export const isScopeName = (name: string): boolean => NAME.test(name)

export const isExtension = (value: unknown): value is string => typeof value === 'string' && EXTENSION.test(value)

type SidecarFolderItem =
  | { readonly kind: 'sidecar'; readonly reference: string }
  | { readonly kind: 'removal'; readonly reference: string }
  | { readonly kind: 'pending-content' | 'pending-sidecar'; readonly reference: string; readonly nonce: string }

export function parseSidecarFolderItem(name: string): SidecarFolderItem | undefined {
  for (const [suffix, kind] of [
    [SIDECAR_SUFFIX, 'sidecar'],
    [REMOVAL_SUFFIX, 'removal'],
  ] as const) {
    const reference = withoutSuffix(name, suffix)
    if (reference !== undefined && NAME.test(reference)) return { kind, reference }
  }
  for (const [suffix, kind] of [
    [PENDING_CONTENT_SUFFIX, 'pending-content'],
    [PENDING_SIDECAR_SUFFIX, 'pending-sidecar'],
  ] as const) {
    const [reference = '', nonce = '', ...rest] = withoutSuffix(name, suffix)?.split('.') ?? []
    if (rest.length === 0 && NAME.test(reference) && NONCE.test(nonce)) return { kind, reference, nonce }
  }
  return undefined
}

export function parseRemovedName(name: string): { readonly nonce: string; readonly isSidecar: boolean } | undefined {
  const isSidecar = name.endsWith(PENDING_SIDECAR_SUFFIX)
  const nonce = withoutSuffix(name, isSidecar ? PENDING_SIDECAR_SUFFIX : PENDING_CONTENT_SUFFIX)
  return nonce !== undefined && NONCE.test(nonce) ? { nonce, isSidecar } : undefined
}

function pair(base: string): FilePair {
  return { content: `${base}${PENDING_CONTENT_SUFFIX}`, sidecar: `${base}${PENDING_SIDECAR_SUFFIX}` }
}

function withoutSuffix(name: string, suffix: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined
}

function randomNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const FORMAT = 1

/** Parsed metadata file of an entry. The file's modification time is the time of the last use. */
export interface Sidecar {
  readonly info: EntryInfo
  readonly extension: string
  /** Set if the last use is in the sidecar's content, because the file system cannot set file times. */
  readonly holdsLastUse?: true
}

export function encodeSidecar({ info, extension }: Sidecar, holdsLastUse = false): Uint8Array {
  const { key, contentType, size, storedAt, lastUsedAt, metadata, lineIndex } = info
  const kept = holdsLastUse ? { lastUsedAt } : {}
  const record = { version: FORMAT, key, contentType, extension, size, storedAt, ...kept, metadata, lineIndex }
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`)
}

/** Returns `undefined` for invalid bytes. Throws `unsupported` for a newer format. */
export function decodeSidecar(bytes: Uint8Array, modifiedAt: number): Sidecar | undefined {
  const record = parseObject(new TextDecoder().decode(bytes))
  if (record === undefined) return undefined
  const { version, key, contentType, extension, size, storedAt, lastUsedAt, metadata, lineIndex } = record
  if (typeof version === 'number') assertFormat('@spillway/file', version, FORMAT)
  if (version !== FORMAT || typeof key !== 'string' || typeof contentType !== 'string') return undefined
  if (!isExtension(extension) || !isCount(size) || typeof storedAt !== 'number' || !isMetadata(metadata))
    return undefined
  if (lineIndex !== undefined && typeof lineIndex !== 'string') return undefined
  const info: EntryInfo = {
    key,
    contentType,
    size,
    storedAt,
    lastUsedAt: typeof lastUsedAt === 'number' ? lastUsedAt : modifiedAt,
    metadata,
    ...(lineIndex === undefined ? {} : { lineIndex }),
  }
  return lastUsedAt === undefined ? { info, extension } : { info, extension, holdsLastUse: true }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
