import type { ContentBlock, MediaBlock } from '@spillway/core'
import { mediaFromData, mediaFromUrl, textBlock } from '@spillway/core/adapter'
import { mediaOfPart, originOfPart, textOfPart, type ContentPart } from './media-of-part.ts'

/** Map a block of a message's content; what means nothing to Spillway passes through as it is. */
export function partToBlock(part: ContentPart): ContentBlock {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (part === null || typeof part !== 'object' || part['type'] === undefined) return { type: 'json', value: part }
  const text = textOfPart(part)
  const origin = originOfPart(part)
  if (text !== undefined) return textBlock(text, origin)
  const media = mediaBlock(part)
  if (media === undefined) return { type: 'unknown', value: part }
  return typeof origin.context === 'string' ? { ...media, context: origin.context } : media
}

function mediaBlock(part: Readonly<Record<string, unknown>>): MediaBlock | undefined {
  const media = mediaOfPart(part)
  if (media === undefined) return undefined
  const { mediaType, name, data, url = '' } = media
  return data === undefined ? mediaFromUrl(mediaType, url, name) : mediaFromData(mediaType, data, name)
}
