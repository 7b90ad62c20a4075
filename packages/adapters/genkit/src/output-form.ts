import type { ContentBlock } from '@spillway/core'
import { mediaFromUrl, readMcpPart, readMcpResult } from '@spillway/core/adapter'

/** How the output of a tool reads as blocks, and what becomes of it once some of them are stored. */
export interface OutputForm {
  /** What it consists of: the output itself, or its parts. */
  readonly values: readonly unknown[]
  readonly toBlock: (value: unknown) => ContentBlock
  readonly isError: boolean
  /** Put the replacement in the place of what was stored; `kept` are the values that stay. */
  readonly replace: (replacement: string, kept: readonly unknown[]) => unknown
}

const DATA_URL = /^data:[^,]{1,200};base64,/i

/**
 * Find out in which of the forms that plugins of Genkit write or read an output is.
 *
 * `{ error }` is a failure, and `{ content }` what an MCP server returned. A `data:` URL, alone or as `{ url }`, and a
 * single part of MCP stand for a medium or a resource. All else is text or a value.
 */
export function outputForm(output: unknown): OutputForm {
  const { error } = Object(output) as { readonly error?: unknown }
  const isError = typeof error === 'string' && hasOnly(output, ['error'])
  const mcp = readMcpResult(output)
  if (mcp !== undefined) {
    const replace: OutputForm['replace'] = (text, kept) => ({
      ...Object(output),
      content: [{ type: 'text', text }, ...kept],
    })
    return { values: mcp.parts, toBlock: readMcpPart, isError: mcp.isError, replace }
  }
  return {
    values: output === undefined ? [] : [output],
    toBlock: (value) => (isError ? { type: 'text', text: error } : readOutput(value)),
    isError,
    // What stays of an output stays in it: some providers take no text in a tool's content, others look at none of it.
    replace: (offloaded, kept) =>
      kept.length > 0 ? { offloaded, output } : isError ? { error: offloaded } : offloaded,
  }
}

function readOutput(output: unknown): ContentBlock {
  if (typeof output === 'string') return readDataUrl(output) ?? { type: 'text', text: output }
  const { url, type, resource } = Object(output) as Readonly<Record<'url' | 'type' | 'resource', unknown>>
  const isMedia = typeof url === 'string' && hasOnly(output, ['url', 'contentType'])
  const isMcpMedia = (type === 'image' || type === 'audio') && hasOnly(output, ['type', 'data', 'mimeType'])
  const isResource =
    type === 'resource' &&
    hasOnly(output, ['type', 'resource']) &&
    hasOnly(Object(resource), ['uri', 'mimeType', 'text', 'blob'])
  const medium = isMedia ? readDataUrl(url) : isMcpMedia || isResource ? readMcpPart(output) : undefined
  return medium === undefined || medium.type === 'unknown' ? { type: 'json', value: output } : medium
}

function readDataUrl(url: string): ContentBlock | undefined {
  return DATA_URL.test(url) ? mediaFromUrl('', url) : undefined
}

/** Nothing that stands beside a medium may be lost with it. */
function hasOnly(value: unknown, keys: readonly string[]): boolean {
  return Object.keys(value as object).every((key) => keys.includes(key))
}
