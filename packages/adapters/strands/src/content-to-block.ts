import { contentTypeForExtension, type ContentBlock } from '@spillway/core'
import { mediaFromData, mediaFromUrl } from '@spillway/core/adapter'
import type { ToolResultContent } from '@strands-agents/sdk'

/** Map content of a tool result; what means nothing to Spillway passes through as it is. */
export function contentToBlock(content: ToolResultContent): ContentBlock {
  return readContent(content) ?? { type: 'unknown', value: content }
}

function readContent(content: ToolResultContent): ContentBlock | undefined {
  switch (content.type) {
    case 'textBlock':
      // Whatever the types say: tools may be of classes of their own.
      return typeof content.text === 'string' ? { type: 'text', text: content.text } : undefined
    case 'jsonBlock':
      return { type: 'json', value: withoutWrapper(content.json) }
    case 'imageBlock':
    case 'videoBlock':
    case 'documentBlock':
      return readMedia(content, content.source)
    default:
      return undefined
  }
}

/** Strands puts an array into an object, as providers take no other JSON; paths should be those of what the tool returned. */
function withoutWrapper(json: unknown): unknown {
  const { $value: value } = Object(json) as { readonly $value?: unknown }
  return Array.isArray(value) && Object.keys(Object(json) as object).length === 1 ? value : json
}

/** What a source may have, of whatever content. */
interface Source {
  readonly bytes?: unknown
  readonly text?: unknown
  readonly content?: readonly { readonly text: string }[]
  readonly url?: unknown
  readonly location?: { readonly uri?: unknown }
}

function readMedia(media: { type: string; format?: string; name?: string }, source: Source): ContentBlock | undefined {
  const { type, format = 'unknown', name } = media
  const mediaType = contentTypeForExtension(format) ?? `${type.slice(0, -'Block'.length)}/${format}`
  const {
    bytes,
    content,
    text = content?.map((part) => part.text).join('\n'),
    location,
    url = location?.uri,
  } = Object(source) as Source
  if (typeof url === 'string') return mediaFromUrl(mediaType, url, name)
  return mediaFromData(mediaType, typeof text === 'string' ? new TextEncoder().encode(text) : bytes, name)
}
