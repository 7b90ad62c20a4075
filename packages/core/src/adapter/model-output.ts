import type { ContentBlock, MediaBlock } from '@spillway/text/internal'
import { encodeBase64, mediaFromData, mediaFromUrl, textBlock } from '../content/media-source.ts'

/** An output for the model of the AI SDK, as JSON. */
export type ModelOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: ModelOutputPart[] }

/** Write blocks as a model output: one text, or parts if there are media. Parts cannot be marked as an error. */
export function writeModelOutput(
  blocks: readonly ContentBlock[],
  { isError, form }: { readonly isError: boolean; readonly form: ModelMediaForm },
): ModelOutput {
  const parts = blocks.map((block) => writeModelPart(block, form))
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []))
  if (texts.length < parts.length) return { type: 'content', value: parts }
  return { type: isError ? 'error-text' : 'text', value: texts.join('\n') }
}

/** Read a part of a model output of any version of the AI SDK. Unknown parts become unknown blocks. */
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
    // `media` of version 5 is `file-data` or `image-data` in version 6, and `file` in version 7.
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

/** A part of a model output for version 5, 6 or 7 of the AI SDK, which ignore unknown fields. */
export type ModelOutputPart = { filename?: string } & (
  | { type: 'text'; text: string; mediaType?: string }
  | { type: 'media'; data: string; mediaType: string }
  | { type: 'image-data' | 'file-data'; data: string; mediaType: string }
  | { type: 'file'; data: { type: 'data'; data: string }; mediaType: string }
)

/** The form of media in version 5 (`media`), 6 (`file-data`, `image-data`) and 7 (`file`) of the AI SDK. */
export type ModelMediaForm = 'media' | 'file-data' | 'file'

/** Write a block as a part of a model output. A block without text or bytes becomes JSON. */
export function writeModelPart(block: ContentBlock, form: ModelMediaForm): ModelOutputPart {
  const named = 'name' in block && block.name !== undefined ? { filename: block.name } : {}
  if (block.type === 'text') {
    const { type, text, mediaType } = block
    return { type, text, ...(mediaType !== undefined && { mediaType }), ...named }
  }
  if (!('data' in block) || block.data === undefined) {
    return { type: 'text', text: JSON.stringify(block.type === 'json' ? block.value : block) ?? 'null' }
  }
  const { mediaType } = block
  const data = encodeBase64(block.data)
  if (form === 'file') return { type: 'file', data: { type: 'data', data }, mediaType, ...named }
  if (form === 'media') return { type: 'media', data, mediaType, ...named }
  return { type: block.type === 'image' ? 'image-data' : 'file-data', data, mediaType, ...named }
}
