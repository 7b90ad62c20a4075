import { indentJson, type ContentBlock } from '@spillway/text/internal'
import { readMcpPart } from './mcp-content.ts'
import { readMcpResult } from './mcp-result.ts'
import { nameOfPart } from './text-block.ts'
import { writeModelOutput, type ModelOutput } from './write-model-output.ts'
import { writeModelPart, type ModelMediaForm } from './write-model-part.ts'

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
