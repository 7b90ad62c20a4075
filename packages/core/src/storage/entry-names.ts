import { createSha256, toHex } from '@spillway/text/internal'
import type { Metadata, OmittedPart } from './storage.ts'
import { StorageError } from './storage-error.ts'

const MAX_SEGMENTS = 16
const MAX_SEGMENT_BYTES = 1024
const MAX_ENCODED_LENGTH = 48
const HASH_HEX_DIGITS = 32
const READABLE_PREFIX_LENGTH = 12
/** Names that Windows reserves in every directory, with any extension. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

export interface Scope {
  readonly segments: readonly string[]
  /** Identity of a caller, which is equal for equal scopes of the same storage. */
  readonly caller: string
  /** Encoded segments joined by `/`, or an empty string. `undefined` until {@link scopePath} computes it. */
  path: string | undefined
}

let roots = 0

export const rootScope = (): Scope => ({ segments: [], caller: `${++roots}`, path: '' })

export function childScope(parent: Scope, segments: readonly string[]): Scope {
  if (segments.length === 0) throw invalidScope('scope() needs at least one segment, such as a tenant or session id.')
  for (const segment of segments) {
    if (typeof segment !== 'string')
      throw invalidScope(`A scope segment must be a string, got ${typeof segment}. Check the id that you pass to it.`)
    if (segment === '') throw invalidScope('A scope segment must not be empty. Check the id that you pass to it.')
    if (wideBytes(segment).length > MAX_SEGMENT_BYTES)
      throw invalidScope(`A scope segment may have at most ${MAX_SEGMENT_BYTES} bytes. Pass a shorter id or its hash.`)
  }
  const all = [...parent.segments, ...segments]
  if (all.length > MAX_SEGMENTS) throw invalidScope(`A scope may have at most ${MAX_SEGMENTS} segments.`)
  return { segments: all, caller: `${parent.caller}${JSON.stringify(segments)}`, path: undefined }
}

/** Uses a name that cannot be decoded as the segment. Its entries can be read and removed, but not stored again. */
export async function scopeAtPath(parent: Scope, path: string): Promise<Scope> {
  const names = path.split('/')
  if (!names.every((name) => /^[a-z0-9_-]{1,64}$/.test(name)))
    throw invalidScope('scopeAt() needs the path of a nested scope: the property `scope` of a listed entry.')
  const segments = names.map((name) => decodeSegment(name) ?? name)
  return { ...childScope(parent, segments), path: idPrefix(await scopePath(parent)) + path }
}

let scopeOfView: (storage: object) => Scope | undefined = () => undefined

/** Sets the function that reads the scope of a storage, so that this module does not load the code of storages. */
export function readScopesBy(read: (storage: object) => Scope | undefined): void {
  scopeOfView = read
}

/** Return the identity of a caller, for fair turns between callers: its scope, or the storage itself. */
export function callerOf(storage: object): unknown {
  return scopeOfView(storage)?.caller ?? storage
}

/** Return the path of a scope, with which its ids begin. The path of a whole storage is empty. */
export function scopePathOf(storage: object): string | Promise<string> {
  const scope = scopeOfView(storage)
  return scope === undefined ? '' : (scope.path ?? scopePath(scope))
}

export async function scopePath(scope: Scope): Promise<string> {
  if (scope.path === undefined) {
    const names: string[] = []
    for (const segment of scope.segments) names.push(await encodeSegment(segment))
    scope.path = names.join('/')
  }
  return scope.path
}

/** Encodes a segment. Escapes upper case, so that two names never differ only in case. Long names end in a hash. */
export async function encodeSegment(segment: string): Promise<string> {
  const bytes = wideBytes(segment)
  let name = ''
  for (const byte of bytes) name += isPlain(byte) ? String.fromCharCode(byte) : escapeByte(byte)
  if (RESERVED_NAME.test(name)) name = escapeByte(name.charCodeAt(0)) + name.slice(1)
  if (name.length <= MAX_ENCODED_LENGTH) return name
  const sha256 = createSha256()
  sha256.update(bytes)
  const hex = toHex(await sha256.digest())
  const readable = name.replaceAll('_', '-').slice(0, READABLE_PREFIX_LENGTH)
  return `${readable}__${hex.slice(0, HASH_HEX_DIGITS)}`
}

/**
 * Decode the name of a scope segment, as it appears in ids and in the `scope` of listed entries.
 *
 * @returns The segment. `undefined` if the segment was too long or has lone surrogates, or if no segment has this name.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { decodeSegment } from '@spillway/core/driver'
 *
 * assert.equal(decodeSegment('_54enant-1'), 'Tenant-1')
 * ```
 */
export function decodeSegment(name: string): string | undefined {
  if (!/^(?:[a-z0-9-]|_[0-9a-f]{2})+$/.test(name)) return undefined
  const bytes = [...name.matchAll(/_([0-9a-f]{2})|./g)].map(([character, hex]) =>
    hex === undefined ? character.charCodeAt(0) : parseInt(hex, 16),
  )
  const segment = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))
  return segment.includes('\uFFFD') ? undefined : segment
}

const isPlain = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d

const escapeByte = (byte: number): string => `_${byte.toString(16).padStart(2, '0')}`

/** Encodes a text as UTF-8, and keeps lone surrogates distinct. `TextEncoder` replaces each of them by U+FFFD. */
function wideBytes(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text)
  const bytes: number[] = []
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xd800 && code <= 0xdfff)
      bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f))
    else bytes.push(...new TextEncoder().encode(character))
  }
  return Uint8Array.from(bytes)
}

const invalidScope = (message: string): StorageError => new StorageError('invalid-key', message)

/**
 * The name of an entry inside a driver: encoded scope segments and the reference, joined by `/`.
 *
 * The id is a valid path and key: at most 900 characters of `a-z`, `0-9`, `_`, `-` and `/`, at most 64 in each segment.
 */
export type EntryId = string
/** Return the id of an entry from the path of its scope and its reference. */
export const entryId = (path: string, reference: string): EntryId => (path === '' ? reference : `${path}/${reference}`)
export const idPrefix = (path: string): string => (path === '' ? '' : `${path}/`)

/** Split an id into the path of the scope and the reference. The reference of an id prefix is empty. */
export function splitId(id: EntryId): { path: string; reference: string } {
  const slash = id.lastIndexOf('/')
  return { path: slash < 0 ? '' : id.slice(0, slash), reference: id.slice(slash + 1) }
}

/**
 * Folder with the parts of an open entry: `<scope>/_open/<reference>/<offset>`. No scope can be called `_open`. The
 * head has no bytes, and its last use is the time of the writer's last heartbeat. A joined segment contains the short
 * segments, which are removed later.
 */
const FOLDER = '_open'
const HEAD = 'head'
export const BEAT_MS: number = 10_000
/** Milliseconds without a heartbeat after which a writer counts as killed. */
export const LEASE_MS: number = 30_000
const STATE = 'spillway-state'
const OMITTED = 'spillway-omitted'
export const headId = (path: string, reference: string): EntryId => `${entryId(path, FOLDER)}/${reference}/${HEAD}`

export const segmentsPrefix = (path: string, reference?: string): string =>
  `${entryId(path, FOLDER)}/${reference === undefined ? '' : `${reference}/`}`

export function openEntryOf(
  id: EntryId,
): { readonly path: string; readonly reference: string; readonly isHead: boolean } | undefined {
  const { path: folder, reference: name } = splitId(id)
  const { path: inside, reference } = splitId(folder)
  const { path, reference: parent } = splitId(inside)
  return parent === FOLDER ? { path, reference, isHead: name === HEAD } : undefined
}

export function endMetadata(state: 'complete' | 'aborted', omitted: OmittedPart | undefined): Metadata {
  return {
    ...(state === 'aborted' && { [STATE]: state }),
    ...(omitted && { [OMITTED]: `${omitted.bytes} ${omitted.lines} ${omitted.afterLine} ${omitted.offset}` }),
  }
}

export function readMetadata(stored: Metadata): {
  readonly metadata: Metadata
  readonly state: 'complete' | 'cut' | 'aborted'
  readonly omitted?: OmittedPart
} {
  const { [STATE]: state, [OMITTED]: text, ...metadata } = stored
  const [bytes, lines, afterLine, offset] = text?.split(' ').map(Number) ?? []
  const omitted = offset === undefined ? undefined : { bytes: bytes!, lines: lines!, afterLine: afterLine!, offset }
  const ended = state === 'aborted' ? state : omitted === undefined ? 'complete' : 'cut'
  return { metadata, state: ended, ...(omitted && { omitted }) }
}
