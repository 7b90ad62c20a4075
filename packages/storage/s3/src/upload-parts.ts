import { StorageError } from '@spillway/core/driver'
import { PartMemory } from './part-memory.ts'
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
    // Failures are looked at before the next part begins, and at the end.
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

/** Cut a stream into parts that grow. Parts that lie inside one chunk share its memory, the others are copies. */
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
    `An object of S3 has at most 10,000 parts, which ended after ${size} bytes. Set the option "partBytes" to more, or store less.`,
  )
