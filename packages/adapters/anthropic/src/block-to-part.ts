import type { ContentBlock } from '@spillway/core'
import { contentTypeEssence, encodeBase64 } from '@spillway/core/adapter'
import type { ResultPart } from './part-to-block.ts'

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

const textPart = (text: string): ResultPart => ({ type: 'text', text })

/**
 * Write a block as a part of a tool result.
 *
 * Of media the API takes images of four types and PDF, and refuses a request with any other: a text says what it is.
 */
export function blockToPart(block: ContentBlock): ResultPart {
  if (block.type === 'text') return textPart(block.text)
  if (block.type === 'json' || block.type === 'unknown') return textPart(JSON.stringify(block.value) ?? 'null')
  if (block.type === 'link' || block.data === undefined) return textPart(block.url)
  const { type, mediaType, data: bytes } = block
  const essence = contentTypeEssence(mediaType)
  const known = IMAGE_TYPES.find((one) => one === essence) ?? (essence === 'application/pdf' ? essence : undefined)
  if (known === undefined) return textPart(`[${type}: ${mediaType}, ${bytes.length} bytes, no type that can be shown]`)
  const data = encodeBase64(bytes)
  if (known === 'application/pdf') return { type: 'document', source: { type: 'base64', media_type: known, data } }
  return { type: 'image', source: { type: 'base64', media_type: known, data } }
}
