import type { ContentBlock, MediaBlock } from '@spillway/core'
import {
  encodeBase64,
  encodeBlock,
  mediaFromData,
  mediaFromUrl,
  nameOfPart,
  textBlock,
  type TextOrigin,
} from '@spillway/core/adapter'
import type { ToolMessage } from '@langchain/core/messages'

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

/** A block of a message's content: a standard block of LangChain 1 or 0, or a block of a provider. */
export type ContentPart = string | Readonly<Record<string, unknown>>

interface PartMedia {
  /** A guess such as `image/*` if the block has no type. */
  readonly mediaType: string
  readonly name?: string | undefined
  /** Base64, or bytes. */
  readonly data?: unknown
  readonly url?: string | undefined
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  image: 'image/*',
  image_url: 'image/*',
  input_image: 'image/*',
  audio: 'audio/*',
  input_audio: 'audio/*',
  video: 'video/*',
  file: 'application/octet-stream',
  input_file: 'application/octet-stream',
  document: 'application/octet-stream',
}

/** A plain-text document has a text, like a text part. */
export function textOfPart(part: Readonly<Record<string, unknown>>): string | undefined {
  const { type, text, source_type: from, source } = part
  if ((type === 'text' || type === 'text-plain' || from === 'text') && typeof text === 'string') return text
  if (type !== 'document') return undefined
  const { type: kind, data } = fieldsOf(source)
  return kind === 'text' && typeof data === 'string' ? data : undefined
}

function originOfPart(part: Readonly<Record<string, unknown>>): TextOrigin {
  const { metadata, source } = part
  const all = { ...fieldsOf(metadata), ...part, ...fieldsOf(source) }
  const mediaType = all['mimeType'] ?? all['mime_type'] ?? all['media_type']
  return { name: nameOfPart(all), mediaType, context: all['context'] }
}

/** Media are in the block or one level deeper: in `source` for Anthropic, in a field of its type for OpenAI. */
export function mediaOfPart(part: Readonly<Record<string, unknown>>): PartMedia | undefined {
  const { type, metadata, source, image_url: image } = part
  const fallback = typeof type === 'string' && Object.hasOwn(MEDIA_TYPES, type) ? MEDIA_TYPES[type] : undefined
  if (typeof type !== 'string' || fallback === undefined) return undefined
  const all = { ...fieldsOf(metadata), ...part, ...fieldsOf(source ?? part[type] ?? image) }
  const { format, data = all['file_data'], url = all['file_url'] ?? image } = all
  const name = nameOfPart(all)
  const named = all['mimeType'] ?? all['mime_type'] ?? all['media_type']
  const mediaType = typeof named === 'string' ? named : typeof format === 'string' ? `audio/${format}` : fallback
  if (data !== undefined) return { mediaType, name, data }
  return typeof url === 'string' ? { mediaType, name, url } : undefined
}

/** Returns no fields for a string or bytes, because each of their elements would be a field. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
  return isRecord ? (value as Record<string, unknown>) : {}
}

export function blocksToContent(blocks: readonly ContentBlock[]): ToolMessage['content'] {
  const [first] = blocks
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks.map(blockToPart)
}

export function blockToPart(block: ContentBlock): Exclude<ToolMessage['content'], string>[number] {
  switch (block.type) {
    case 'text':
    case 'json':
    case 'unknown':
    case 'link':
      return encodeBlock(block)
    default:
      return mediaPart(block, block.data === undefined ? { url: block.url } : { data: encodeBase64(block.data) })
  }
}

export function mediaPart(
  { type, mediaType, name }: Pick<MediaBlock, 'type' | 'mediaType' | 'name'>,
  source: { readonly url: string } | { readonly data: string },
): Readonly<Record<string, unknown>> & { readonly type: string } {
  // The only form of an image that every provider accepts in a tool message.
  if (type === 'image') {
    const url = 'url' in source ? source.url : `data:${mediaType};base64,${source.data}`
    return { type: 'image_url', image_url: { url } }
  }
  const metadata = name === undefined ? {} : { metadata: { filename: name } }
  return { type: type === 'document' ? 'file' : type, mimeType: mediaType, ...source, ...metadata }
}
