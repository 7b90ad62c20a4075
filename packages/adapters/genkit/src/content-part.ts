import type { ContentBlock } from '@spillway/core'
import { encodeBase64, mediaFromUrl, nameOfPart, textBlock } from '@spillway/core/adapter'
import type { Part } from 'genkit'

/** Map a part of a tool's content; what means nothing to Spillway passes through as it is. */
export function readPart(part: Part): ContentBlock {
  const { text, media, data, resource, metadata } = Object(part) as Part
  const name = nameOfPart(metadata)
  const { contentType = metadata?.['mimeType'], context } = Object(metadata) as Readonly<Record<string, unknown>>
  if (typeof text === 'string') return textBlock(text, { name, mediaType: contentType, context })
  if (typeof resource?.uri === 'string') return { type: 'link', url: resource.uri }
  if (data !== undefined) return { type: 'json', value: data }
  const block = typeof media?.url === 'string' ? mediaFromUrl(media.contentType ?? '', media.url, name) : undefined
  return block ?? { type: 'unknown', value: part }
}

/** Write a block as a part of a tool's content; what is neither text nor bytes becomes data. */
export function writePart(block: ContentBlock): Part {
  if (block.type === 'text') return { text: block.text }
  if (!('data' in block) || block.data === undefined) return { data: block.type === 'json' ? block.value : block }
  const { mediaType: contentType, data } = block
  return { media: { url: `data:${contentType};base64,${encodeBase64(data)}`, contentType } }
}
