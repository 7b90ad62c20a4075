import type { ContentBlock } from '@spillway/core'
import { mediaFromData, mediaFromUrl } from '@spillway/core/adapter'

/** A block of a message's content, in whatever form: standard blocks of LangChain 1 and 0, and those of providers. */
export type ContentPart = string | Readonly<Record<string, unknown>>

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

/** Map a block of a message's content; what means nothing to Spillway passes through as it is. */
export function partToBlock(part: ContentPart): ContentBlock {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (part === null || typeof part !== 'object' || part['type'] === undefined) return { type: 'json', value: part }
  const { type, text } = part
  const isText = type === 'text' || type === 'text-plain' || part['source_type'] === 'text'
  if (isText && typeof text === 'string') return { type: 'text', text }
  return mediaBlock(part) ?? { type: 'unknown', value: part }
}

/** Media lie in the block itself, or one level below it: `source` of Anthropic, the block's type of OpenAI. */
function mediaBlock(part: Readonly<Record<string, unknown>>): ContentBlock | undefined {
  const { type, metadata, source, image_url: image } = part
  const fallback = typeof type === 'string' && Object.hasOwn(MEDIA_TYPES, type) ? MEDIA_TYPES[type] : undefined
  if (typeof type !== 'string' || fallback === undefined) return undefined
  const all = { ...fieldsOf(metadata), ...part, ...fieldsOf(source ?? part[type] ?? image) }
  const { format, data = all['file_data'], url = all['file_url'] ?? image } = all
  const name = [all['filename'], all['name'], all['title']].find((one) => typeof one === 'string')
  const named = all['mimeType'] ?? all['mime_type'] ?? all['media_type']
  const mediaType = typeof named === 'string' ? named : typeof format === 'string' ? `audio/${format}` : fallback
  if (source !== undefined && all['type'] === 'text' && typeof data === 'string') return { type: 'text', text: data }
  if (data !== undefined) return mediaFromData(mediaType, data, name)
  return typeof url === 'string' ? mediaFromUrl(mediaType, url, name) : undefined
}

/** Return the fields of an object. What else may stand in its place, a URL or bytes, would have a field for each character. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
  return isRecord ? (value as Record<string, unknown>) : {}
}
