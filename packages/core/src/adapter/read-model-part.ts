import type { ContentBlock, MediaBlock } from '@spillway/text/internal'
import { mediaFromData, mediaFromUrl } from './media-source.ts'
import { textBlock } from './text-block.ts'

/**
 * Map a part of a model output with several parts, in the form of any version of the AI SDK; what means nothing to
 * Spillway passes through as an unknown block.
 */
export function readModelPart(part: unknown): ContentBlock {
  return (isRecord(part) ? readPart(part) : undefined) ?? { type: 'unknown', value: part }
}

function readPart(part: Readonly<Record<string, unknown>>): ContentBlock | undefined {
  const { type, text, data, url, mediaType } = part
  const name = typeof part['filename'] === 'string' ? part['filename'] : undefined
  switch (type) {
    case 'text':
      return typeof text === 'string' ? textBlock(text, { name, mediaType }) : undefined
    case 'file':
      return typeof mediaType === 'string' ? readFileData(data, mediaType, name) : undefined
    // What version 5 called media, version 6 calls file-data or image-data, and version 7 file.
    case 'media':
    case 'file-data':
    case 'image-data':
      return typeof mediaType === 'string' ? mediaFromData(mediaType, data, name) : undefined
    case 'file-url':
    case 'image-url':
      return readUrl(url, typeof mediaType === 'string' ? mediaType : type === 'image-url' ? 'image' : '', name)
    default:
      return undefined
  }
}

function readFileData(data: unknown, mediaType: string, name: string | undefined): ContentBlock | undefined {
  if (!isRecord(data)) return undefined
  switch (data['type']) {
    case 'data':
      return mediaFromData(mediaType, data['data'], name)
    case 'url':
      return readUrl(data['url'], mediaType, name)
    case 'text':
      return typeof data['text'] === 'string' ? textBlock(data['text'], { name, mediaType }) : undefined
    default:
      return undefined
  }
}

function readUrl(url: unknown, mediaType: string, name: string | undefined): MediaBlock | undefined {
  const text = url instanceof URL ? url.href : url
  return typeof text === 'string' ? mediaFromUrl(mediaType, text, name) : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
