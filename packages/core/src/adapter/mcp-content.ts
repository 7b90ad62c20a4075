import type { ContentBlock } from '@spillway/text/internal'
import { encodeBase64, mediaFromData } from './media-source.ts'
import { textBlock } from './text-block.ts'

/** A part of the content of a tool result of the Model Context Protocol that Spillway writes. */
export type McpPart =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }

/**
 * Map a part of the `content` of a tool result of the Model Context Protocol (revision 2025-06-18).
 *
 * Text, images, sound, embedded resources and links are known. What else there is, and what lacks the fields that its
 * type must have, passes through as an unknown block.
 *
 * @example
 * ```ts
 * import { readMcpPart } from '@spillway/core/adapter'
 *
 * const block = readMcpPart({ type: 'image', data: 'aGk=', mimeType: 'image/png' })
 * console.assert(block.type === 'image' && block.data?.length === 2)
 * console.assert(readMcpPart({ type: 'text' }).type === 'unknown')
 * ```
 */
export function readMcpPart(part: unknown): ContentBlock {
  return readPart(Object(part) as Fields) ?? { type: 'unknown', value: part }
}

type Fields = Readonly<Record<string, unknown>>

function readPart({ type, text, data, mimeType, resource, uri, name }: Fields): ContentBlock | undefined {
  switch (type) {
    case 'text':
      return typeof text === 'string' ? { type: 'text', text } : undefined
    case 'image':
    case 'audio':
      return mediaFromData(textOf(mimeType) ?? type, data)
    case 'resource':
      return readResource(Object(resource) as Fields)
    case 'resource_link':
      return typeof uri === 'string'
        ? { type: 'link', url: uri, name: textOf(name), mediaType: textOf(mimeType) }
        : undefined
    default:
      return undefined
  }
}

/** A resource has its content as text, or as bytes in Base64. */
function readResource({ uri, mimeType, text, blob }: Fields): ContentBlock | undefined {
  if (typeof text === 'string') return textBlock(text, { name: uri, mediaType: mimeType })
  return blob === undefined
    ? undefined
    : mediaFromData(textOf(mimeType) ?? 'application/octet-stream', blob, textOf(uri))
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * Write a block as a part of the `content` of a tool result of the Model Context Protocol.
 *
 * Videos and documents become embedded resources; values, links and media by URL become text, as some hosts refuse links
 * in results.
 *
 * @example
 * ```ts
 * import { writeMcpPart } from '@spillway/core/adapter'
 *
 * const part = writeMcpPart({ type: 'json', value: { rows: 2 } })
 * console.assert(part.type === 'text' && part.text === '{"rows":2}')
 * ```
 */
export function writeMcpPart(block: ContentBlock): McpPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'json':
    case 'unknown':
      return { type: 'text', text: JSON.stringify(block.value) ?? 'null' }
    case 'link':
      return { type: 'text', text: block.url }
    default: {
      const { type, mediaType: mimeType, name, data: bytes, url } = block
      if (bytes === undefined) return { type: 'text', text: url }
      const data = encodeBase64(bytes)
      if (type === 'image' || type === 'audio') return { type, data, mimeType }
      return {
        type: 'resource',
        resource: { uri: `file:///${encodeURIComponent(name ?? 'content')}`, mimeType, blob: data },
      }
    }
  }
}
