import { extensionForContentType, type ContentBlock, type MediaBlock } from '@spillway/core'
import {
  DocumentBlock,
  ImageBlock,
  JsonBlock,
  TextBlock,
  VideoBlock,
  type ToolResultContent,
} from '@strands-agents/sdk'

/** The formats that Strands has names for. For any other a provider would refuse the whole request. */
const FORMATS = {
  image: /^(?:png|jpeg|gif|webp)$/,
  video: /^(?:mkv|mov|mp4|webm|flv|mpeg|wmv|3gp)$/,
  document: /^(?:pdf|csv|docx?|xlsx?|html|txt|md|json|xml)$/,
  audio: /^$/,
} as const

/**
 * Write a block as content of a tool result: what Strands has no form for as text.
 *
 * @param toolUseId - Names documents. A provider refuses a conversation in which two documents have one name.
 */
export function blockToContent(block: ContentBlock, toolUseId: string): ToolResultContent {
  switch (block.type) {
    case 'text':
      return new TextBlock(block.text)
    case 'json':
    case 'unknown':
      return valueContent(block.value)
    case 'link':
      return new TextBlock(block.url)
    default:
      return block.data === undefined ? new TextBlock(block.url) : mediaContent(block, block.data, toolUseId)
  }
}

/** As Strands writes what tools return: an array in an object, and what is neither as text. */
function valueContent(value: unknown): ToolResultContent {
  const json = Array.isArray(value) ? { $value: value } : value
  if (typeof json !== 'object' || json === null) return new TextBlock(JSON.stringify(value) ?? 'null')
  return new JsonBlock({ json: json as JsonBlock['json'] })
}

function mediaContent({ type, mediaType }: MediaBlock, bytes: Uint8Array, toolUseId: string): ToolResultContent {
  const extension = extensionForContentType(mediaType).slice(1).replace('jpg', 'jpeg')
  if (!FORMATS[type].test(extension)) return new TextBlock(`[${type}: ${mediaType}, ${bytes.length} bytes: not shown]`)
  // It is one of those above.
  const media = { format: extension as never, source: { bytes } }
  if (type === 'image') return new ImageBlock(media)
  if (type === 'video') return new VideoBlock(media)
  // Amazon Bedrock takes hardly any other characters.
  return new DocumentBlock({ ...media, name: toolUseId.replaceAll(/[^a-z0-9-]+/gi, '-').slice(0, 200) })
}
