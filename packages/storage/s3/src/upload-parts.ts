import { StorageError } from '@spillway/core'
import { regroupChunks } from '@spillway/core/driver'
import type { S3Uploads, UnfinishedUpload, UploadedPart } from './s3-uploads.ts'

/** What limits an upload in parts. */
export interface PartLimits {
  /** Bytes of the first parts. */
  readonly partBytes: number
  /** Parts of one size, after which the size doubles: so 10,000 parts reach 5 TB, and few of them are large. */
  readonly partsOfOneSize: number
  readonly maxParts: number
  /** Bytes that are on their way at the same time; one part always may be. */
  readonly bytesAtOnce: number
  /** After how many milliseconds without a new part the latest is sent again, so that the upload is known to be alive. */
  readonly refreshMs: number
}

/** What S3 allows, with the part size that was asked for. */
export const partLimits = (partBytes: number): PartLimits => ({
  partBytes,
  partsOfOneSize: 1_000,
  maxParts: 10_000,
  bytesAtOnce: Math.max(4 * partBytes, 32 * 1024 * 1024),
  refreshMs: 900_000,
})

/** What was uploaded. */
export interface UploadedContent {
  readonly parts: readonly UploadedPart[]
  readonly size: number
}

/**
 * Upload a stream in parts, a few at a time. Where anything fails, wait until nothing is on its way, and rethrow.
 *
 * While the stream pauses, the latest part is sent again from time to time: an upload that nobody adds to is collected.
 */
export async function uploadParts(
  uploads: S3Uploads,
  upload: UnfinishedUpload,
  chunks: AsyncIterable<Uint8Array>,
  limits: PartLimits,
): Promise<UploadedContent> {
  const parts: UploadedPart[] = []
  const failures: unknown[] = []
  const underway = new Set<Promise<void>>()
  let bytesUnderway = 0
  let latest: { readonly number: number; readonly content: Uint8Array } | undefined
  let size = 0
  const send = async (number: number, content: Uint8Array): Promise<void> => {
    bytesUnderway += content.length
    const [sent] = await Promise.allSettled([uploads.putPart(upload, number, content)])
    bytesUnderway -= content.length
    // Failures are looked at before the next part begins, and at the end.
    if (sent.status === 'fulfilled') parts[number - 1] = sent.value
    else failures.push(sent.reason)
  }
  const begin = (number: number, content: Uint8Array): void => {
    const sending = send(number, content).finally(() => underway.delete(sending))
    underway.add(sending)
    refresh.refresh()
  }
  const refresh = setInterval(() => {
    if (latest !== undefined && underway.size === 0) begin(latest.number, latest.content)
  }, limits.refreshMs)
  try {
    for await (const content of partsOf(chunks, limits)) {
      while (underway.size > 0 && bytesUnderway + content.length > limits.bytesAtOnce) await Promise.race(underway)
      if (failures.length > 0) break
      if (latest?.number === limits.maxParts) throw tooLarge(size)
      latest = { number: (latest?.number ?? 0) + 1, content }
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

/** Cut a stream into parts that grow. */
async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  { partBytes, partsOfOneSize }: PartLimits,
): AsyncGenerator<Uint8Array> {
  let number = 0
  let held: Uint8Array[] = []
  for await (const piece of regroupChunks(chunks, partBytes)) {
    held.push(piece)
    if (held.length < 2 ** Math.floor(number / partsOfOneSize)) continue
    yield held.length === 1 ? piece : Buffer.concat(held)
    number += 1
    held = []
  }
  if (held.length > 0) yield Buffer.concat(held)
}

const tooLarge = (size: number): StorageError =>
  new StorageError(
    'too-large',
    `An object of S3 has at most 10,000 parts, which ended after ${size} bytes. Set the option "partBytes" to more, or store less.`,
  )
