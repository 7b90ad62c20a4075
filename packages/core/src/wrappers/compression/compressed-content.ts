import { concatBytes } from '@spillway/text/internal'
import type { BlockCodec } from '@spillway/text/internal/engines'
import { piecesOfRange, regroupChunks } from '../../driver/regroup-chunks.ts'
import type { EntryInfo } from '../../storage/storage-driver.ts'
import type { EntryId } from '../../storage/entry-names.ts'
import { corruptError, StorageError } from '../../storage/storage-error.ts'
import type { ByteRange } from '../../storage/storage.ts'
import {
  blocksOfTail,
  BlockTable,
  decodeHint,
  decodeTail,
  encodeTail,
  findCodec,
  MIN_TAIL_BYTES,
  parseMarker,
  tailBytes,
  withoutMarker,
  type BlockHint,
  type CodecName,
  type CompressionMarker,
} from './block-table.ts'

const BATCH_BLOCKS = 16
/** Number of bytes that are first read from the end of a content. These bytes contain the table of about 500 blocks. */
const FIRST_TAIL_BYTES = 4_096
const CODECS: readonly CodecName[] = ['gzip', 'zstd']
type ReadCompressed = (range: ByteRange) => Promise<Uint8Array>

interface BlockLayout {
  readonly codec: CodecName
  readonly table: BlockTable
}

/** The last block that was read. A block with the same number in another layout is a different block. */
interface KeptBlock extends BlockLayout {
  readonly block: number
  readonly plain: Promise<Uint8Array | undefined>
}

export class CompressedContent {
  readonly #id: EntryId
  readonly #inner: EntryInfo
  readonly #marker: CompressionMarker
  readonly #hint: BlockHint | undefined
  readonly #read: ReadCompressed
  #layout: Promise<BlockLayout> | undefined
  #kept: KeptBlock | undefined

  /** @throws StorageError `corrupt` if the marker is invalid. */
  constructor(id: EntryId, info: EntryInfo, marker: string, read: ReadCompressed) {
    const parsed = parseMarker(marker)
    if (parsed === undefined) throw corruptError(id, 'its compression marker is damaged. Store the content again.')
    this.#id = id
    this.#inner = info
    this.#marker = parsed
    this.#hint = decodeHint(info.lineIndex)
    this.#read = read
  }

  /** Describe the original content. The end of the content is read only if the size is not stored elsewhere. */
  async describe(): Promise<EntryInfo> {
    const { lineIndex: _hint, ...info } = this.#inner
    const size = this.#marker.size ?? this.#hint?.table.size ?? (await this.#described()).table.size
    const lineIndex = this.#hint?.lineIndex
    const metadata = withoutMarker(info.metadata)
    const described = { ...info, contentType: this.#marker.contentType, size, metadata }
    return lineIndex === undefined ? described : { ...described, lineIndex }
  }

  async read(range?: ByteRange): Promise<Uint8Array> {
    const layout = await this.#described()
    const bytes = await this.#decompressed(layout, range)
    if (bytes !== undefined) return bytes
    // A concurrent writer may have stored another marker for the same key, so use the table in the content.
    const own = await this.#layoutOfContent()
    const again = own.table.size === layout.table.size ? await this.#decompressed(own, range) : undefined
    if (again === undefined) throw this.#corrupt()
    this.#layout = Promise.resolve(own)
    return again
  }

  #described(): Promise<BlockLayout> {
    return (this.#layout ??= this.#findLayout())
  }

  async #findLayout(): Promise<BlockLayout> {
    const { codec, size, blockBytes } = this.#marker
    if (this.#hint !== undefined) return { codec, table: this.#hint.table }
    const only = this.#inner.size - tailBytes(codec, 1)
    const single = size !== undefined && size <= blockBytes ? BlockTable.of(size, blockBytes, [only]) : undefined
    return single === undefined ? await this.#layoutOfContent() : { codec, table: single }
  }

  async #layoutOfContent(): Promise<BlockLayout> {
    const { size } = this.#inner
    const first = Math.min(size, Math.max(FIRST_TAIL_BYTES, MIN_TAIL_BYTES))
    const end = await this.#read({ offset: size - first, length: first })
    for (const codec of CODECS) {
      const blocks = blocksOfTail(codec, end)
      const length = blocks === undefined ? Infinity : tailBytes(codec, blocks)
      if (length >= size) continue
      const tail =
        length <= end.byteLength
          ? end.subarray(end.byteLength - length)
          : await this.#read({ offset: size - length, length })
      const table = decodeTail(codec, tail, size)
      if (table !== undefined) return { codec, table }
    }
    throw this.#corrupt()
  }

  async #decompressed({ codec, table }: BlockLayout, range?: ByteRange): Promise<Uint8Array | undefined> {
    const { first, end, skip, length } = piecesOfRange(table.size, table.blockBytes, range)
    if (end - first === 1) return (await this.#onlyBlock(codec, table, first))?.slice(skip, skip + length)
    let bytes: Uint8Array | undefined
    for (let block = first; block < end; block += BATCH_BLOCKS) {
      const plain = await this.#blocks(codec, table, block, Math.min(end, block + BATCH_BLOCKS))
      if (!isWhole(plain)) return undefined
      // Allocate memory only after the first bytes, because the length from the backend may be wrong.
      bytes ??= new Uint8Array(length)
      let at = (block - first) * table.blockBytes - skip
      for (const part of plain) {
        bytes.set(part.subarray(Math.max(0, -at), length - at), Math.max(0, at))
        at += part.byteLength
      }
    }
    return bytes ?? new Uint8Array(0)
  }

  /** Caches the last block, because successive small reads often need the same block. */
  #onlyBlock(codec: CodecName, table: BlockTable, block: number): Promise<Uint8Array | undefined> {
    const kept = this.#findKept(codec, table, block)
    if (kept !== undefined) return kept.plain
    const plain = this.#firstBlock(codec, table, block)
    this.#kept = { codec, table, block, plain }
    return plain
  }

  #findKept(codec: CodecName, table: BlockTable, block: number): KeptBlock | undefined {
    const kept = this.#kept
    return kept?.block === block && kept.table === table && kept.codec === codec ? kept : undefined
  }

  async #firstBlock(codec: CodecName, table: BlockTable, block: number): Promise<Uint8Array | undefined> {
    let isKept = false
    try {
      const [plain] = await this.#blocks(codec, table, block, block + 1)
      isKept = plain !== undefined
      return plain
    } finally {
      if (!isKept && this.#findKept(codec, table, block) !== undefined) this.#kept = undefined
    }
  }

  async #blocks(
    codec: CodecName,
    table: BlockTable,
    first: number,
    end: number,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    const offset = table.start(first)
    const compressed = await this.#read({ offset, length: table.start(end) - offset })
    const { decompress } = this.#codec(codec)
    const blocks = Array.from({ length: end - first }, async (_, index) => {
      const block = first + index
      const bytes = compressed.subarray(table.start(block) - offset, table.start(block + 1) - offset)
      const length = table.plainLength(block)
      const plain = await decompress(bytes, length)
      return plain?.byteLength === length ? plain : undefined
    })
    return await Promise.all(blocks)
  }

  #codec(name: CodecName): BlockCodec {
    const codec = findCodec(name)
    if (codec !== undefined) return codec
    throw new StorageError(
      'unsupported',
      'The content is compressed with Zstandard, which this runtime lacks. Use Node.js 22.15 or newer.',
    )
  }

  #corrupt(): StorageError {
    return corruptError(this.#id, 'its compressed bytes are damaged. Store the content again.')
  }
}

const isWhole = (blocks: readonly (Uint8Array | undefined)[]): blocks is readonly Uint8Array[] =>
  !blocks.includes(undefined)

const AHEAD = 2

interface CompressOptions {
  readonly name: CodecName
  readonly codec: BlockCodec
  readonly level: number
  readonly blockBytes: number
  readonly first: Uint8Array
  /** Called with the table once all blocks are compressed, before the last block is yielded. */
  readonly onTable: (table: BlockTable) => void
}

export async function* compressBlocks(
  chunks: AsyncIterable<Uint8Array>,
  { name, codec, level, blockBytes, first, onTable }: CompressOptions,
): AsyncGenerator<Uint8Array> {
  const underWay: Promise<Uint8Array>[] = []
  const lengths: number[] = []
  let size = 0
  let held: Uint8Array | undefined
  const take = async (): Promise<Uint8Array> => {
    const block = (await underWay.shift()) ?? new Uint8Array(0)
    lengths.push(block.byteLength)
    return block
  }
  for await (const block of regroupChunks(chunks, blockBytes)) {
    underWay.push(size === 0 ? Promise.resolve(first) : started(codec.compress(block, level)))
    size += block.byteLength
    if (underWay.length <= AHEAD) continue
    if (held !== undefined) yield held
    held = await take()
  }
  while (underWay.length > 0) {
    if (held !== undefined) yield held
    held = await take()
  }
  const table = BlockTable.of(size, blockBytes, lengths)
  if (held === undefined || table === undefined) throw new Error('There are no bytes to compress.')
  onTable(table)
  yield concatBytes([held, encodeTail(name, table)])
}

/** Handles the rejection of a block, in case the block is never awaited. */
function started(block: Promise<Uint8Array>): Promise<Uint8Array> {
  void Promise.allSettled([block])
  return block
}
