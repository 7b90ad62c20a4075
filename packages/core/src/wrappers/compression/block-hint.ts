import { decodeBase64, encodeBase64 } from '@spillway/text/internal'
import { BlockTable } from './block-table.ts'

const MAGIC = 'blocks1'

/** What is kept in the place of a line index: the table of blocks, and the line index itself. */
export interface BlockHint {
  readonly table: BlockTable
  readonly lineIndex?: string
}

/** Write a hint as text: a name, the plain size, that of a block, the compressed lengths in base64, the line index. */
export function encodeHint({ table, lineIndex = '' }: BlockHint): string {
  const lengths = new Uint8Array(table.blocks * 4)
  const view = new DataView(lengths.buffer)
  for (let block = 0; block < table.blocks; block++) view.setUint32(block * 4, table.compressedLength(block), true)
  return [MAGIC, table.size, table.blockBytes, encodeBase64(lengths), lineIndex].join('.')
}

/** Read what {@link encodeHint} wrote; `undefined` for anything else. */
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
