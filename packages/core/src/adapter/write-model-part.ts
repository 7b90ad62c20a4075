import type { ContentBlock } from '@spillway/text/internal'
import { encodeBase64 } from './media-source.ts'

/**
 * A part of a model output: the forms of versions 5, 6 and 7 of the AI SDK, with media as Base64. Not all of the versions
 * know the names and types of such parts; those that do not leave them out.
 */
export type ModelOutputPart = { filename?: string } & (
  | { type: 'text'; text: string; mediaType?: string }
  | { type: 'media'; data: string; mediaType: string }
  | { type: 'image-data' | 'file-data'; data: string; mediaType: string }
  | { type: 'file'; data: { type: 'data'; data: string }; mediaType: string }
)

/** How media are written: `media` of version 5 of the AI SDK, `file-data` and `image-data` of version 6, `file` of version 7. */
export type ModelMediaForm = 'media' | 'file-data' | 'file'

/**
 * Write a block as a part of a model output; what is neither text nor bytes becomes JSON text.
 */
export function writeModelPart(block: ContentBlock, form: ModelMediaForm): ModelOutputPart {
  const named = 'name' in block && block.name !== undefined ? { filename: block.name } : {}
  if (block.type === 'text') {
    const { type, text, mediaType } = block
    return { type, text, ...(mediaType !== undefined && { mediaType }), ...named }
  }
  if (!('data' in block) || block.data === undefined) {
    return { type: 'text', text: JSON.stringify(block.type === 'json' ? block.value : block) ?? 'null' }
  }
  const { mediaType } = block
  const data = encodeBase64(block.data)
  if (form === 'file') return { type: 'file', data: { type: 'data', data }, mediaType, ...named }
  if (form === 'media') return { type: 'media', data, mediaType, ...named }
  return { type: block.type === 'image' ? 'image-data' : 'file-data', data, mediaType, ...named }
}
