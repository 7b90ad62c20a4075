import { readMcpPart } from './mcp-content.ts'

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
