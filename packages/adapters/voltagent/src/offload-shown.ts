import type { ContentBlock, ContextOffloader } from '@spillway/core'
import { offloadModelOutput, readMcpPart, writeModelOutput, writeModelPart } from '@spillway/core/adapter'
import type { ModelOutputCall } from '@spillway/core/adapter'

/** What the model is shown of a tool's output: what `toModelOutput` returns. */
export interface ShownOutput {
  readonly type: string
  readonly value: unknown
}

/** Return what the AI SDK shows of the output of a tool without `toModelOutput`. */
export function defaultOutput(output: unknown): ShownOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }
}

/**
 * Offload what the model would be shown, and return what it is shown instead; what stays comes back as the very object.
 *
 * VoltAgent shows errors as values with `error: true`, and results of MCP servers as JSON; they are stored as what they are.
 */
export async function offloadShown(
  offloader: Pick<ContextOffloader, 'offload'>,
  call: ModelOutputCall,
  shown: ShownOutput,
): Promise<ShownOutput> {
  const read = readShown(shown)
  const { output } = await offloadModelOutput(offloader, call, read)
  return output === read ? shown : output
}

function readShown(shown: ShownOutput): ShownOutput {
  // A tool's own `toModelOutput` may return anything.
  const { type, value } = Object(shown) as ShownOutput
  if (type !== 'json' || typeof value !== 'object' || value === null) return shown
  if ('error' in value && value.error === true) return { ...shown, type: 'error-json' }
  return readMcpResult(value) ?? shown
}

function readMcpResult(value: object): ShownOutput | undefined {
  const { content, isError, structuredContent, _meta, ...others } = value as Readonly<Record<string, unknown>>
  if (!Array.isArray(content) || content.length === 0 || Object.keys(others).length > 0) return undefined
  const blocks: ContentBlock[] = content.map(readMcpPart)
  if (blocks.some(({ type }) => type === 'unknown')) return undefined
  if (structuredContent !== undefined)
    blocks.push({ type: 'text', text: JSON.stringify(structuredContent, undefined, 2) ?? '' })
  if (blocks.length === 1 || isError === true)
    return writeModelOutput(blocks, { isError: isError === true, form: 'file-data' })
  return { type: 'content', value: blocks.map((block) => writeModelPart(block, 'file-data')) }
}
