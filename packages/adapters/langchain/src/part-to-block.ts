import type { ContentBlock } from '@spillway/core'
import { mediaFromData, mediaFromUrl } from '@spillway/core/adapter'
import { mediaOfPart, textOfPart, type ContentPart } from './media-of-part.ts'

/** Map a block of a message's content; what means nothing to Spillway passes through as it is. */
export function partToBlock(part: ContentPart): ContentBlock {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (part === null || typeof part !== 'object' || part['type'] === undefined) return { type: 'json', value: part }
  const text = textOfPart(part)
  if (text !== undefined) return { type: 'text', text }
  return mediaBlock(part) ?? { type: 'unknown', value: part }
}

function mediaBlock(part: Readonly<Record<string, unknown>>): ContentBlock | undefined {
  const media = mediaOfPart(part)
  if (media === undefined) return undefined
  const { mediaType, name, data, url = '' } = media
  return data === undefined ? mediaFromUrl(mediaType, url, name) : mediaFromData(mediaType, data, name)
}
