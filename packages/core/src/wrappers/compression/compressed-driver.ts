import { contentTypeEssence } from '@spillway/text/internal'
import type { BlockCodec } from '@spillway/text/internal/engines'
import {
  type DriverContent,
  type DriverEntry,
  type DriverListOptions,
  type EntryInfo,
  type NewEntryInfo,
  type OpenEntry,
  readInfo,
  type StorageDriver,
} from '../../storage/storage-driver.ts'
import { splitId, type EntryId } from '../../storage/reference.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { ByteRange } from '../../storage/storage.ts'
import { mendCorrupt, passedOn } from '../mend-corrupt.ts'
import {
  compressedContentType,
  encodeHint,
  findCodec,
  markerText,
  parseMarker,
  withMarker,
  withoutMarker,
  type BlockTable,
  type CodecName,
} from './block-table.ts'
import { compressBlocks, CompressedContent } from './compressed-content.ts'

/** Up to this size reading the end of content for its table is cheaper than keeping that once more beside it. */
const MAX_BYTES_WITHOUT_HINT = 1_048_576
const MAX_ATTEMPTS = 5

/** How content is compressed. */
export interface CompressionSettings {
  readonly name: CodecName
  readonly codec: BlockCodec
  readonly level: number
  readonly blockBytes: number
  readonly minBytes: number
  /** The share of the first block that must be saved; 0 where that is not asked. */
  readonly minSaving: number
}

/** Compress what goes into a driver. */
export function compressedDriver(inner: StorageDriver, settings: CompressionSettings): StorageDriver {
  const driver = new CompressedDriver(inner, settings)
  const { stat, open } = inner
  return mendCorrupt({
    ...passedOn(inner, [
      'ephemeral',
      'refreshMs',
      'touchFirstBytes',
      'tellsCreated',
      'touch',
      'evict',
      'findEviction',
      'removeAll',
      'collect',
      'close',
    ]),
    computesContent: true,
    write: (id, chunks, info, lineIndex) => driver.write(id, chunks, info, lineIndex),
    read: (id, range) => driver.read(id, range),
    remove: (id) => inner.remove(id),
    list: (prefix, options) => driver.list(prefix, options),
    ...(stat === undefined ? {} : { stat: (id) => driver.stat(id) }),
    ...(open === undefined ? {} : { open: (id) => driver.open(id, open.bind(inner)) }),
  })
}

/** What a driver says of what it wrote. */
type Written = Awaited<ReturnType<StorageDriver['write']>>

/** Another entry came in the place of the one that was being read. */
class EntryReplaced extends Error {
  override readonly name = 'EntryReplaced'
}

class CompressedDriver {
  readonly #inner: StorageDriver
  readonly #settings: CompressionSettings

  constructor(inner: StorageDriver, settings: CompressionSettings) {
    this.#inner = inner
    this.#settings = settings
  }

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): ReturnType<StorageDriver['write']> {
    const settings = await this.#settingsFor(id, info)
    if (settings === undefined)
      return await this.#described(id, info, await this.#inner.write(id, chunks, info, lineIndex))
    const { name, codec, level, blockBytes } = settings
    const content = await peekContent(chunks, blockBytes)
    try {
      const first = await compressedHead(content, settings)
      if (first === undefined)
        return await this.#described(id, info, await this.#inner.write(id, content.chunks, info, lineIndex))
      let table: BlockTable | undefined
      const onTable = (made: BlockTable): void => void (table = made)
      const size = content.size === undefined ? {} : { size: content.size }
      const metadata = withMarker(info.metadata, { codec: name, contentType: info.contentType, blockBytes, ...size })
      const compressedInfo = { ...info, contentType: compressedContentType(name), metadata }
      const written = await this.#inner.write(
        id,
        compressBlocks(content.chunks, { name, codec, level, blockBytes, first, onTable }),
        compressedInfo,
        () => hintOf(table, lineIndex?.()),
      )
      return await this.#described(id, compressedInfo, written)
    } finally {
      content.release()
    }
  }

  /**
   * Pass on what was written, unless it stands beside the description of another writer, who came in between and left the
   * content as it is where this one did not, or the other way round: such an entry would be read as what it is not.
   */
  async #described(id: EntryId, info: NewEntryInfo, written: Written): Promise<Written> {
    if (this.#inner.tellsCreated !== true || typeof written !== 'object' || written.created) return written
    const present = await readInfo(this.#inner, id)
    // Where both have compressed it, the content says by itself how.
    if (present === undefined || isPlain(present) === isPlain(info)) return written
    await this.#inner.remove(id)
    const { reference } = splitId(id)
    throw new StorageError(
      'unavailable',
      `${reference} was stored in another way at the same time, compressed by one and not by the other. Store it again.`,
      { reference },
    )
  }

  /** Decide how to compress an entry; `undefined` where it is to stay as it is. */
  async #settingsFor(id: EntryId, { contentType }: NewEntryInfo): Promise<CompressionSettings | undefined> {
    // Such a driver writes content again and keeps the description that is there: what that says must stay true.
    const present = this.#inner.tellsCreated === true ? await readInfo(this.#inner, id) : undefined
    if (present === undefined) return isCompressedType(contentType) ? undefined : this.#settings
    const text = markerText(present)
    if (text === undefined) return undefined
    const marker = parseMarker(text)
    const codec = marker && findCodec(marker.codec)
    if (marker !== undefined && codec !== undefined)
      return { ...this.#settings, name: marker.codec, codec, blockBytes: marker.blockBytes, minBytes: 0, minSaving: 0 }
    await this.#inner.remove(id)
    return this.#settings
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        return range === undefined ? await this.#readWhole(id) : await this.#readRange(id, range)
      } catch (error) {
        if (!(error instanceof EntryReplaced)) throw error
      }
    }
    const { reference } = splitId(id)
    throw new StorageError('unavailable', `${reference} keeps being replaced while it is read. Try again.`, {
      reference,
    })
  }

  async #readWhole(id: EntryId): Promise<DriverContent | undefined> {
    const found = await this.#inner.read(id)
    const marker = found && markerText(found.info)
    if (found === undefined || marker === undefined) return found
    const content = new CompressedContent(id, found.info, marker, async ({ offset, length }) =>
      found.content.subarray(offset, offset + length),
    )
    return { content: await content.read(), info: await content.describe() }
  }

  async #readRange(id: EntryId, range: ByteRange): Promise<DriverContent | undefined> {
    const info = await readInfo(this.#inner, id)
    if (info === undefined) return undefined
    const marker = markerText(info)
    if (marker === undefined) {
      const found = await this.#inner.read(id, range)
      if (found !== undefined && markerText(found.info) !== undefined) throw new EntryReplaced()
      return found
    }
    const content = new CompressedContent(id, info, marker, this.#reader(id, info))
    const described = await content.describe()
    return { content: range.length === 0 ? new Uint8Array(0) : await content.read(range), info: described }
  }

  /** Read parts of an entry that was described before. What is small is read at once. */
  #reader(id: EntryId, info: EntryInfo): (range: ByteRange) => Promise<Uint8Array> {
    const read = async (range?: ByteRange): Promise<Uint8Array> => {
      const found = await this.#inner.read(id, range)
      if (found === undefined || !isSameWrite(found.info, info)) throw new EntryReplaced()
      return found.content
    }
    if (info.size > this.#settings.blockBytes) return read
    let whole: Promise<Uint8Array> | undefined
    return async ({ offset, length }) => (await (whole ??= read())).subarray(offset, offset + length)
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    const info = await readInfo(this.#inner, id)
    const marker = info && markerText(info)
    return info === undefined || marker === undefined ? info : await this.#describe(id, info, marker)
  }

  /** Describe an entry; `undefined` where it has gone. */
  async #describe(id: EntryId, info: EntryInfo, marker: string): Promise<EntryInfo | undefined> {
    try {
      return await new CompressedContent(id, info, marker, this.#reader(id, info)).describe()
    } catch (error) {
      if (error instanceof EntryReplaced) return (await this.read(id, { offset: 0, length: 0 }))?.info
      throw error
    }
  }

  async open(id: EntryId, open: (id: EntryId) => Promise<OpenEntry | undefined>): Promise<OpenEntry | undefined> {
    const entry = await open(id)
    const marker = entry && markerText(entry.info)
    if (entry === undefined || marker === undefined) return entry
    try {
      const content = new CompressedContent(id, entry.info, marker, (range) => entry.read(range))
      return { info: await content.describe(), read: (range) => content.read(range), close: () => entry.close() }
    } catch (error) {
      await Promise.allSettled([entry.close()])
      throw error
    }
  }

  async *list(prefix: string, options?: DriverListOptions): AsyncGenerator<DriverEntry> {
    for await (const { id, info } of this.#inner.list(prefix, options)) {
      const marker = markerText(info)
      const described = marker === undefined ? info : await this.#describeForList(id, info, marker)
      if (described !== undefined) yield { id, info: described }
    }
  }

  /** What is damaged is listed too, since otherwise nobody could find and remove it. */
  async #describeForList(id: EntryId, info: EntryInfo, marker: string): Promise<EntryInfo | undefined> {
    try {
      return await this.#describe(id, info, marker)
    } catch (error) {
      if (!StorageError.isInstance(error) || error.code !== 'corrupt') throw error
      return { ...info, metadata: withoutMarker(info.metadata) }
    }
  }
}

/** Compress the first block; `undefined` where that is not worth it. */
async function compressedHead(content: PeekedContent, settings: CompressionSettings): Promise<Uint8Array | undefined> {
  const { head, size } = content
  const { codec, level, minBytes, minSaving } = settings
  if (head.byteLength === 0 || (size !== undefined && size < minBytes)) return undefined
  const compressed = await codec.compress(head, level)
  const isWorthIt = minSaving === 0 || compressed.byteLength <= head.byteLength * (1 - minSaving)
  return isWorthIt ? compressed : undefined
}

const isPlain = (info: Pick<EntryInfo, 'metadata'>): boolean => markerText(info) === undefined

const isSameWrite = (one: EntryInfo, other: EntryInfo): boolean =>
  one.size === other.size && one.storedAt === other.storedAt && markerText(one) === markerText(other)

function hintOf(table: BlockTable | undefined, lineIndex: string | undefined): string | undefined {
  if (table === undefined || (table.size <= MAX_BYTES_WITHOUT_HINT && lineIndex === undefined)) return undefined
  return encodeHint(lineIndex === undefined ? { table } : { table, lineIndex })
}

/** Types whose content is compressed by their own format, beside those below. */
const COMPRESSED: ReadonlySet<string> = new Set([
  'application/epub+zip',
  'application/gzip',
  'application/java-archive',
  'application/pdf',
  'application/vnd.apache.parquet',
  'application/vnd.rar',
  'application/x-7z-compressed',
  'application/x-brotli',
  'application/x-bzip2',
  'application/x-gzip',
  'application/x-xz',
  'application/x-zip-compressed',
  'application/zip',
  'application/zstd',
  'font/woff',
  'font/woff2',
])
const FAMILIES =
  /^(?:audio|video)\/|^application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.|\+(?:zip|gzip)$/
/** Images that are not compressed, or hardly. */
const PLAIN_IMAGE = /^image\/(?:svg\+xml|bmp|x-ms-bmp|x-portable-\w+|vnd\.microsoft\.icon|x-icon)$/
const PLAIN_AUDIO = /^audio\/(?:wav|wave|x-wav|vnd\.wave)$/

/** Tell whether content of this type is compressed already, so that doing it once more would only take time. */
export function isCompressedType(contentType: string): boolean {
  const type = contentTypeEssence(contentType)
  if (PLAIN_IMAGE.test(type) || PLAIN_AUDIO.test(type)) return false
  return COMPRESSED.has(type) || FAMILIES.test(type) || type.startsWith('image/')
}

/** Content whose beginning was looked at. */
interface PeekedContent {
  /** The first bytes: as many as were asked for, or all there are. */
  readonly head: Uint8Array
  /** Bytes of the whole; absent where more is to come. */
  readonly size?: number
  /** All of it, the head too, once. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Tell the source to end where `chunks` was not read to its end. */
  release(): void
}

/** Look at the first `bytes` of some content. */
async function peekContent(chunks: AsyncIterable<Uint8Array>, bytes: number): Promise<PeekedContent> {
  const source = chunks[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let length = 0
  let isWhole = false
  // One more than is needed: where nothing follows, the size is known.
  while (!isWhole) {
    const next = await source.next()
    isWhole = next.done === true
    if (next.done === true) break
    seen.push(next.value)
    if (length >= bytes) break
    length += next.value.byteLength
  }
  const size = isWhole ? seen.reduce((sum, chunk) => sum + chunk.byteLength, 0) : undefined
  return {
    head: joinedHead(seen, bytes),
    ...(size === undefined ? {} : { size }),
    chunks: replayed(seen, isWhole, source),
    // Its answer says nothing, and a source that hangs would give none.
    release: () => void Promise.allSettled([source.return?.()]),
  }
}

async function* replayed(
  seen: Uint8Array[],
  isWhole: boolean,
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let chunk = seen.shift(); chunk !== undefined; chunk = seen.shift()) yield chunk
  if (isWhole) return
  for (;;) {
    const next = await source.next()
    if (next.done === true) return
    yield next.value
  }
}

function joinedHead(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = chunks
  if (first !== undefined && (chunks.length === 1 || first.byteLength >= bytes)) return first.subarray(0, bytes)
  const head = new Uint8Array(
    Math.min(
      bytes,
      chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0),
    ),
  )
  let at = 0
  for (const chunk of chunks) {
    const part = chunk.subarray(0, head.length - at)
    head.set(part, at)
    at += part.byteLength
  }
  return head
}
