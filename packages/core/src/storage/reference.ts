import { createSha256, randomBytes } from '@spillway/text/internal'
import { StorageError } from './storage-error.ts'

const MAX_REFERENCE_LENGTH = 64
const MAX_SLUG_LENGTH = 32
/** 20 characters of 5 bits: 100 bits of the digest. */
const DIGEST_LENGTH = 20
const DIGEST_BYTES = 13
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const REFERENCE = /^[a-z0-9_]{1,64}$/

/** What a reference is computed from. */
export interface ReferenceInput {
  readonly scope: readonly string[]
  readonly key: string
  readonly contentType: string
  readonly content: Uint8Array
}

/**
 * Return the reference of some content: `<slug of the key>_<100 bits of a SHA-256>`, at most 64 characters of
 * `a-z`, `0-9` and `_`. Equal input gives the equal reference, which keeps a replayed conversation byte-identical.
 */
export async function contentReference(input: ReferenceInput): Promise<string> {
  const sha256 = createSha256()
  // JSON keeps the parts apart and lone surrogates different; its text ends before the content starts.
  sha256.update(new TextEncoder().encode(`${JSON.stringify([input.scope, input.key, input.contentType])}\n`))
  sha256.update(input.content)
  return `${slug(input.key)}_${base32(await sha256.digest())}`
}

/** Return a random reference, for a stream whose digest is not known before its end. */
export const randomReference = (key: string): string => `${slug(key)}_${base32(randomBytes(DIGEST_BYTES))}`

/** Tell whether a text could be a reference; whether it is one only the storage knows. */
export const isReference = (value: unknown): value is string => typeof value === 'string' && REFERENCE.test(value)

/** Refuse with `invalid-reference` what cannot be a reference, such as a path or a URI. */
export function assertReference(value: unknown): asserts value is string {
  if (isReference(value)) return
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_REFERENCE_LENGTH)) : `a ${typeof value}`
  throw new StorageError(
    'invalid-reference',
    `${shown} is not a reference. Copy one exactly as it stands under [Stored references:]; paths and URIs are not accepted.`,
    typeof value === 'string' ? { reference: value.slice(0, MAX_REFERENCE_LENGTH) } : {},
  )
}

function slug(key: string): string {
  const words = key
    .slice(0, 4 * MAX_SLUG_LENGTH)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
  return words.replace(/^_+/, '').slice(0, MAX_SLUG_LENGTH).replace(/_+$/, '') || 'entry'
}

function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5 && text.length < DIGEST_LENGTH) {
      bits -= 5
      text += BASE32.charAt((value >> bits) & 31)
    }
  }
  return text
}

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
