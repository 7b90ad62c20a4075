import { Buffer } from 'node:buffer'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'

/** A result of `tools/call` as a server writes it. */
export interface ToolResult {
  [key: string]: unknown
  content: ToolContent[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

/** A part of a result. */
export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string } & ({ blob: string } | { text: string }) }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string }

/** Key in `_meta` with the id of a call, which the loop sets for the tools of a case. */
export const CALL_ID_META_KEY = 'example.com/toolCallId'

/** The JSON Schema of a tool's arguments. */
export const schemaOf = ({ inputSchema = { type: 'object' } }: CaseTool): { readonly type: 'object' } =>
  inputSchema as { readonly type: 'object' }

/** Annotations by which hosts decide whether to ask for approval. */
export const annotationsOf = ({ needsApproval = false }: CaseTool): object =>
  needsApproval ? { readOnlyHint: false, destructiveHint: true } : { readOnlyHint: true }

/** Run a tool's behavior, and return its result. `report` gets the progress. */
export async function resultOf(
  behaviour: ToolBehaviour,
  report: (text: string, progress: number) => Promise<void>,
): Promise<ToolResult> {
  switch (behaviour.type) {
    case 'throws':
      throw behaviour.thrown
    case 'returns-error':
      return { content: [{ type: 'text', text: behaviour.text }], isError: true }
    case 'yields':
      for (const [index, text] of behaviour.texts.entries()) await report(text, index + 1)
      return { content: [{ type: 'text', text: behaviour.texts.at(-1) ?? '' }] }
    default:
      return contentOf(behaviour.content)
  }
}

/**
 * A value becomes structured content and text. A value that is not an object is wrapped in an object with one field.
 */
function contentOf(content: readonly ContentBlock[]): ToolResult {
  const [first] = content
  if (content.length !== 1 || first?.type !== 'json') return { content: content.map(partOf) }
  const text = JSON.stringify(first.value)
  const value = JSON.parse(text) as unknown
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return {
    content: [{ type: 'text', text }],
    structuredContent: isObject ? (value as Record<string, unknown>) : { result: value },
  }
}

function partOf(block: ContentBlock): ToolContent {
  switch (block.type) {
    case 'text': {
      const { text, name: uri, mediaType: mimeType = '' } = block
      return uri === undefined ? { type: 'text', text } : { type: 'resource', resource: { uri, mimeType, text } }
    }
    case 'image':
    case 'audio':
    case 'document': {
      const { type, mediaType: mimeType, data: bytes, url = '' } = block
      if (bytes === undefined) return { type: 'resource_link', uri: url, name: type, mimeType }
      const data = Buffer.from(bytes).toString('base64')
      if (type !== 'document') return { type, data, mimeType }
      return { type: 'resource', resource: { uri: 'file:///document', mimeType, blob: data } }
    }
    default:
      throw new Error(`A tool result of the protocol has no part for ${block.type}.`)
  }
}

/** Read a part as the model sees it. */
export function blockOf(part: unknown): ContentBlock {
  const { type, text, data, mimeType, resource, uri } = part as {
    readonly type: string
    readonly text?: string
    readonly data?: string
    readonly mimeType?: string
    readonly resource?: { readonly blob?: string; readonly text?: string; readonly mimeType?: string }
    readonly uri?: string
  }
  const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))
  if (type === 'text' && text !== undefined) return { type: 'text', text }
  if ((type === 'image' || type === 'audio') && data !== undefined && mimeType !== undefined)
    return { type, mediaType: mimeType, data: bytes(data) }
  if (type === 'resource' && resource?.blob !== undefined)
    return { type: 'document', mediaType: resource.mimeType ?? 'application/octet-stream', data: bytes(resource.blob) }
  if (type === 'resource_link' && uri !== undefined) return { type: 'link', url: uri }
  return { type: 'unknown', value: part }
}
