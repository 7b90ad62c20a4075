import { createSha256, isBytes, randomBytes, yieldWhenDue } from '@spillway/text/internal'
import { checkAborted, orAborted, SourceError, StorageError } from './storage-error.ts'

const MAX_REFERENCE_LENGTH = 64
const MAX_SLUG_LENGTH = 32
/** Number of characters for 100 bits of the digest. Each has 5 bits. */
const DIGEST_LENGTH = 20
const DIGEST_BYTES = 13
/** Number of check characters at the end of a random reference. */
const CHECK_LENGTH = 2
/** Number of bytes to hash at once, which takes at most 3 ms. */
const HASHED_BYTES = 1_048_576
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const REFERENCE = /^[a-z0-9_]{1,64}$/
/** Character that makes the last part of a reference one longer than a digest. */
const OPEN_MARK = 'o'
const OPEN_REFERENCE = /_o[a-z2-7]{20}$/
const MINTED = /_o?[a-z2-7]{20}$/

export interface ReferenceInput {
  readonly scope: readonly string[]
  readonly key: string
  readonly contentType: string
  readonly content: Uint8Array
}

/** Returns `<slug of the key>_<100 bits of a SHA-256>`, which has at most 64 characters of `a-z`, `0-9` and `_`. */
export async function contentReference({ content, ...input }: ReferenceInput): Promise<string> {
  const digest = new ReferenceDigest(input)
  for (let at = 0; at < content.byteLength; at += HASHED_BYTES) {
    digest.add(content.subarray(at, at + HASHED_BYTES))
    await yieldWhenDue()
  }
  return await digest.reference()
}

export class ReferenceDigest {
  readonly #sha256 = createSha256()
  readonly #slug: string

  constructor({ scope, key, contentType }: Omit<ReferenceInput, 'content'>) {
    this.#slug = slug(key)
    // JSON separates the parts and keeps lone surrogates distinct.
    this.#sha256.update(new TextEncoder().encode(`${JSON.stringify([scope, key, contentType])}\n`))
  }

  add(bytes: Uint8Array): void {
    this.#sha256.update(bytes)
  }

  async reference(): Promise<string> {
    return `${this.#slug}_${base32(await this.#sha256.digest())}`
  }
}

/** Returns 90 random bits and 2 check characters. It is for streams, whose digest is unknown until their end. */
export function randomReference(key: string): string {
  const random = base32(randomBytes(DIGEST_BYTES)).slice(0, -CHECK_LENGTH)
  return `${slug(key)}_${random}${checkOf(random)}`
}

/** Whether a reference may be random. One in 1,024 references with a digest looks like it, too. */
export const canBeRandom = (reference: string): boolean =>
  checkOf(reference.slice(-DIGEST_LENGTH, -CHECK_LENGTH)) === reference.slice(-CHECK_LENGTH)

function checkOf(random: string): string {
  let sum = 0
  for (const character of random) sum = (33 * sum + BASE32.indexOf(character)) % 1024
  return `${BASE32.charAt(sum >> 5)}${BASE32.charAt(sum & 31)}`
}

export const hasSlugOf = (reference: string, key: string): boolean =>
  reference.slice(0, -DIGEST_LENGTH) === `${slug(key)}_`

export const openReference = (key: string): string => `${slug(key)}_${OPEN_MARK}${base32(randomBytes(DIGEST_BYTES))}`
export const isOpenReference = (reference: string): boolean => OPEN_REFERENCE.test(reference)
export const isReference = (value: unknown): value is string => typeof value === 'string' && REFERENCE.test(value)
export const isMinted = (value: string): boolean => isReference(value) && MINTED.test(value)

const FENCE_LENGTH = 8

/** Returns the end of a reference, which is the name of the fence around text of one entry. */
export const fenceName = (reference: string): string => reference.slice(-FENCE_LENGTH).toWellFormed()

export function assertReference(value: unknown): asserts value is string {
  if (isReference(value)) return
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_REFERENCE_LENGTH)) : `a ${typeof value}`
  throw new StorageError(
    'invalid-reference',
    `${shown} is not a reference. Copy one exactly from under [Stored references:]; paths and URIs are not accepted.`,
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
/** Names that Windows reserves in every directory, with any extension. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

export interface Scope {
  readonly segments: readonly string[]
  /** Equal for equal scopes of the same storage. */
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

/** A name that cannot be decoded is the segment: its entries can be read and removed, but not stored again. */
export async function scopeAtPath(parent: Scope, path: string): Promise<Scope> {
  const names = path.split('/')
  if (!names.every((name) => /^[a-z0-9_-]{1,64}$/.test(name)))
    throw invalidScope('scopeAt() needs the path of a scope below, as list() gives it with an entry.')
  const segments = names.map((name) => decodeSegment(name) ?? name)
  return { ...childScope(parent, segments), path: idPrefix(await scopePath(parent)) + path }
}

let scopeOfView: (storage: object) => Scope | undefined = () => undefined

/** Sets how {@link scopePathOf} and {@link callerOf} work, so that the code of storages is not loaded. */
export function readScopesBy(read: (storage: object) => Scope | undefined): void {
  scopeOfView = read
}

/** Return the identity of a storage's callers, by which they take turns: the scope, or the storage itself. */
export function callerOf(storage: object): unknown {
  return scopeOfView(storage)?.caller ?? storage
}

/** Return the path of a scope, after which its ids have a slash; an empty text for a whole storage. */
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

/** Encodes a segment. Escapes upper case, so that no names differ only in case. Long names end in `__` and a hash. */
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

/**
 * Decode the name that a segment of a scope has in ids, and in the `scope` that `list` gives with an entry.
 *
 * @returns The segment. `undefined` if it was too long for a name, has lone surrogates, or if no segment has this name.
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

/** Encodes a text as UTF-8 with distinct lone surrogates. `TextEncoder` turns all of them into U+FFFD. */
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
 * It is a valid path and key: at most 900 characters of `a-z`, `0-9`, `_`, `-` and `/`, at most 64 in each segment.
 */
export type EntryId = string
export const entryId = (path: string, reference: string): EntryId => (path === '' ? reference : `${path}/${reference}`)
export const idPrefix = (path: string): string => (path === '' ? '' : `${path}/`)

export function splitId(id: EntryId): { path: string; reference: string } {
  const slash = id.lastIndexOf('/')
  return { path: slash < 0 ? '' : id.slice(0, slash), reference: id.slice(slash + 1) }
}

const MAX_KEY_LENGTH = 65_536
const MAX_CONTENT_TYPE_LENGTH = 255
const MAX_METADATA_LENGTH = 2_048
/** RFC 9110, section 8.3.1. */
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *;[\x20-\x7e]*)?$/
const OWN_METADATA = 'spillway-'
const METADATA_NAME = /^[a-z][a-z0-9-]{0,63}$/

export function assertKey(key: unknown): asserts key is string {
  if (typeof key !== 'string')
    throw new StorageError(
      'invalid-key',
      `A key must be a string, got ${typeof key}. Pass the tool-call id, for example.`,
    )
  if (key.length > MAX_KEY_LENGTH)
    throw new StorageError('invalid-key', `A key may have at most ${MAX_KEY_LENGTH} characters, got ${key.length}.`, {
      key: key.slice(0, 80),
    })
}

export function assertContent(content: unknown): asserts content is Uint8Array {
  if (!isBytes(content))
    throw new TypeError(
      `content must be a Uint8Array, got ${typeof content}. Encode text with new TextEncoder().encode(text).`,
    )
}

export function assertChunks(chunks: unknown): asserts chunks is AsyncIterable<Uint8Array> {
  if (typeof (chunks as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] !== 'function')
    throw new TypeError(
      `chunks must be an async iterable of Uint8Array, such as a readable stream, got ${chunks === null ? 'null' : typeof chunks}.`,
    )
}

/**
 * Check whether a value is a MIME type with a subtype, of at most 255 characters.
 *
 * @example
 * ```ts
 * import { isContentType } from '@spillway/core'
 *
 * console.assert(isContentType('text/html; charset=utf-8') && !isContentType('html'))
 * ```
 */
export const isContentType = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_CONTENT_TYPE_LENGTH && CONTENT_TYPE.test(value)

export function assertContentType(contentType: unknown): asserts contentType is string {
  if (!isContentType(contentType))
    throw new TypeError(
      `contentType must be a MIME type such as 'text/plain' of at most ${MAX_CONTENT_TYPE_LENGTH} characters, got ${JSON.stringify(contentType)?.slice(0, 80)}.`,
    )
}

export function assertMetadata(metadata: unknown): void {
  if (metadata === undefined) return
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new TypeError(`metadata must be an object of strings, such as { tool: 'read_file' }.`)
  let length = 0
  for (const [name, value] of Object.entries(metadata)) {
    if (!METADATA_NAME.test(name))
      throw new TypeError(`metadata.${JSON.stringify(name).slice(0, 80)} must be named with a-z, 0-9 and "-".`)
    if (name.startsWith(OWN_METADATA))
      throw new TypeError(`metadata.${name} must not start with ${OWN_METADATA}, as Spillway's own names do.`)
    if (typeof value !== 'string') throw new TypeError(`metadata.${name} must be a string, got ${typeof value}.`)
    length += name.length + new TextEncoder().encode(value).length
  }
  if (length > MAX_METADATA_LENGTH)
    throw new TypeError(`metadata may have at most ${MAX_METADATA_LENGTH} bytes in all, got ${length}.`)
}

export function assertRange(range: unknown): void {
  const { offset, length } = Object(range) as { offset?: unknown; length?: unknown }
  if (!isCount(offset))
    throw new TypeError(`range.offset must be a whole number of bytes, 0 or more, got ${String(offset)}.`)
  if (!isCount(length))
    throw new TypeError(`range.length must be a whole number of bytes, 0 or more, got ${String(length)}.`)
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

export async function* onlyChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

/** Yields the chunks of a stream. Throws a `SourceError` if the stream fails or yields no bytes. */
export async function* sourceChunks(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  take: (chunk: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  let state: 'pausing' | 'waiting' | 'ended' = 'pausing'
  try {
    for (;;) {
      state = 'waiting'
      checkAborted(signal)
      const next = await orAborted(nextOfSource(source), signal)
      state = next.done === true ? 'ended' : 'pausing'
      if (next.done === true) return
      yield take(asBytes(next.value))
      checkAborted(signal)
    }
  } finally {
    if (state === 'pausing') await source.return?.()
    // A source that hangs or has failed is told to end, without waiting for it.
    if (state === 'waiting') void Promise.allSettled([release(source)])
  }
}

async function nextOfSource(source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, unknown>> {
  try {
    return await source.next()
  } catch (cause) {
    throw new SourceError(cause)
  }
}

function asBytes(chunk: unknown): Uint8Array {
  try {
    assertContent(chunk)
    return chunk
  } catch (cause) {
    throw new SourceError(cause)
  }
}

async function release(source: AsyncIterator<Uint8Array>): Promise<void> {
  await source.return?.()
}

/** Number of bytes in which lines are counted at once, which takes 4 ms. */
const SEEN_BYTES = 16_777_216

export async function* seenChunks(
  chunks: AsyncIterable<Uint8Array>,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.byteLength; at += SEEN_BYTES) {
      see(chunk.subarray(at, at + SEEN_BYTES))
      await yieldWhenDue()
    }
    yield chunk
  }
}
