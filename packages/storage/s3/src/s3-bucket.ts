import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type GetObjectCommandOutput,
  type HeadObjectCommandOutput,
} from '@aws-sdk/client-s3'
import { StorageError } from '@spillway/core/driver'
import type { Readable } from 'node:stream'
import type { S3Connection } from './s3-connection.ts'

const MAX_DELETED_AT_ONCE = 1_000
const DELETED_AT_ONCE = 32
const SINGLY: readonly number[] = [400, 403, 405, 501]
/** Status codes of HEAD whose explanation only a body would contain. */
const UNEXPLAINED: readonly number[] = [301, 400, 403, 404]

export interface ObjectHead {
  readonly etag: string
  readonly size: number
  readonly contentType: string | undefined
  readonly metadata: Readonly<Record<string, string>> | undefined
}

interface FetchedObject {
  readonly head: ObjectHead
  readonly content: Uint8Array
}

interface GetOptions {
  /** First and last byte of the range. */
  readonly bytes?: readonly [number, number] | undefined
  /** Read the object only if it has this entity tag. */
  readonly etag?: string | undefined
  /** Memory that the answer may be written to. */
  readonly buffer?: Uint8Array | undefined
}

export interface PutOptions {
  readonly contentType: string
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Put the object only if it does not exist. */
  readonly ifAbsent?: boolean | undefined
}

interface ListedObject {
  readonly key: string
  readonly size: number
  readonly modifiedAt: number
}

/** The objects of one bucket. Failures are explained, and missing objects are `undefined`. */
export class S3Bucket {
  readonly connection: S3Connection
  readonly #pageSize: number

  constructor(connection: S3Connection, pageSize: number) {
    this.connection = connection
    this.#pageSize = pageSize
  }

  get #bucket(): string {
    return this.connection.bucket
  }

  /** HEAD has no body, so a missing object, bucket, or server look alike. GET shows which one is missing. */
  async head(key: string): Promise<ObjectHead | undefined> {
    const answer = await this.connection.use(async (client) => {
      const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: key })
      return client.send(command).catch((error: unknown) => {
        if (UNEXPLAINED.includes(statusOf(error) ?? 0)) return undefined
        throw error
      })
    })
    // Proxies may leave out the size.
    if (answer?.ContentLength !== undefined) return headOf(answer, answer.ContentLength)
    const found = await this.get(key, { bytes: [0, 0] })
    // If an object ends before its first byte, the object is empty.
    const whole = found === 'beyond' ? await this.get(key) : found
    return whole === undefined || typeof whole === 'string' ? undefined : whole.head
  }

  /** Returns `beyond` if the object ends before the first byte, and `changed` if the entity tag differs. */
  async get(key: string, options: GetOptions = {}): Promise<FetchedObject | 'beyond' | 'changed' | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const got = await this.#getOnce(key, options)
      if (got === undefined || typeof got === 'string' || !('failure' in got)) return got
      // The client retries only failures before the first byte of the body.
      if (nameOf(got.failure) === 'TimeoutError' || attempt >= (await this.connection.maxAttempts()))
        throw this.connection.explained(got.failure)
    }
  }

  async #getOnce(
    key: string,
    { bytes, etag, buffer }: GetOptions,
  ): Promise<FetchedObject | 'beyond' | 'changed' | undefined | { readonly failure: unknown }> {
    return this.connection.use(async (client) => {
      const command = new GetObjectCommand({
        Bucket: this.#bucket,
        Key: key,
        Range: bytes && `bytes=${bytes[0]}-${bytes[1]}`,
        IfMatch: etag,
      })
      const answer = await client.send(command).catch((error: unknown) => {
        if (nameOf(error) === 'NoSuchKey') return undefined
        if (statusOf(error) === 416) return 'beyond' as const
        if (statusOf(error) === 412) return 'changed' as const
        throw error
      })
      if (answer === undefined || typeof answer === 'string') return answer
      const length = answer.ContentLength
      // A server that ignores ranges sends the whole object. The rest is dropped.
      const wanted = bytes === undefined ? Infinity : bytes[1] - bytes[0] + 1
      const ignored = bytes !== undefined && answer.ContentRange === undefined && (length ?? Infinity) > wanted
      if (ignored) discardBody(answer.Body)
      if (ignored)
        throw new StorageError('unavailable', 'The S3 server ignores ranges. Use a server that supports them.', {
          retryable: false,
        })
      const [content] = await Promise.allSettled([collectBody(answer.Body, length, buffer)])
      if (content.status === 'rejected') {
        discardBody(answer.Body)
        return { failure: content.reason }
      }
      const size = sizeOfRange(answer.ContentRange) ?? length ?? content.value.length
      return { head: headOf(answer, size), content: content.value }
    })
  }

  /** Returns the entity tag. Returns `undefined` if the object exists. */
  async put(key: string, content: Uint8Array, options: PutOptions): Promise<string | undefined> {
    const { contentType, metadata, ifAbsent } = options
    return this.connection.use(async (client) => {
      const command = new PutObjectCommand({
        Bucket: this.#bucket,
        Key: key,
        Body: content,
        ContentType: contentType,
        Metadata: metadata,
        IfNoneMatch: ifAbsent === true ? '*' : undefined,
      })
      const answer = await client.send(command).catch((error: unknown) => {
        if (ifAbsent === true && isConflict(error)) return undefined
        throw error
      })
      return answer && (answer.ETag ?? '')
    })
  }

  async delete(key: string): Promise<void> {
    await this.connection.use(async (client) =>
      client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key })),
    )
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += MAX_DELETED_AT_ONCE) {
      const some = keys.slice(start, start + MAX_DELETED_AT_ONCE)
      const Delete = { Objects: some.map((Key) => ({ Key })), Quiet: true }
      const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete })
      const answer = await this.connection.use(async (client) =>
        client.send(command).catch((error: unknown) => {
          // Some servers lack this request, or require permissions for the whole bucket.
          if (SINGLY.includes(statusOf(error) ?? 0) && nameOf(error) !== 'NoSuchBucket') return undefined
          throw error
        }),
      )
      if (answer === undefined) await this.#deleteSingly(some)
      const { Errors = [] } = answer ?? {}
      const [first] = Errors
      if (first === undefined) continue
      const reason = [first.Code, first.Message].filter(Boolean).join(' ')
      throw new StorageError(
        'unavailable',
        `S3 did not delete ${Errors.length} of ${some.length} objects of the bucket ${JSON.stringify(this.#bucket)} (${reason}). Check s3:DeleteObject and object locks, and try again.`,
        { retryable: first.Code !== 'AccessDenied' },
      )
    }
  }

  async #deleteSingly(keys: readonly string[]): Promise<void> {
    const deletions = mapAhead(keys, DELETED_AT_ONCE, (key) => this.delete(key))
    while ((await deletions.next()).done !== true);
  }

  async *list(prefix: string): AsyncGenerator<readonly ListedObject[]> {
    let token: string | undefined
    do {
      const command: ListObjectsV2Command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: prefix,
        MaxKeys: this.#pageSize,
        ContinuationToken: token,
      })
      const page = await this.connection.use(async (client) => client.send(command))
      const objects: ListedObject[] = []
      for (const { Key, Size = 0, LastModified } of page.Contents ?? [])
        if (Key !== undefined) objects.push({ key: Key, size: Size, modifiedAt: LastModified?.getTime() ?? 0 })
      yield objects
      token = nextOf(page.IsTruncated, page.NextContinuationToken)
    } while (token !== undefined)
  }
}

export const statusOf = (error: unknown): number | undefined =>
  (error as { readonly $metadata?: { readonly httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode

/** Whether a conditional write found an object, or ran at the same time as another write. */
export const isConflict = (error: unknown): boolean => statusOf(error) === 412 || statusOf(error) === 409

/** Returns `undefined` for the last page. Throws if the marker is missing, as the listing would look complete. */
export function nextOf<Marker>(isTruncated: boolean | undefined, marker: Marker | undefined): Marker | undefined {
  if (isTruncated !== true) return undefined
  if (marker !== undefined) return marker
  throw new StorageError(
    'unavailable',
    'The S3 server truncates listings without a continuation token. Use a server that supports ListObjectsV2.',
    { retryable: false },
  )
}

const nameOf = (error: unknown): string | undefined => (error instanceof Error ? error.name : undefined)

const headOf = (
  { ETag, ContentType, Metadata }: HeadObjectCommandOutput | GetObjectCommandOutput,
  size: number,
): ObjectHead => ({ etag: ETag ?? '', size, contentType: ContentType, metadata: Metadata })

function sizeOfRange(contentRange: string | undefined): number | undefined {
  const size = contentRange === undefined ? undefined : /\/(\d+)$/.exec(contentRange)?.[1]
  return size === undefined ? undefined : Number(size)
}

/**
 * Reads a body of known length into one buffer. A body that is too short is returned without padding.
 *
 * @param buffer - Memory to use, if it is large enough.
 */
async function collectBody(body: unknown, length: number | undefined, buffer?: Uint8Array): Promise<Uint8Array> {
  const chunks = (body ?? []) as AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  if (length === undefined) return collectUnannounced(chunks)
  // The memory need not be cleared, because its unwritten rest is never returned.
  const content = buffer !== undefined && buffer.length >= length ? buffer : Buffer.allocUnsafeSlow(length)
  let filled = 0
  for await (const chunk of chunks) {
    content.set(chunk.subarray(0, length - filled), filled)
    filled += Math.min(chunk.length, length - filled)
  }
  return content.subarray(0, filled)
}

/** Reads a body of unknown length, which proxies may send in chunks. */
async function collectUnannounced(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const chunk of chunks) pieces.push(chunk)
  return new Uint8Array(Buffer.concat(pieces))
}

/** Frees the connection of a body that was not read. */
function discardBody(body: unknown): void {
  ;(body as Partial<Readable> | undefined)?.destroy?.()
}

/** Maps up to `ahead` items at the same time, in order. Rejects with the first failure. */
export async function* mapAhead<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  ahead: number,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underway: Promise<Result>[] = []
  for await (const item of items) {
    const result = map(item)
    // The failure is awaited later, or ignored if an earlier call failed.
    void Promise.allSettled([result])
    underway.push(result)
    const first = underway.length < ahead ? undefined : underway.shift()
    if (first !== undefined) yield await first
  }
  for (const result of underway) yield await result
}
