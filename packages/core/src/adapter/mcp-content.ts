import { indentJson, type ContentBlock } from '@spillway/text/internal'
import { encodeBase64, mediaFromData, nameOfPart, textBlock } from './media-source.ts'
import { writeModelOutput, writeModelPart, type ModelMediaForm, type ModelOutput } from './model-output.ts'

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

/** What a tool of an MCP server returned, in its parts. */
export interface McpResult {
  /** At least one, each of which {@link readMcpPart} maps to a block that means something. */
  readonly parts: readonly unknown[]
  readonly isError: boolean
}

const KEYS: readonly string[] = ['content', 'isError', '_meta']

/**
 * Read the result of a tool of an MCP server, where a framework hands it on as a value, `{ content: [...] }`.
 *
 * Returns `undefined` for any other value, also for one with `structuredContent`, which says the same once more.
 *
 * @example
 * ```ts
 * import { readMcpResult } from '@spillway/core/adapter'
 *
 * const result = readMcpResult({ content: [{ type: 'text', text: 'no such file' }], isError: true })
 * console.assert(result?.parts.length === 1 && result.isError)
 * console.assert(readMcpResult({ content: 'a value of its own' }) === undefined)
 * ```
 */
export function readMcpResult(value: unknown): McpResult | undefined {
  const { content: parts, isError } = Object(value) as { readonly content?: unknown; readonly isError?: unknown }
  if (!Array.isArray(parts) || parts.length === 0) return undefined
  if (Object.keys(value as object).some((key) => !KEYS.includes(key))) return undefined
  if (parts.some((part) => readMcpPart(part).type === 'unknown')) return undefined
  return { parts, isError: isError === true }
}

/**
 * Write the result of a tool of an MCP server, which a framework hands on as a value, as what `toModelOutput` returns.
 *
 * Several parts stay apart, so that each is stored by itself; those of an error become one text, which has its mark.
 * Structured content comes last, as indented JSON. Returns `undefined` for any other value, and where JSON cannot express
 * the structured content.
 *
 * @param form - How media are written; see {@link writeModelPart}.
 *
 * @example
 * ```ts
 * import { mcpModelOutput } from '@spillway/core/adapter'
 *
 * const output = mcpModelOutput({ content: [{ type: 'text', text: 'no such file' }], isError: true }, 'file-data')
 * console.assert(output?.type === 'error-text' && output.value === 'no such file')
 * console.assert(mcpModelOutput({ users: 2 }, 'file-data') === undefined)
 * ```
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
  // One text alone has no place for its name.
  const isUnnamed = blocks.length === 1 && nameOfPart(blocks[0]) === undefined
  if (isError || isUnnamed) return writeModelOutput(blocks, { isError, form })
  return { type: 'content', value: blocks.map((block) => writeModelPart(block, form)) }
}

function jsonOf(value: unknown): string | undefined {
  try {
    return indentJson(value)
  } catch (error) {
    // Too deep, or too long for a string.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
