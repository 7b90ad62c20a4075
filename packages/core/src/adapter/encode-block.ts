import { type ContentBlock, type MediaBlock, extensionForContentType } from '@spillway/text/internal'
import { encodeBase64 } from './media-source.ts'

/** A block as text, or as Base64 with what frameworks want to know of a file. */
export type EncodedBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: MediaBlock['type']
      readonly mediaType: string
      readonly data: string
      /** The name of the block, or one with the extension of its type, as many providers take no file without a name. */
      readonly filename: string
    }

/**
 * Write a block for a framework whose parts are texts and files: media that come as bytes become Base64, anything else
 * becomes text.
 *
 * Values become JSON, links and media by URL their URL.
 *
 * @example
 * ```ts
 * import { encodeBlock } from '@spillway/core/adapter'
 *
 * const part = encodeBlock({ type: 'document', mediaType: 'application/pdf', data: new Uint8Array([104, 105]) })
 * console.assert(part.type === 'document' && part.data === 'aGk=' && part.filename === 'content.pdf')
 * const value = encodeBlock({ type: 'json', value: [1] })
 * console.assert(value.type === 'text' && value.text === '[1]')
 * ```
 */
export function encodeBlock(block: ContentBlock): EncodedBlock {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if ('value' in block) return { type: 'text', text: JSON.stringify(block.value) ?? 'null' }
  if (block.type === 'link' || block.data === undefined) return { type: 'text', text: block.url }
  const { type, mediaType, name: filename = `content${extensionForContentType(mediaType)}` } = block
  return { type, mediaType, data: encodeBase64(block.data), filename }
}
