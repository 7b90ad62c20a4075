import type Anthropic from '@anthropic-ai/sdk'
import type { ContentBlock, JsonBlock, MediaBlock, TextBlock } from '@spillway/core'
import { contentTypeEssence, encodeBase64, mediaFromData, mediaFromUrl } from '@spillway/core/adapter'

/** A text, an image or another part of a tool result. */
export type ResultPart = Exclude<Anthropic.Beta.BetaToolResultBlockParam['content'], string | undefined>[number]

type Fields = Readonly<Record<string, unknown>>

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

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

const textPart = (text: string): ResultPart => ({ type: 'text', text })

/** The API accepts images of four types and PDF: other media are described by a text. */
export function blockToPart(block: ContentBlock): ResultPart {
  if (block.type === 'text') return textPart(block.text)
  if (block.type === 'json' || block.type === 'unknown') return textPart(JSON.stringify(block.value) ?? 'null')
  if (block.type === 'link' || block.data === undefined) return textPart(block.url)
  const { type, mediaType, data: bytes } = block
  const essence = contentTypeEssence(mediaType)
  const known = IMAGE_TYPES.find((one) => one === essence) ?? (essence === 'application/pdf' ? essence : undefined)
  if (known === undefined)
    return textPart(`[${type}: ${mediaType}, ${bytes.length} bytes, a type that cannot be shown]`)
  const data = encodeBase64(bytes)
  if (known === 'application/pdf') return { type: 'document', source: { type: 'base64', media_type: known, data } }
  return { type: 'image', source: { type: 'base64', media_type: known, data } }
}
