import { decodeBase64, encodeBase64, parseJsonText } from '@spillway/text/internal'
import { gzip, zstd, type BlockCodec } from '@spillway/text/internal/engines'
import type { EntryInfo } from '../../storage/storage-driver.ts'
import type { Metadata } from '../../storage/storage.ts'

/** Largest size in bytes of an uncompressed block. Limits the memory of a read. */
export const MAX_BLOCK_BYTES = 16_777_216

/** Positions of compressed blocks. Content is cut into blocks of equal size, and each is compressed separately. */
export class BlockTable {
  readonly size: number
  /** Size of a block before compression, in bytes. The last block may be shorter. */
  readonly blockBytes: number
  /** Start of each compressed block, and the end of the last block. */
  readonly #starts: Float64Array

  private constructor(size: number, blockBytes: number, starts: Float64Array) {
    this.size = size
    this.blockBytes = blockBytes
    this.#starts = starts
  }

  /** Create the table from the compressed lengths of the blocks. Returns `undefined` if the lengths are impossible. */
  static of(size: number, blockBytes: number, lengths: ArrayLike<number>): BlockTable | undefined {
    if (!isCount(size) || !isBlockSize(blockBytes) || lengths.length !== Math.ceil(size / blockBytes)) return undefined
    const starts = new Float64Array(lengths.length + 1)
    for (let block = 0; block < lengths.length; block++) {
      const length = lengths[block]!
      if (!isCount(length)) return undefined
      starts[block + 1] = starts[block]! + length
    }
    return new BlockTable(size, blockBytes, starts)
  }

  get blocks(): number {
    return this.#starts.length - 1
  }

  get compressedBytes(): number {
    return this.#starts[this.blocks]!
  }

  /** Return the start of a compressed block. For the number after the last block, returns the end of the last block. */
  start(block: number): number {
    return this.#starts[block]!
  }

  compressedLength(block: number): number {
    return this.#starts[block + 1]! - this.#starts[block]!
  }

  plainLength(block: number): number {
    return Math.min(this.blockBytes, this.size - block * this.blockBytes)
  }
}

const isBlockSize = (value: unknown): value is number => isCount(value) && value <= MAX_BLOCK_BYTES
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

/**
 * The end of compressed content is the seek table of Zstandard's seekable format. Each block has an entry of two 32-bit
 * numbers: its compressed and its uncompressed length. The number of blocks, a byte of flags, and a magic number
 * follow. In Zstandard, a skippable frame contains the table. In gzip, extra fields of empty members contain it.
 */
const ENTRY_BYTES = 8
const FOOTER_BYTES = 9
const SEEKABLE_MAGIC = 0x8f92eab1
const SKIPPABLE_MAGIC = 0x184d2a5e
const SKIPPABLE_HEADER_BYTES = 8
/** Number of entries in one extra field, which has up to 65,535 bytes: whole entries and the footer. */
const ENTRIES_OF_MEMBER = 8_190
/** Header of a member with an extra field of one subfield named `SW`. */
const MEMBER_HEADER = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff]
const MEMBER_HEADER_BYTES = 16
/** End of an empty member: an empty last block, the checksum of no bytes, and the length 0. */
const MEMBER_END = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
/** Bytes that are sufficient to compute the size of the tail. */
export const MIN_TAIL_BYTES: number = FOOTER_BYTES + MEMBER_END.length

export function tailBytes(codec: CodecName, blocks: number): number {
  const table = blocks * ENTRY_BYTES + FOOTER_BYTES
  if (codec === 'zstd') return SKIPPABLE_HEADER_BYTES + table
  const members = Math.floor(blocks / ENTRIES_OF_MEMBER) + 1
  return members * (MEMBER_HEADER_BYTES + MEMBER_END.length) + table
}

export function encodeTail(codec: CodecName, table: BlockTable): Uint8Array {
  const tail = new Uint8Array(tailBytes(codec, table.blocks))
  const view = new DataView(tail.buffer)
  const seekTable = encodeSeekTable(table)
  if (codec === 'zstd') {
    view.setUint32(0, SKIPPABLE_MAGIC, true)
    view.setUint32(4, seekTable.length, true)
    tail.set(seekTable, SKIPPABLE_HEADER_BYTES)
    return tail
  }
  let at = 0
  for (const part of partsOf(seekTable, table.blocks)) {
    tail.set(MEMBER_HEADER, at)
    view.setUint16(at + 10, part.length + 4, true)
    tail.set([0x53, 0x57], at + 12)
    view.setUint16(at + 14, part.length, true)
    tail.set(part, at + MEMBER_HEADER_BYTES)
    tail.set(MEMBER_END, at + MEMBER_HEADER_BYTES + part.length)
    at += MEMBER_HEADER_BYTES + part.length + MEMBER_END.length
  }
  return tail
}

/** Read the number of blocks from the end of content. Returns `undefined` if the bytes have another format. */
export function blocksOfTail(codec: CodecName, end: Uint8Array): number | undefined {
  const view = new DataView(end.buffer, end.byteOffset, end.byteLength)
  const footer = end.byteLength - FOOTER_BYTES - (codec === 'zstd' ? 0 : MEMBER_END.length)
  if (footer < 0 || view.getUint32(footer + 5, true) !== SEEKABLE_MAGIC || view.getUint8(footer + 4) !== 0)
    return undefined
  return view.getUint32(footer, true)
}

export function decodeTail(codec: CodecName, tail: Uint8Array, contentBytes: number): BlockTable | undefined {
  const blocks = blocksOfTail(codec, tail)
  if (blocks === undefined || blocks === 0 || tail.byteLength !== tailBytes(codec, blocks)) return undefined
  const entries = codec === 'zstd' ? tail.subarray(SKIPPABLE_HEADER_BYTES) : joinedMembers(tail, blocks)
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength)
  const lengths = new Uint32Array(blocks)
  let size = 0
  for (let block = 0; block < blocks; block++) {
    lengths[block] = view.getUint32(block * ENTRY_BYTES, true)
    size += view.getUint32(block * ENTRY_BYTES + 4, true)
  }
  const table = BlockTable.of(size, view.getUint32(4, true), lengths)
  const isOfContent = table !== undefined && table.compressedBytes + tail.byteLength === contentBytes
  if (!isOfContent || !same(encodeTail(codec, table), tail)) return undefined
  return table
}

function encodeSeekTable(table: BlockTable): Uint8Array {
  const bytes = new Uint8Array(table.blocks * ENTRY_BYTES + FOOTER_BYTES)
  const view = new DataView(bytes.buffer)
  for (let block = 0; block < table.blocks; block++) {
    view.setUint32(block * ENTRY_BYTES, table.compressedLength(block), true)
    view.setUint32(block * ENTRY_BYTES + 4, table.plainLength(block), true)
  }
  const footer = table.blocks * ENTRY_BYTES
  view.setUint32(footer, table.blocks, true)
  view.setUint32(footer + 5, SEEKABLE_MAGIC, true)
  return bytes
}

function partsOf(seekTable: Uint8Array, blocks: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  const most = ENTRIES_OF_MEMBER * ENTRY_BYTES
  const last = Math.floor(blocks / ENTRIES_OF_MEMBER)
  for (let part = 0; part < last; part++) parts.push(seekTable.subarray(part * most, (part + 1) * most))
  parts.push(seekTable.subarray(last * most))
  return parts
}

function joinedMembers(tail: Uint8Array, blocks: number): Uint8Array {
  const joined = new Uint8Array(blocks * ENTRY_BYTES + FOOTER_BYTES)
  let at = MEMBER_HEADER_BYTES
  let filled = 0
  for (const { length } of partsOf(joined, blocks)) {
    joined.set(tail.subarray(at, at + length), filled)
    filled += length
    at += length + MEMBER_END.length + MEMBER_HEADER_BYTES
  }
  return joined
}

const same = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

const MAGIC = 'blocks1'

/** The text stored as the line index of compressed content: the table of blocks and the real line index. */
export interface BlockHint {
  readonly table: BlockTable
  readonly lineIndex?: string
}

/** Encode a hint as text: name, uncompressed size, block size, compressed lengths in base64, line index. */
export function encodeHint({ table, lineIndex = '' }: BlockHint): string {
  const lengths = new Uint8Array(table.blocks * 4)
  const view = new DataView(lengths.buffer)
  for (let block = 0; block < table.blocks; block++) view.setUint32(block * 4, table.compressedLength(block), true)
  return [MAGIC, table.size, table.blockBytes, encodeBase64(lengths), lineIndex].join('.')
}

export function decodeHint(text: string | undefined): BlockHint | undefined {
  const [magic, size, blockBytes, base64, ...rest] = text?.split('.') ?? []
  if (magic !== MAGIC || base64 === undefined) return undefined
  const bytes = decodeBase64(base64)
  if (bytes === undefined || bytes.length % 4 !== 0) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lengths = Array.from({ length: bytes.length / 4 }, (_, block) => view.getUint32(block * 4, true))
  const table = BlockTable.of(Number(size), Number(blockBytes), lengths)
  const lineIndex = rest.join('.')
  if (table === undefined) return undefined
  return lineIndex === '' ? { table } : { table, lineIndex }
}

/** Name of the marker in the metadata. Callers cannot use this name, because their names have no dot. */
const NAME = 'spillway.compressed'

/** Metadata of a compressed entry. The marker is known before the content is written. */
export interface CompressionMarker {
  readonly codec: CodecName
  readonly contentType: string
  readonly blockBytes: number
  /** Size of the uncompressed content, in bytes. Absent if the size was unknown at the start. */
  readonly size?: number
}

export function withMarker(metadata: Metadata, { codec, contentType, blockBytes, size }: CompressionMarker): Metadata {
  return { ...metadata, [NAME]: JSON.stringify({ codec, contentType, blockBytes, size }) }
}

/** Return the text of an entry's marker. Returns `undefined` for uncompressed entries. */
export const markerText = ({ metadata }: Pick<EntryInfo, 'metadata'>): string | undefined => metadata[NAME]

/** Parse a marker. Returns `undefined` if the marker is damaged, from a later version, or has too large blocks. */
export function parseMarker(text: string): CompressionMarker | undefined {
  const { codec, contentType, blockBytes, size } = Object(parseJsonText(text)) as Readonly<Record<string, unknown>>
  if (!isCodecName(codec) || typeof contentType !== 'string' || !isBlockSize(blockBytes)) return undefined
  if (size === undefined) return { codec, contentType, blockBytes }
  return isCount(size) ? { codec, contentType, blockBytes, size } : undefined
}

export function withoutMarker({ [NAME]: _marker, ...metadata }: Metadata): Metadata {
  return metadata
}

export type CodecName = 'gzip' | 'zstd'
const CONTENT_TYPES: Readonly<Record<CodecName, string>> = { gzip: 'application/gzip', zstd: 'application/zstd' }
/** Return a codec, or `undefined` if the runtime lacks it. */
export const findCodec = (name: CodecName): BlockCodec | undefined => (name === 'gzip' ? gzip : zstd)
export const compressedContentType = (name: CodecName): string => CONTENT_TYPES[name]
const isCodecName = (value: unknown): value is CodecName => value === 'gzip' || value === 'zstd'
