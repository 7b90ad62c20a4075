import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { StorageError } from '@spillway/core/driver'
import { setTimeout as delay } from 'node:timers/promises'
import { isConflict, nextOf, statusOf, type PutOptions } from './s3-bucket.ts'
import type { S3Connection } from './s3-connection.ts'

export interface UnfinishedUpload {
  readonly key: string
  readonly uploadId: string
  readonly startedAt: number
}

export interface UploadedPart {
  readonly PartNumber: number
  readonly ETag: string
}

/** Unfinished uploads are invisible until they are completed. */
export class S3Uploads {
  readonly #connection: S3Connection

  constructor(connection: S3Connection) {
    this.#connection = connection
  }

  get #bucket(): string {
    return this.#connection.bucket
  }

  async start(key: string, { contentType, metadata }: PutOptions): Promise<UnfinishedUpload> {
    const command = new CreateMultipartUploadCommand({
      Bucket: this.#bucket,
      Key: key,
      ContentType: contentType,
      Metadata: metadata,
    })
    const { UploadId = '' } = await this.#connection.use(async (client) => client.send(command))
    return { key, uploadId: UploadId, startedAt: 0 }
  }

  async putPart({ key, uploadId }: UnfinishedUpload, number: number, content: Uint8Array): Promise<UploadedPart> {
    const where = { Bucket: this.#bucket, Key: key, UploadId: uploadId, PartNumber: number }
    const command = new UploadPartCommand({ ...where, Body: content })
    const { ETag = '' } = await this.#connection.use(async (client) => client.send(command))
    return { PartNumber: number, ETag }
  }

  /** Returns `false` if `ifAbsent` is set and the object exists. The existing object is kept. */
  async complete(upload: UnfinishedUpload, parts: readonly UploadedPart[], ifAbsent: boolean): Promise<boolean> {
    const Parts = parts.toSorted((one, other) => one.PartNumber - other.PartNumber)
    const command = new CompleteMultipartUploadCommand({
      Bucket: this.#bucket,
      Key: upload.key,
      UploadId: upload.uploadId,
      MultipartUpload: { Parts },
      IfNoneMatch: ifAbsent ? '*' : undefined,
    })
    return this.#connection.use(async (client) =>
      client.send(command).then(
        () => true,
        (error: unknown) => {
          if (ifAbsent && isConflict(error)) return false
          throw error
        },
      ),
    )
  }

  /** An upload that has ended is ignored. */
  async abort({ key, uploadId }: UnfinishedUpload): Promise<void> {
    const command = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key: key, UploadId: uploadId })
    await this.#connection.use(async (client) => client.send(command).catch(ignoreMissing))
  }

  async *list(prefix: string): AsyncGenerator<UnfinishedUpload> {
    let after: Pick<ListMultipartUploadsCommand['input'], 'KeyMarker' | 'UploadIdMarker'> | undefined = {}
    while (after !== undefined) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket: this.#bucket,
        Prefix: prefix,
        ...after,
      })
      const page = await this.#connection.use(async (client) => client.send(command))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (Key !== undefined && UploadId !== undefined)
          yield { key: Key, uploadId: UploadId, startedAt: Initiated?.getTime() ?? 0 }
      const KeyMarker = nextOf(page.IsTruncated, page.NextKeyMarker)
      after = KeyMarker === undefined ? undefined : { KeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    }
  }

  /** Returns the bytes so far and the time of the latest part, or `undefined` for an ended upload. */
  async progress({ key, uploadId }: UnfinishedUpload): Promise<{ bytes: number; latestAt: number } | undefined> {
    let bytes = 0
    let latestAt = 0
    let marker: string | undefined
    do {
      const command: ListPartsCommand = new ListPartsCommand({
        Bucket: this.#bucket,
        Key: key,
        UploadId: uploadId,
        PartNumberMarker: marker,
      })
      const page = await this.#connection.use(async (client) => client.send(command).catch(ignoreMissing))
      if (page === undefined) return undefined
      for (const { Size = 0, LastModified } of page.Parts ?? []) {
        bytes += Size
        latestAt = Math.max(latestAt, LastModified?.getTime() ?? 0)
      }
      marker = nextOf(page.IsTruncated, page.NextPartNumberMarker)
    } while (marker !== undefined)
    return { bytes, latestAt }
  }
}

/** Error codes for an upload that has ended. Ceph uses the second code for its parts. */
const MISSING: readonly string[] = ['NoSuchUpload', 'NoSuchKey']

function ignoreMissing(error: unknown): undefined {
  if (statusOf(error) === 404 && MISSING.includes((error as Error).name)) return undefined
  throw error
}

export interface PartLimits {
  readonly partBytes: number
  /** Number of parts after which the part size doubles, so that 10,000 parts can have 5 TB. */
  readonly partsOfOneSize: number
  readonly maxParts: number
  /** Number of bytes being sent at the same time. One part is always allowed, even if it is larger. */
  readonly bytesAtOnce: number
  /** If no new part is sent for this many milliseconds, the latest part is sent again as a heartbeat. */
  readonly refreshMs: number
}

export const partLimits = (partBytes: number): PartLimits => ({
  partBytes,
  partsOfOneSize: 1_000,
  maxParts: 10_000,
  bytesAtOnce: Math.max(4 * partBytes, 32 * 1024 * 1024),
  refreshMs: 900_000,
})

/**
 * Uploads a stream in parts, several at the same time. After a failure, it waits for parts that are being sent, and
 * throws the error.
 *
 * If the stream pauses, the latest part is sent again, so that the upload is not collected.
 */
export async function uploadParts(
  uploads: S3Uploads,
  upload: UnfinishedUpload,
  chunks: AsyncIterable<Uint8Array>,
  limits: PartLimits,
): Promise<{ readonly parts: readonly UploadedPart[]; readonly size: number }> {
  const parts: UploadedPart[] = []
  const failures: unknown[] = []
  const underway = new Set<Promise<void>>()
  let bytesUnderway = 0
  let latest: { readonly number: number; readonly content: Uint8Array } | undefined
  const memory = new PartMemory()
  const sending = new Set<Uint8Array>()
  const release = (content: Uint8Array | undefined): void => {
    if (content !== undefined && content !== latest?.content && !sending.has(content)) memory.give(content)
  }
  let size = 0
  const send = async (number: number, content: Uint8Array): Promise<void> => {
    bytesUnderway += content.length
    sending.add(content)
    const [sent] = await Promise.allSettled([uploads.putPart(upload, number, content)])
    bytesUnderway -= content.length
    sending.delete(content)
    release(content)
    // Failures are checked before the next part and at the end.
    if (sent.status === 'fulfilled') parts[number - 1] = sent.value
    else failures.push(sent.reason)
  }
  const begin = (number: number, content: Uint8Array): void => {
    const part = send(number, content).finally(() => underway.delete(part))
    underway.add(part)
    refresh.refresh()
  }
  const refresh = setInterval(() => {
    if (latest !== undefined && underway.size === 0) begin(latest.number, latest.content)
  }, limits.refreshMs)
  try {
    for await (const content of partsOf(chunks, limits, memory)) {
      while (underway.size > 0 && bytesUnderway + content.length > limits.bytesAtOnce) await Promise.race(underway)
      if (failures.length > 0) break
      if (latest?.number === limits.maxParts) throw tooLarge(size)
      const before = latest
      latest = { number: (before?.number ?? 0) + 1, content }
      release(before?.content)
      size += content.length
      begin(latest.number, content)
    }
  } finally {
    clearInterval(refresh)
    await Promise.all(underway)
  }
  if (failures.length > 0) throw failures[0]
  return { parts, size }
}

/** Yields parts. Parts within one chunk share its memory, and other parts are copies. */
async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  { partBytes, partsOfOneSize }: PartLimits,
  memory: PartMemory,
): AsyncGenerator<Uint8Array> {
  let number = 0
  let begun: Uint8Array | undefined
  let filled = 0
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length;) {
      const wanted = partBytes * 2 ** Math.floor(number / partsOfOneSize)
      const taken = Math.min(wanted - filled, chunk.length - at)
      const bytes = chunk.subarray(at, at + taken)
      at += taken
      if (taken < wanted) {
        begun ??= memory.take(wanted)
        begun.set(bytes, filled)
        filled += taken
        if (filled < wanted) continue
      }
      yield begun ?? bytes
      number += 1
      begun = undefined
      filled = 0
    }
  if (begun !== undefined) yield begun.subarray(0, filled)
}

const tooLarge = (size: number): StorageError =>
  new StorageError(
    'too-large',
    `An object of S3 has at most 10,000 parts, and ${size} bytes needed more. Increase the option "partBytes", or store less.`,
  )

/** Memory that is used again for parts, because new buffers would wait for garbage collection. */
class PartMemory {
  readonly #taken = new Set<Uint8Array>()
  #free: Uint8Array[] = []

  take(bytes: number): Uint8Array {
    // Drop smaller buffers, because parts only grow.
    this.#free = this.#free.filter(({ length }) => length === bytes)
    const memory = this.#free.pop() ?? new Uint8Array(bytes)
    this.#taken.add(memory)
    return memory
  }

  /** Ignores memory that was not taken here. */
  give(memory: Uint8Array): void {
    if (this.#taken.delete(memory)) this.#free.push(memory)
  }
}

const PAUSES_MS = [50, 200, 500]
/** Time limit for removing an upload: a server that takes longer counts as down. */
const PATIENCE_MS = 1_000

/** Aborts an upload repeatedly, since parts that are being sent can arrive after an abort. */
export async function discardUpload(uploads: S3Uploads, upload: UnfinishedUpload): Promise<void> {
  const startedAt = performance.now()
  for (const pause of PAUSES_MS) {
    const [gone] = await Promise.allSettled([isGone(uploads, upload)])
    if (gone.status === 'fulfilled' && gone.value) return
    // If the upload remains, the collector removes it.
    if (performance.now() - startedAt > PATIENCE_MS) return
    await delay(pause)
  }
  await Promise.allSettled([uploads.abort(upload)])
}

async function isGone(uploads: S3Uploads, upload: UnfinishedUpload): Promise<boolean> {
  await uploads.abort(upload)
  return (await uploads.progress(upload)) === undefined
}
