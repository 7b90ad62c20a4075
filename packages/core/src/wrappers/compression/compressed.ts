import { concatBytes, contentTypeEssence, copyBytes } from '@spillway/text/internal'
import type { BlockCodec } from '@spillway/text/internal/engines'
import type { CompleteDriver, EntryInfo, NewEntryInfo, OpenEntry, WrittenEntry } from '../../storage/storage-driver.ts'
import { splitId, type EntryId } from '../../storage/entry-names.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { ByteRange } from '../../storage/storage.ts'
import { wrappedDriver } from '../wrapped-driver.ts'
import {
  compressedContentType,
  MAX_BLOCK_BYTES,
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
import { assertKnownOptions, assertWhole, shown } from '../../storage/storage-input.ts'
import { wrapStorage, type ManagedStorage } from '../../storage/managed-storage.ts'

const NAMES: readonly (keyof CompressedOptions)[] = ['codec', 'level', 'blockBytes', 'minBytes', 'minSaving']
const DEFAULT_LEVEL = 3
const MAX_LEVEL: Readonly<Record<CodecName, number>> = { gzip: 9, zstd: 22 }
const DEFAULT_BLOCK_BYTES = 262_144
const MIN_BLOCK_BYTES = 4_096
const DEFAULT_MIN_BYTES = 4_096
const DEFAULT_MIN_SAVING = 0.1

/** Options of {@link compressed}. */
export interface CompressedOptions {
  /**
   * Compression of new content: `gzip` works everywhere. `zstd` is faster and smaller, but every reader needs Node.js
   * 22.15. `auto` means `zstd` if available. Defaults to `gzip`.
   */
  readonly codec?: CodecName | 'auto' | undefined
  /** Compression level from 1, the fastest, to 9 (gzip) or 22 (zstd). Defaults to 3. Browsers ignore the level. */
  readonly level?: number | undefined
  /** Number of bytes that are compressed and read together, from 4 KiB to 16 MiB. Defaults to 256 KiB. */
  readonly blockBytes?: number | undefined
  /** Content with fewer bytes is not compressed. Defaults to 4,096. */
  readonly minBytes?: number | undefined
  /**
   * Smallest share that compression must save in the first block. If compression saves less, content is not compressed.
   * Defaults to 0.1. With 0, content is always compressed, unless its type is already compressed.
   */
  readonly minSaving?: number | undefined
}

/**
 * Compress the content of a storage in blocks, so that a part of it can be read without the rest.
 *
 * Content is not compressed if it is small, has a compressed type (`image/png`, `application/zip`, …), or would save
 * less than a tenth. Existing content can still be read.
 *
 * Settings, references and scopes are the same as in `storage`. `maxBytes` counts uncompressed bytes. `locate` is
 * missing, because a shell would read compressed bytes. Closing the result closes `storage`. Do not use `storage`
 * directly.
 *
 * @param storage - A storage of a Spillway backend or `createStorage`. This storage may be encrypted.
 * @throws TypeError for other storages, scopes, compressed storages, and invalid options.
 * @example
 * ```ts
 * import { compressed } from '@spillway/core/wrappers'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = compressed(new InMemoryStorage())
 * const log = new TextEncoder().encode('GET /health 200\n'.repeat(10_000))
 * const reference = await storage.store('call_1_0', log)
 * const { content, size } = await storage.retrieveRange(reference, { offset: 16, length: 15 })
 * console.assert(size === 160_000 && new TextDecoder().decode(content) === 'GET /health 200')
 * ```
 */
export function compressed(storage: ManagedStorage, options: CompressedOptions = {}): ManagedStorage {
  const settings = settingsOf(options)
  return wrapStorage(storage, 'compressed', (driver) => compressedDriver(driver, settings))
}

function settingsOf(options: CompressedOptions): CompressionSettings {
  assertKnownOptions(options, NAMES, 'compressed()')
  const { blockBytes = DEFAULT_BLOCK_BYTES, minBytes = DEFAULT_MIN_BYTES, level = DEFAULT_LEVEL } = options
  const { minSaving = DEFAULT_MIN_SAVING } = options
  const name = codecName(options.codec)
  const codec = findCodec(name)
  if (codec === undefined)
    throw new TypeError(
      "codec 'zstd' needs Node.js 22.15 or newer. Use 'gzip', or 'auto' for the best available codec.",
    )
  assertWhole(`level of ${name}`, level, 1, MAX_LEVEL[name])
  assertWhole('blockBytes', blockBytes, MIN_BLOCK_BYTES, MAX_BLOCK_BYTES)
  assertWhole('minBytes', minBytes, 0)
  if (typeof minSaving !== 'number' || !(minSaving >= 0 && minSaving < 1))
    throw new TypeError(`minSaving must be a number from 0 to below 1, got ${shown(minSaving)}.`)
  return { name, codec, level, blockBytes, minBytes, minSaving }
}

function codecName(codec: unknown = 'gzip'): CodecName {
  if (codec === 'gzip' || codec === 'zstd') return codec
  if (codec === 'auto') return findCodec('zstd') === undefined ? 'gzip' : 'zstd'
  throw new TypeError(`codec must be 'gzip', 'zstd' or 'auto', got ${shown(codec)}.`)
}

/** Up to this size in bytes, the table is read from the content, which is cheaper than storing a second copy. */
const MAX_BYTES_WITHOUT_HINT = 1_048_576

export interface CompressionSettings {
  readonly name: CodecName
  readonly codec: BlockCodec
  readonly level: number
  readonly blockBytes: number
  readonly minBytes: number
  /** Smallest share that compression must save in the first block. 0 means no minimum. */
  readonly minSaving: number
}

export function compressedDriver(inner: CompleteDriver, ownSettings: CompressionSettings): CompleteDriver {
  /** Check the stored description. If a concurrent writer used another compression, remove the entry and reject. */
  const checked = async (id: EntryId, info: NewEntryInfo, written: WrittenEntry): Promise<WrittenEntry> => {
    if (!inner.tellsCreated || written.created) return written
    const present = await inner.stat(id)
    // If both writers compressed the content, the content itself has the table.
    if (present === undefined || isPlain(present) === isPlain(info)) return written
    await inner.remove(id)
    const { reference } = splitId(id)
    throw new StorageError(
      'unavailable',
      `${reference} was stored twice at the same time, compressed and uncompressed. Store it again.`,
      { reference },
    )
  }

  const settingsFor = async (id: EntryId, { contentType }: NewEntryInfo): Promise<CompressionSettings | undefined> => {
    // A driver with `tellsCreated` replaces the content but keeps the description, which must match the new content.
    const present = inner.tellsCreated ? await inner.stat(id) : undefined
    if (present === undefined) return isCompressedType(contentType) ? undefined : ownSettings
    const text = markerText(present)
    if (text === undefined) return undefined
    const marker = parseMarker(text)
    const codec = marker && findCodec(marker.codec)
    if (marker !== undefined && codec !== undefined)
      return { ...ownSettings, name: marker.codec, codec, blockBytes: marker.blockBytes, minBytes: 0, minSaving: 0 }
    await inner.remove(id)
    return ownSettings
  }

  const describe = async (id: EntryId, info: EntryInfo, marker: string): Promise<EntryInfo | undefined> => {
    let isGone = false
    const read = async (range: ByteRange): Promise<Uint8Array> => {
      const found = await inner.read(id, range)
      isGone = found === undefined
      return found?.content ?? new Uint8Array(0)
    }
    try {
      return await new CompressedContent(id, info, marker, read).describe()
    } catch (error) {
      if (isGone) return undefined
      throw error
    }
  }

  /** Damaged entries are listed, too, so that they can be found and removed. */
  const describeForList = async (id: EntryId, info: EntryInfo, marker: string): Promise<EntryInfo | undefined> => {
    try {
      return await describe(id, info, marker)
    } catch (error) {
      if (!StorageError.isInstance(error) || error.code !== 'corrupt') throw error
      return { ...info, metadata: withoutMarker(info.metadata) }
    }
  }

  const open = async (id: EntryId): Promise<OpenEntry | undefined> => {
    const entry = await inner.open(id)
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

  const coded: CompleteDriver = {
    ...inner,
    open,

    async write(id, chunks, info, lineIndex) {
      const settings = await settingsFor(id, info)
      if (settings === undefined) return await checked(id, info, await inner.write(id, chunks, info, lineIndex))
      const { name, codec, level, blockBytes } = settings
      const content = await peekContent(chunks, blockBytes)
      try {
        const first = await compressedHead(content, settings)
        if (first === undefined) return await checked(id, info, await inner.write(id, content.chunks, info, lineIndex))
        let table: BlockTable | undefined
        const onTable = (made: BlockTable): void => void (table = made)
        const size = content.size === undefined ? {} : { size: content.size }
        const metadata = withMarker(info.metadata, { codec: name, contentType: info.contentType, blockBytes, ...size })
        const compressedInfo = { ...info, contentType: compressedContentType(name), metadata }
        const blocks = compressBlocks(content.chunks, { name, codec, level, blockBytes, first, onTable })
        const written = await inner.write(id, blocks, compressedInfo, () => hintOf(table, lineIndex?.()))
        return await checked(id, compressedInfo, written)
      } finally {
        content.release()
      }
    },

    async read(id, range) {
      if (range === undefined) {
        const found = await inner.read(id)
        const marker = found && markerText(found.info)
        if (found === undefined || marker === undefined) return found
        const content = new CompressedContent(id, found.info, marker, async ({ offset, length }) =>
          found.content.subarray(offset, offset + length),
        )
        return { content: await content.read(), info: await content.describe() }
      }
      const entry = await open(id)
      if (entry === undefined) return undefined
      try {
        return { content: copyBytes(await entry.read(range)), info: entry.info }
      } finally {
        await entry.close()
      }
    },

    async stat(id) {
      const info = await inner.stat(id)
      const marker = info && markerText(info)
      return info === undefined || marker === undefined ? info : await describe(id, info, marker)
    },

    async *list(prefix, options) {
      for await (const { id, info } of inner.list(prefix, options)) {
        const marker = markerText(info)
        const described = marker === undefined ? info : await describeForList(id, info, marker)
        if (described !== undefined) yield { id, info: described }
      }
    },
  }
  return wrappedDriver(coded, 'compressed')
}

/** Compress the first block. Returns `undefined` if compression saves too little. */
async function compressedHead(content: PeekedContent, settings: CompressionSettings): Promise<Uint8Array | undefined> {
  const { head, size } = content
  const { codec, level, minBytes, minSaving } = settings
  if (head.byteLength === 0 || (size !== undefined && size < minBytes)) return undefined
  const compressed = await codec.compress(head, level)
  const isWorthIt = minSaving === 0 || compressed.byteLength <= head.byteLength * (1 - minSaving)
  return isWorthIt ? compressed : undefined
}

const isPlain = (info: Pick<EntryInfo, 'metadata'>): boolean => markerText(info) === undefined

function hintOf(table: BlockTable | undefined, lineIndex: string | undefined): string | undefined {
  if (table === undefined || (table.size <= MAX_BYTES_WITHOUT_HINT && lineIndex === undefined)) return undefined
  return encodeHint(lineIndex === undefined ? { table } : { table, lineIndex })
}

/** Types that are already compressed, in addition to the patterns. */
const COMPRESSED: ReadonlySet<string> = new Set(
  (
    'epub+zip gzip java-archive pdf vnd.apache.parquet vnd.rar x-7z-compressed x-brotli x-bzip2 x-gzip x-xz ' +
    'x-zip-compressed zip zstd'
  )
    .split(' ')
    .map((subtype) => `application/${subtype}`),
)
const FAMILIES =
  /^(?:audio|video)\/|^font\/woff2?$|^application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.|\+(?:zip|gzip)$/
const PLAIN_IMAGE = /^image\/(?:svg\+xml|bmp|x-ms-bmp|x-portable-\w+|vnd\.microsoft\.icon|x-icon)$/
const PLAIN_AUDIO = /^audio\/(?:wav|wave|x-wav|vnd\.wave)$/

export function isCompressedType(contentType: string): boolean {
  const type = contentTypeEssence(contentType)
  if (PLAIN_IMAGE.test(type) || PLAIN_AUDIO.test(type)) return false
  return COMPRESSED.has(type) || FAMILIES.test(type) || type.startsWith('image/')
}

interface PeekedContent {
  readonly head: Uint8Array
  /** Bytes of the whole content. Absent if more bytes follow. */
  readonly size?: number
  /** The whole content, including its start. The chunks can be read once. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Close the stream if `chunks` was not read to its end. */
  release(): void
}

async function peekContent(chunks: AsyncIterable<Uint8Array>, bytes: number): Promise<PeekedContent> {
  const source = chunks[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let length = 0
  let isWhole = false
  // One chunk more than needed is read. If the content has ended, the size is known.
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
    head: concatBytes(seen).subarray(0, bytes),
    ...(size === undefined ? {} : { size }),
    chunks: replayed(seen, isWhole, source),
    // The end of the source is not awaited, because a source that hangs would never answer.
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
