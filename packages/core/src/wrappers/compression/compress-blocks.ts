import type { BlockCodec } from '@spillway/text/internal/engines'
import { regroupChunks } from '../../driver/regroup-chunks.ts'
import { encodeTail } from './block-tail.ts'
import { BlockTable } from './block-table.ts'
import type { CodecName } from './codecs.ts'

/** Blocks that are compressed while earlier ones are being written. */
const AHEAD = 2

/** How blocks are made. */
export interface CompressOptions {
  readonly name: CodecName
  readonly codec: BlockCodec
  readonly level: number
  readonly blockBytes: number
  /** The first block, compressed already. */
  readonly first: Uint8Array
  /** Called with the table once all blocks have been compressed, before the last of them is given. */
  readonly onTable: (table: BlockTable) => void
}

/** Cut content into blocks, compress each on its own, and append the table of where they are. */
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
  if (held === undefined || table === undefined) throw new Error('There were no bytes to compress.')
  onTable(table)
  yield joined(held, encodeTail(name, table))
}

/** A failure is looked at when the block is taken, and not at all where nobody takes it. */
function started(block: Promise<Uint8Array>): Promise<Uint8Array> {
  void Promise.allSettled([block])
  return block
}

function joined(block: Uint8Array, tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(block.byteLength + tail.byteLength)
  bytes.set(block)
  bytes.set(tail, block.byteLength)
  return bytes
}
