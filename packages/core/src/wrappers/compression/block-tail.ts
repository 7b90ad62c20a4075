import { BlockTable } from './block-table.ts'
import type { CodecName } from './codecs.ts'

/**
 * What stands behind the blocks, so that content says by itself where they are: the seek table of Zstandard's seekable
 * format (an entry of two numbers of 32 bits for each block: its compressed and its plain length; then how many there are,
 * a byte of flags, and a magic number). Behind Zstandard's frames it is a skippable frame; behind members of gzip it is
 * in the extra fields of empty members, so that the whole is what `zstd -d` and `gunzip` read.
 */
const ENTRY_BYTES = 8
const FOOTER_BYTES = 9
const SEEKABLE_MAGIC = 0x8f92eab1
const SKIPPABLE_MAGIC = 0x184d2a5e
const SKIPPABLE_HEADER_BYTES = 8
/** An extra field holds up to 65,535 bytes: whole entries, and room for the footer. */
const ENTRIES_OF_MEMBER = 8_190
/** The header of a member with an extra field of one subfield, whose name is `SW`. */
const MEMBER_HEADER = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff]
const MEMBER_HEADER_BYTES = 16
/** A last block of nothing, a checksum of nothing, and a length of none. */
const MEMBER_END = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0]

/** Bytes that are enough to find out how many there are of the rest. */
export const MIN_TAIL_BYTES: number = FOOTER_BYTES + MEMBER_END.length

/** Bytes of the tail of content in so many blocks. */
export function tailBytes(codec: CodecName, blocks: number): number {
  const table = blocks * ENTRY_BYTES + FOOTER_BYTES
  if (codec === 'zstd') return SKIPPABLE_HEADER_BYTES + table
  const members = Math.floor(blocks / ENTRIES_OF_MEMBER) + 1
  return members * (MEMBER_HEADER_BYTES + MEMBER_END.length) + table
}

/** Write the tail of content. */
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

/** Read from the end of content how many blocks there are; `undefined` where that is no tail. */
export function blocksOfTail(codec: CodecName, end: Uint8Array): number | undefined {
  const view = new DataView(end.buffer, end.byteOffset, end.byteLength)
  const footer = end.byteLength - FOOTER_BYTES - (codec === 'zstd' ? 0 : MEMBER_END.length)
  if (footer < 0 || view.getUint32(footer + 5, true) !== SEEKABLE_MAGIC || view.getUint8(footer + 4) !== 0)
    return undefined
  return view.getUint32(footer, true)
}

/** Read a tail of content that has `contentBytes` with it; `undefined` where it is none, or of other content. */
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

/** Cut a seek table into what each member holds; the last one holds the footer. */
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
