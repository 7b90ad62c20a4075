import type { ContextOffloader } from '@spillway/core'
import {
  offloadParts,
  readMcpPart,
  writeMcpPart,
  writeModelPart,
  type ModelOutputCall,
  type ModelOutputPart,
  type OffloadedModelOutput,
} from '@spillway/core/adapter'
import type { ModelOutput } from './model-output.ts'

const RESULT_FIELDS = ['content', 'isError', '_meta']
const PART_TYPES = ['text', 'image', 'audio', 'resource', 'resource_link']

/**
 * Return the parts of a tool result of the Model Context Protocol, as tools of MCP servers return it, or `undefined` for
 * any other value. Its structured content, where it has some, says the same: such a result is a value like any other.
 */
export function mcpPartsOf(result: unknown): readonly object[] | undefined {
  if (typeof result !== 'object' || result === null || !('content' in result)) return undefined
  const { content } = result
  if (!Array.isArray(content) || content.length === 0) return undefined
  const isKnown = content.every((part: unknown) => PART_TYPES.includes((Object(part) as { type?: string }).type ?? ''))
  return isKnown && Object.keys(result).every((name) => RESULT_FIELDS.includes(name)) ? content : undefined
}

/** Offload a result of the Model Context Protocol by its parts, of which Mastra by itself shows most as JSON. */
export async function offloadMcpOutput(
  offloader: ContextOffloader,
  call: ModelOutputCall,
  output: ModelOutput,
  parts: readonly object[],
): Promise<OffloadedModelOutput<ModelOutput>> {
  const isError = (output.value as { readonly isError?: unknown }).isError === true
  const outcome = await offloadParts<object>(offloader, {
    ...call,
    isError,
    parts,
    toBlock: readMcpPart,
    fromText: (text) => ({ type: 'text', text }),
    fromBlock: writeMcpPart,
  })
  if (outcome.status === 'inline') return { output, reason: outcome.reason }
  const shown = outcome.parts.map(toModelPart)
  const [first] = shown
  if (shown.length > 1 || first?.type !== 'text') return { output: { type: 'content', value: shown } }
  return { output: { type: isError ? 'error-text' : 'text', value: first.text } }
}

function toModelPart(part: object): ModelOutputPart {
  const block = readMcpPart(part)
  if ('data' in block && block.data !== undefined) return writeModelPart(block, 'media')
  return { type: 'text', text: block.type === 'text' ? block.text : JSON.stringify(part) }
}
