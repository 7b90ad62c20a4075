import { indentJson, type ContentBlock } from '@spillway/text/internal'
import { encodeBlock, mediaFromData, nameOfPart, textBlock } from '../content/media-source.ts'
import { writeModelOutput, writeModelPart, type ModelMediaForm, type ModelOutput } from './model-output.ts'

/** A part of an MCP tool result. */
export type McpPart =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }

/** Read a part of an MCP tool result (revision 2025-06-18). Invalid and unknown parts become unknown blocks. */
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

function readResource({ uri, mimeType, text, blob }: Fields): ContentBlock | undefined {
  if (typeof text === 'string') return textBlock(text, { name: uri, mediaType: mimeType })
  return blob === undefined
    ? undefined
    : mediaFromData(textOf(mimeType) ?? 'application/octet-stream', blob, textOf(uri))
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Write a block as a part of an MCP tool result. Some hosts refuse links, so links and URLs become text. */
export function writeMcpPart(block: ContentBlock): McpPart {
  const encoded = encodeBlock(block)
  if (encoded.type === 'text') return encoded
  const { type, mediaType: mimeType, data } = encoded
  if (type === 'image' || type === 'audio') return { type, data, mimeType }
  const { name = 'content' } = block as { readonly name?: string | undefined }
  return { type: 'resource', resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType, blob: data } }
}

/** The parts of an MCP tool result. */
export interface McpResult {
  /** At least one part. {@link readMcpPart} can read each part. */
  readonly parts: readonly unknown[]
  readonly isError: boolean
}

const KEYS: readonly string[] = ['content', 'isError', '_meta']

/** Read an MCP tool result `{ content: [...] }`, which a framework passes as a value; `undefined` for other values. */
export function readMcpResult(value: unknown): McpResult | undefined {
  const { content: parts, isError } = Object(value) as { readonly content?: unknown; readonly isError?: unknown }
  if (!Array.isArray(parts) || parts.length === 0) return undefined
  if (Object.keys(value as object).some((key) => !KEYS.includes(key))) return undefined
  if (parts.some((part) => readMcpPart(part).type === 'unknown')) return undefined
  return { parts, isError: isError === true }
}

/**
 * Convert an MCP tool result, which a framework passes as a value, to a model output; `undefined` for any other value.
 *
 * Several parts stay separate. The parts of an error become one text. Structured content comes last, as indented JSON.
 */
export function mcpModelOutput(value: unknown, form: ModelMediaForm): ModelOutput | undefined {
  if (typeof value !== 'object' || value === null || !('content' in value)) return undefined
  const { structuredContent, ...others } = value as { readonly structuredContent?: unknown }
  const result = readMcpResult(others)
  if (result === undefined) return undefined
  const blocks: ContentBlock[] = result.parts.map(readMcpPart)
  if (structuredContent !== undefined) {
    const text = jsonOf(structuredContent)
    if (text === undefined) return undefined
    blocks.push({ type: 'text', text })
  }
  const { isError } = result
  // An output of one text has no field for a name, so a text with a name stays a part.
  const isUnnamed = blocks.length === 1 && nameOfPart(blocks[0]) === undefined
  if (isError || isUnnamed) return writeModelOutput(blocks, { isError, form })
  return { type: 'content', value: blocks.map((block) => writeModelPart(block, form)) }
}

/** Write a value as indented JSON. Returns `undefined` for a value that cannot be written. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return indentJson(value)
  } catch (error) {
    // The value is nested too deeply, or its text is too long for a string.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
