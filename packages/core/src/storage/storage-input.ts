import { formatCount, isBytes, yieldWhenDue } from '@spillway/text/internal'
import { checkAborted, orAborted, SourceError, StorageError } from './storage-error.ts'

/**
 * Reject options that are not an object or have an unknown name, with a `TypeError` that lists the known names.
 *
 * @param subject - The owner of the options, for example `SqliteStorage`.
 */
export function assertKnownOptions(options: unknown, names: readonly string[], subject: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options) || options instanceof URL)
    throw new TypeError(`${subject} takes an object of options, got ${shown(options)}.`)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const className = options.constructor?.name
  if (className !== undefined && className !== 'Object')
    throw new TypeError(`${subject} takes an object of options, got an object of the class ${className}.`)
  throw new TypeError(`Unknown option ${JSON.stringify(unknown)}. Known: ${names.join(', ')}.`)
}

/** Show a value in the error of an invalid option. Text is in quotes, so that `'10'` does not look like a number. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, 80))}`
  if (typeof value === 'bigint') return `the bigint ${value}`
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return 'a function'
  if (value instanceof URL) return 'a URL'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** Reject an option that is neither `true` nor `false`. */
export function assertBoolean(name: string, value: unknown): void {
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false, got ${shown(value)}.`)
}

/** Reject an option that is not a whole number from `min` to `max`. */
export function assertWhole(name: string, value: unknown, min: number, max: number = Infinity): void {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return
  const range = max === Infinity ? `, ${min} or more` : ` from ${formatCount(min)} to ${formatCount(max)}`
  throw new TypeError(`${name} must be a whole number${range}, got ${shown(value)}.`)
}

/** Reject an option that is not positive, or is longer than any timer. */
export function assertMilliseconds(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0 && value < 2 ** 31))
    throw new TypeError(`${name} must be a positive number of milliseconds, got ${shown(value)}.`)
}

/** Throws a `TypeError` that begins with `rule` if the value is not an array. A string is refused, too. */
export function assertArray(value: unknown, rule: string): void {
  if (!Array.isArray(value)) throw new TypeError(`${rule}, got ${shown(value)}.`)
}

/** Checks the segments of a scope, because a string would be a scope of single characters. */
export const assertSegments = (scope: unknown): void =>
  assertArray(scope, "A scope must be an array of segments, such as ['tenant', 'session']")

const MAX_KEY_LENGTH = 65_536
const MAX_CONTENT_TYPE_LENGTH = 255
const MAX_METADATA_LENGTH = 2_048
/** MIME type as in RFC 9110, section 8.3.1. */
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *;[\x20-\x7e]*)?$/
const OWN_METADATA = 'spillway-'
const METADATA_NAME = /^[a-z][a-z0-9-]{0,63}$/

export function assertKey(key: unknown): asserts key is string {
  if (typeof key !== 'string')
    throw new StorageError(
      'invalid-key',
      `A key must be a string, got ${shown(key)}. Pass the tool-call id, for example.`,
    )
  if (key.length > MAX_KEY_LENGTH)
    throw new StorageError('invalid-key', `A key may have at most ${MAX_KEY_LENGTH} characters, got ${key.length}.`, {
      key: key.slice(0, 80),
    })
}

export function assertContent(content: unknown): asserts content is Uint8Array {
  if (!isBytes(content))
    throw new TypeError(`content must be a Uint8Array, got ${shown(content)}. Use new TextEncoder().encode(text).`)
}

export function assertChunks(chunks: unknown): asserts chunks is AsyncIterable<Uint8Array> {
  if (typeof (chunks as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] !== 'function')
    throw new TypeError(`chunks must be an async iterable of Uint8Array, such as a stream, got ${shown(chunks)}.`)
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
      `contentType must be a MIME type such as 'text/plain' of at most ${MAX_CONTENT_TYPE_LENGTH} characters, got ${shown(contentType)}.`,
    )
}

export function assertMetadata(metadata: unknown): void {
  if (metadata === undefined) return
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new TypeError(`metadata must be an object of strings, such as { tool: 'read_file' }.`)
  let length = 0
  for (const [name, value] of Object.entries(metadata)) {
    if (!METADATA_NAME.test(name))
      throw new TypeError(`metadata.${JSON.stringify(name).slice(0, 80)} may have only a-z, 0-9 and "-" in its name.`)
    if (name.startsWith(OWN_METADATA))
      throw new TypeError(`metadata.${name} must not start with ${OWN_METADATA}, as Spillway's own names do.`)
    if (typeof value !== 'string') throw new TypeError(`metadata.${name} must be a string, got ${shown(value)}.`)
    length += name.length + new TextEncoder().encode(value).length
  }
  if (length > MAX_METADATA_LENGTH)
    throw new TypeError(`metadata may have at most ${MAX_METADATA_LENGTH} bytes in total, got ${length}.`)
}

/** Checks the key, the content type and the metadata of a new entry. */
export function assertNewEntry(key: string, contentType: string, metadata: unknown): void {
  assertKey(key)
  assertContentType(contentType)
  assertMetadata(metadata)
}

export function assertRange(range: unknown): void {
  for (const name of ['offset', 'length'] as const) {
    const value = (Object(range) as Readonly<Record<string, unknown>>)[name]
    assertWhole(`range.${name}`, value, 0)
  }
}

export async function* onlyChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

/** Yields the chunks of a stream. Throws a `SourceError` if the stream fails or yields anything other than bytes. */
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
      yield take(next.value)
      checkAborted(signal)
    }
  } finally {
    if (state === 'pausing') await source.return?.()
    // A source that hangs or has failed is asked to end, but its end is not awaited.
    if (state === 'waiting') void Promise.allSettled([release(source)])
  }
}

async function nextOfSource(source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, unknown>> {
  try {
    const next = await source.next()
    if (next.done !== true) assertContent(next.value)
    return next
  } catch (cause) {
    throw new SourceError(cause)
  }
}

async function release(source: AsyncIterator<Uint8Array>): Promise<void> {
  await source.return?.()
}

/** Number of bytes whose line ends are counted at once, which takes 4 ms. */
const SEEN_BYTES = 16_777_216

export async function* seenChunks(
  chunks: AsyncIterable<Uint8Array>,
  caller: unknown,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.byteLength; at += SEEN_BYTES) {
      see(chunk.subarray(at, at + SEEN_BYTES))
      await yieldWhenDue(caller)
    }
    yield chunk
  }
}
