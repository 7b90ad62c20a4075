import { isBytes } from '@spillway/text/internal'
import { checkAborted, orAborted, SourceError, StorageError } from './storage-error.ts'

const MAX_KEY_LENGTH = 65_536
const MAX_CONTENT_TYPE_LENGTH = 255
const MAX_METADATA_LENGTH = 2_048
/** RFC 9110 section 8.3.1: type "/" subtype, then parameters. All of it is visible ASCII and spaces, as in a header. */
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *;[\x20-\x7e]*)?$/
const METADATA_NAME = /^[a-z][a-z0-9-]{0,63}$/

/** Refuse a key that is no string or has no end. */
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

/** Refuse content that is not bytes. */
export function assertContent(content: unknown): asserts content is Uint8Array {
  if (!isBytes(content))
    throw new TypeError(
      `content must be a Uint8Array, got ${typeof content}. Encode text with new TextEncoder().encode(text).`,
    )
}

/** Refuse a stream that is none; what it yields is looked at when it does. */
export function assertChunks(chunks: unknown): asserts chunks is AsyncIterable<Uint8Array> {
  if (typeof (chunks as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] !== 'function')
    throw new TypeError(
      `chunks must be an async iterable of Uint8Array, such as a readable stream, got ${chunks === null ? 'null' : typeof chunks}.`,
    )
}

/**
 * Tell whether content can be stored with a content type: a MIME type of at most 255 characters, with a subtype.
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

/** Refuse what is no MIME type. */
export function assertContentType(contentType: unknown): asserts contentType is string {
  if (!isContentType(contentType))
    throw new TypeError(
      `contentType must be a MIME type such as 'text/plain' of at most ${MAX_CONTENT_TYPE_LENGTH} characters, got ${JSON.stringify(contentType)?.slice(0, 80)}.`,
    )
}

/** Refuse metadata that some backend could not keep: other values than short strings. */
export function assertMetadata(metadata: unknown): void {
  if (metadata === undefined) return
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new TypeError(`metadata must be an object of strings, such as { tool: 'read_file' }.`)
  let length = 0
  for (const [name, value] of Object.entries(metadata)) {
    if (!METADATA_NAME.test(name))
      throw new TypeError(`metadata.${JSON.stringify(name).slice(0, 80)} must be named with a-z, 0-9 and "-".`)
    if (typeof value !== 'string') throw new TypeError(`metadata.${name} must be a string, got ${typeof value}.`)
    length += name.length + new TextEncoder().encode(value).length
  }
  if (length > MAX_METADATA_LENGTH)
    throw new TypeError(`metadata may have at most ${MAX_METADATA_LENGTH} bytes in all, got ${length}.`)
}

/** Refuse a range that counts in anything but whole bytes from the start. */
export function assertRange(range: unknown): void {
  const { offset, length } = Object(range) as { offset?: unknown; length?: unknown }
  if (!isCount(offset))
    throw new TypeError(`range.offset must be a whole number of bytes, 0 or more, got ${String(offset)}.`)
  if (!isCount(length))
    throw new TypeError(`range.length must be a whole number of bytes, 0 or more, got ${String(length)}.`)
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Make a stream of one chunk. */
export async function* onlyChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

/**
 * Pass on the chunks of a caller's stream as `take` returns them, until the signal fires.
 *
 * What the stream itself does wrong, failing or yielding anything but bytes, is thrown as a `SourceError`.
 */
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
    // A source that hangs, or has failed, is told to end; its answer is not waited for and says nothing.
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

/** Pass on chunks, showing each to `see` before. */
export async function* seenChunks(
  chunks: AsyncIterable<Uint8Array>,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    see(chunk)
    yield chunk
  }
}
