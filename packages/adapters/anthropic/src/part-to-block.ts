import type Anthropic from '@anthropic-ai/sdk'
import type { ContentBlock, JsonBlock, MediaBlock, TextBlock } from '@spillway/core'
import { mediaFromData, mediaFromUrl } from '@spillway/core/adapter'

/** A part of the content of a tool result, such as a text or an image. */
export type ResultPart = Exclude<Anthropic.Beta.BetaToolResultBlockParam['content'], string | undefined>[number]

/** Tools return what they want, whatever the types say. */
type Fields = Readonly<Record<string, unknown>>

/** Map a part of a tool result; what means nothing to Spillway, such as a file by its id, passes through as it is. */
export function partToBlock(part: ResultPart): ContentBlock {
  return readPart(Object(part) as Fields) ?? { type: 'unknown', value: part }
}

function readPart({ type, text, source, title, context, content }: Fields): ContentBlock | undefined {
  if (type === 'text') return textBlock([text])
  if (type === 'search_result') return textBlock([title, source, '', ...textsOf(content)])
  if (type === 'image') return readSource(Object(source) as Fields, 'image/*')
  const document = type === 'document' ? readSource(Object(source) as Fields, 'application/pdf') : undefined
  return document && { ...document, name: stringOf(title), context: stringOf(context) }
}

function readSource(source: Fields, fallback: string): TextBlock | JsonBlock | MediaBlock | undefined {
  const { type, data, media_type: mediaType = fallback, url, content } = source
  if (type === 'base64') return mediaFromData(String(mediaType), data)
  if (type === 'url') return typeof url === 'string' ? mediaFromUrl(fallback, url) : undefined
  if (type === 'text') return textBlock([data])
  return type === 'content' ? (textBlock(textsOf(content)) ?? { type: 'json', value: content }) : undefined
}

function textsOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content.map((part) => (Object(part) as Fields)['text']) : [content]
}

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function textBlock(lines: readonly unknown[]): TextBlock | undefined {
  return lines.every((line) => typeof line === 'string') ? { type: 'text', text: lines.join('\n') } : undefined
}
