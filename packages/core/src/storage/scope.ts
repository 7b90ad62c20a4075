import { createSha256 } from '@spillway/text/internal'
import { StorageError } from './storage-error.ts'

const MAX_SEGMENTS = 16
const MAX_SEGMENT_BYTES = 1024
const MAX_ENCODED_LENGTH = 48
const HASH_HEX_DIGITS = 32
const READABLE_PREFIX_LENGTH = 12
/** Names that Windows reserves in every directory, whatever the extension. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** A place in the storage that only its own references reach: a list of segments, none for the storage as a whole. */
export interface Scope {
  readonly segments: readonly string[]
  /** The encoded segments joined by `/`, or an empty string; `undefined` until {@link scopePath} has computed it. */
  path: string | undefined
}

/** Make the scope of a storage as a whole. */
export const rootScope = (): Scope => ({ segments: [], path: '' })

/** Return the scope below `parent`, or throw `invalid-key` where a segment cannot be one. */
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
  return { segments: all, path: undefined }
}

/** Return the path of a scope in entry ids: one encoded name for each segment, different for different segments. */
export async function scopePath(scope: Scope): Promise<string> {
  if (scope.path === undefined) {
    const names: string[] = []
    for (const segment of scope.segments) names.push(await encodeSegment(segment))
    scope.path = names.join('/')
  }
  return scope.path
}

/**
 * Encode a segment as a name of `a-z`, `0-9`, `-` and `_`: other bytes become `_` and two hexadecimal digits, and what
 * grows too long becomes its beginning, `__` and a hash. Upper case is escaped, so no two names differ only in case.
 */
export async function encodeSegment(segment: string): Promise<string> {
  const bytes = wideBytes(segment)
  let name = ''
  for (const byte of bytes) name += isPlain(byte) ? String.fromCharCode(byte) : escapeByte(byte)
  if (RESERVED_NAME.test(name)) name = escapeByte(name.charCodeAt(0)) + name.slice(1)
  if (name.length <= MAX_ENCODED_LENGTH) return name
  const sha256 = createSha256()
  sha256.update(bytes)
  const digest = await sha256.digest()
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const readable = name.replaceAll('_', '-').slice(0, READABLE_PREFIX_LENGTH)
  return `${readable}__${hex.slice(0, HASH_HEX_DIGITS)}`
}

const isPlain = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d

const escapeByte = (byte: number): string => `_${byte.toString(16).padStart(2, '0')}`

/** UTF-8 that also keeps lone surrogates apart, which `TextEncoder` would all turn into U+FFFD. */
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
