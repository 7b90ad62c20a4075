import {
  BoundedMap,
  concatBytes,
  StorageError,
  type EntryId,
  type NewEntryInfo,
  type WrittenEntry,
} from '@spillway/core/driver'
import type { EntryReader, FoundEntry } from './entry-reader.ts'
import { encodeMetadata, encodeSibling, type ObjectMetadata, type ObjectNames } from './object-names.ts'
import type { PutOptions, S3Bucket } from './s3-bucket.ts'
import {
  discardUpload,
  partLimits,
  uploadParts,
  type S3Uploads,
  type UnfinishedUpload,
  type UploadedPart,
} from './s3-uploads.ts'

/** Number of known entries, whose content need not be sent again. */
const MAX_KNOWN = 10_000
/** Size up to which content in memory is sent in one request. */
const WHOLE_BYTES = 64 * 1024 * 1024
const MAX_ATTEMPTS = 5
const MAX_HEADER_LENGTH = 256

interface EntryWriterOptions {
  readonly bucket: S3Bucket
  readonly uploads: S3Uploads
  readonly names: ObjectNames
  readonly reader: EntryReader
  readonly partBytes: number
  readonly conditionalPut: boolean
}

type LineIndex = (() => string | undefined) | undefined
type Described = Pick<ObjectMetadata, 'lastUsedAt' | 'lineIndex'> & { readonly description: NewEntryInfo }

export class EntryWriter {
  readonly #options: EntryWriterOptions
  readonly #known = new BoundedMap<EntryId, true>(MAX_KNOWN)

  constructor(options: EntryWriterOptions) {
    this.#options = options
  }

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: LineIndex,
  ): Promise<WrittenEntry> {
    const { partBytes } = this.#options
    const gathered = await gatherContent(chunks, { copied: partBytes, whole: Math.max(partBytes, WHOLE_BYTES) })
    const written =
      'content' in gathered
        ? await this.#writeWhole(id, gathered.content, info, lineIndex?.())
        : await this.#writeParts(id, gathered, info, lineIndex)
    this.#known.set(id, true)
    return written
  }

  async #writeWhole(
    id: EntryId,
    content: Uint8Array,
    info: NewEntryInfo,
    lineIndex: string | undefined,
  ): Promise<WrittenEntry> {
    const { reader, conditionalPut } = this.#options
    const generation = newGeneration()
    const looksFirst = !conditionalPut || this.#known.get(id) === true
    let hasPutSibling = false
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = looksFirst || attempt > 0 ? await reader.find(id) : undefined
      // An earlier request succeeded, but its answer was lost.
      if (found?.generation === generation) return { created: true, lastUsedAt: found.info.lastUsedAt }
      const described = describe(info, found, lineIndex)
      const size = content.length
      const metadata = encodeMetadata({ generation, size, hasSibling: false, ...described })
      const hasSibling = metadata['spillway-sibling'] !== undefined
      if (hasSibling) await this.#putSibling(id, generation, size, described)
      // The last attempt replaces a foreign object, which fails the condition but is not an entry.
      const ifAbsent = conditionalPut && found === undefined && attempt < MAX_ATTEMPTS - 1
      const put = await this.#put(id, generation, content, { ...putOptions(info, metadata), ifAbsent })
      if (put === undefined) {
        hasPutSibling ||= hasSibling
        continue
      }
      await this.#removeSibling(id, found)
      // The existing description may need no sibling, so remove the sibling of an earlier attempt.
      if (hasPutSibling && !hasSibling) await this.#removeSibling(id, { hasSibling: true, generation })
      return { created: found === undefined, lastUsedAt: described.lastUsedAt }
    }
    throw new StorageError('unavailable', 'Other processes keep storing and removing the same content. Try again.')
  }

  /** Puts an entry. If S3 rejects the entry, the new sibling is removed. */
  async #put(id: EntryId, generation: string, content: Uint8Array, options: PutOptions): Promise<string | undefined> {
    const { bucket, names } = this.#options
    try {
      return await bucket.put(names.entry(id), content, options)
    } catch (error) {
      const isRefused = StorageError.isInstance(error) && !error.retryable
      if (isRefused && options.metadata?.['spillway-sibling'] !== undefined)
        await Promise.allSettled([bucket.delete(names.sibling(id, generation))])
      throw error
    }
  }

  async #writeParts(
    id: EntryId,
    { begun, rest }: BegunStream,
    info: NewEntryInfo,
    lineIndex: LineIndex,
  ): Promise<WrittenEntry> {
    const { uploads, names, reader, conditionalPut, partBytes } = this.#options
    const generation = newGeneration()
    let found: FoundEntry | undefined
    let upload: UnfinishedUpload
    let described: Described
    try {
      found = await reader.find(id)
      described = describe(info, found, undefined)
      const metadata = encodeMetadata({ generation, hasSibling: true, ...described })
      upload = await uploads.start(names.entry(id), putOptions(info, metadata))
    } catch (error) {
      await Promise.allSettled([rest.return?.()])
      throw error
    }
    let parts: readonly UploadedPart[]
    try {
      const uploaded = await uploadParts(uploads, upload, continued(begun, rest), partLimits(partBytes))
      parts = uploaded.parts
      await this.#putSibling(id, generation, uploaded.size, { ...described, lineIndex: lineIndex?.() })
    } catch (error) {
      await this.#undo(id, generation, upload)
      throw error
    }
    const created = await this.#complete(id, generation, upload, parts, conditionalPut && found === undefined)
    await this.#removeSibling(id, found)
    return { created: created && found === undefined, lastUsedAt: described.lastUsedAt }
  }

  /** Returns `false` if another entry with equal content existed, which is now replaced. */
  async #complete(
    id: EntryId,
    generation: string,
    upload: UnfinishedUpload,
    parts: readonly UploadedPart[],
    ifAbsent: boolean,
  ): Promise<boolean> {
    const { uploads, reader } = this.#options
    try {
      if (await uploads.complete(upload, parts, ifAbsent)) return true
      await uploads.complete(upload, parts, false)
      return false
    } catch (error) {
      // The request may have succeeded, and only its answer been lost.
      const [outcome] = await Promise.allSettled([reader.find(id)])
      if (outcome.status === 'fulfilled' && outcome.value?.generation === generation) return true
      // Without an answer, the upload may still complete and need its sibling. `gc` removes leftovers.
      const isRefused = StorageError.isInstance(error) && !error.retryable && outcome.status === 'fulfilled'
      if (isRefused) await this.#undo(id, generation, upload)
      else await discardUpload(uploads, upload)
      throw error
    }
  }

  async #putSibling(id: EntryId, generation: string, size: number, described: Described): Promise<void> {
    const { bucket, names } = this.#options
    const content = encodeSibling({ size, description: described.description, lineIndex: described.lineIndex })
    await bucket.put(names.sibling(id, generation), content, { contentType: 'application/json' })
  }

  /** If a removal fails, the collector removes the sibling later. */
  async #removeSibling(
    id: EntryId,
    replaced: Pick<FoundEntry, 'hasSibling' | 'generation'> | undefined,
  ): Promise<void> {
    const { bucket, names } = this.#options
    if (replaced?.hasSibling === true) await Promise.allSettled([bucket.delete(names.sibling(id, replaced.generation))])
  }

  /** Removes the uploaded parts. If S3 is down, `gc` removes them later. */
  async #undo(id: EntryId, generation: string, upload: UnfinishedUpload): Promise<void> {
    const { bucket, uploads, names } = this.#options
    await Promise.allSettled([discardUpload(uploads, upload), bucket.delete(names.sibling(id, generation))])
  }
}

/** Keeps the existing description, unless it is lost, and increases the last use. */
function describe(info: NewEntryInfo, found: FoundEntry | undefined, lineIndex: string | undefined): Described {
  if (found === undefined) return { description: info, lastUsedAt: info.lastUsedAt, lineIndex }
  const lastUsedAt = Math.max(info.lastUsedAt, found.info.lastUsedAt + 1)
  return { description: found.isDescribed ? found.info : info, lastUsedAt, lineIndex }
}

function putOptions({ contentType }: NewEntryInfo, metadata: Record<string, string>): PutOptions {
  const isPlain = contentType.length <= MAX_HEADER_LENGTH && /^[!-~]+(?: [!-~]+)*$/.test(contentType)
  return { contentType: isPlain ? contentType : 'application/octet-stream', metadata }
}

const newGeneration = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16)

interface GatherLimits {
  /** Largest size of content if its chunks must be copied into one buffer. */
  readonly copied: number
  /** Largest size of content that is one buffer already. */
  readonly whole: number
}

type Gathered = { readonly content: Uint8Array } | BegunStream

/** A part of a stream that was already read. The caller must continue to read the stream, or end it. */
interface BegunStream {
  readonly begun: readonly Uint8Array[]
  readonly rest: AsyncIterator<Uint8Array>
}

/** Reads a stream to its end, or up to the limits. Adjacent chunks of the same buffer are not copied. */
export async function gatherContent(chunks: AsyncIterable<Uint8Array>, limits: GatherLimits): Promise<Gathered> {
  const rest = chunks[Symbol.asyncIterator]()
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const next = await rest.next()
    if (next.done === true) return { content: concatBytes(pieces, size) }
    if (next.value.length === 0) continue
    size += next.value.length
    append(pieces, next.value)
    if (size > (pieces.length === 1 ? limits.whole : limits.copied)) return { begun: pieces, rest }
  }
}

/** Continues a stream. If the consumer stops early, the stream is ended. */
export async function* continued(
  begun: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let done = false
  try {
    yield* begun
    for (;;) {
      // A stream that fails has ended, so assume the end.
      done = true
      const next = await rest.next()
      if (next.done === true) return
      done = false
      yield next.value
    }
  } finally {
    if (!done) await rest.return?.()
  }
}

function append(pieces: Uint8Array[], chunk: Uint8Array): void {
  const last = pieces.at(-1)
  if (last === undefined || last.buffer !== chunk.buffer || last.byteOffset + last.length !== chunk.byteOffset)
    pieces.push(chunk)
  else pieces[pieces.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + chunk.length)
}
