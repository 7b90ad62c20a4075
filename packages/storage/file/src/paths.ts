import type { EntryId } from '@spillway/core/driver'

/** The folder for everything that is not content. No scope's name starts with a dot. */
export const METADATA_FOLDER = '.metadata'
/** The folder of tombstones inside {@link METADATA_FOLDER}. */
export const TOMBSTONE_FOLDER: string = `${METADATA_FOLDER}/.evicted`

/** The folder with an empty file, whose name tells the directory from another one that takes its place. */
export const MARK_FOLDER: string = `${METADATA_FOLDER}/.root`

const SIDECAR_SUFFIX = '.metadata.json'
const REMOVAL_SUFFIX = '.removal'
const PENDING_CONTENT_SUFFIX = '.content'
const PENDING_SIDECAR_SUFFIX = '.sidecar'
const NAME = /^[a-z0-9_-]{1,64}$/
const EXTENSION = /^\.[a-z0-9]{1,8}$/
const NONCE_BYTES = 8
const NONCE = /^[0-9a-f]{16}$/

/** Where the files of one entry are, as absolute paths below the directory `root`. */
export interface EntryPaths {
  readonly id: EntryId
  readonly reference: string
  readonly contentFolder: string
  readonly sidecarFolder: string
  readonly sidecar: string
  /** The directory whose existence says that somebody is removing the entry, and what it has taken away so far. */
  readonly removal: string
  readonly tombstoneFolder: string
  readonly tombstone: string
  content(extension: string): string
}

/** Two files that belong together, content and its description, on their way to or from their final names. */
export interface FilePair {
  readonly content: string
  readonly sidecar: string
}

/** Find the files of an entry. Throws a `TypeError` where the id could lead anywhere else. */
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

/** Name the files of a writer, in the entry's own folder so that they can be linked from there. */
export function pendingPair(paths: EntryPaths, nonce: string = randomNonce()): FilePair {
  return pair(`${paths.sidecarFolder}/${paths.reference}.${nonce}`)
}

/** Name what one remover takes away, inside {@link EntryPaths.removal}. */
export const removedPair = (paths: EntryPaths, nonce: string = randomNonce()): FilePair =>
  pair(`${paths.removal}/${nonce}`)

/** The folder of a scope below `base`; the segments are the encoded ones of an id. */
export function scopeFolder(base: string, segments: readonly string[]): string {
  return segments.length === 0 ? base : `${base}/${segments.join('/')}`
}

/** The segments of a prefix of ids: empty, or ending with `/`. */
export function prefixSegments(prefix: string): string[] {
  if (prefix === '') return []
  const segments = prefix.split('/')
  if (segments.pop() !== '' || !segments.every(isScopeName))
    throw new TypeError(`${JSON.stringify(prefix.slice(0, 100))} is not a prefix of entry ids.`)
  return segments
}

/** Tell whether a directory can belong to a scope. */
export const isScopeName = (name: string): boolean => NAME.test(name)

/** Tell whether a text can be the extension of content. */
export const isExtension = (value: unknown): value is string => typeof value === 'string' && EXTENSION.test(value)

/** What a name in a folder of sidecars stands for; `undefined` for a name that is not ours. */
export type SidecarFolderItem =
  | { readonly kind: 'sidecar'; readonly reference: string }
  | { readonly kind: 'removal'; readonly reference: string }
  | { readonly kind: 'pending-content' | 'pending-sidecar'; readonly reference: string; readonly nonce: string }

/** Read a name in a folder of sidecars. */
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

/** The nonce in a name inside {@link EntryPaths.removal}, or `undefined` for a name that is not ours. */
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
