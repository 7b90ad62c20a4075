import type { ContentBlock } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'

/** A part of an output: the forms of version 6 and version 7, as Base64. */
export type RetrievalOutputPart =
  | { type: 'text'; text: string }
  | { type: 'image-data' | 'file-data'; data: string; mediaType: string }
  | { type: 'file'; data: { type: 'data'; data: string }; mediaType: string }

/** Write a block as a part of an output, in the form of version 6 or 7. */
export function blockToPart(block: ContentBlock, isVersion7: boolean): RetrievalOutputPart {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (!('data' in block) || block.data === undefined) {
    return { type: 'text', text: JSON.stringify(block.type === 'json' ? block.value : block) ?? 'null' }
  }
  const { mediaType } = block
  const data = encodeBase64(block.data)
  if (isVersion7) return { type: 'file', data: { type: 'data', data }, mediaType }
  return { type: block.type === 'image' ? 'image-data' : 'file-data', data, mediaType }
}
