import type { ContextOffloader } from '@spillway/core'
import {
  mcpModelOutput,
  offloadModelOutput,
  type ModelOutputCall,
  type OffloadedModelOutput,
} from '@spillway/core/adapter'
import type { ModelOutput } from './model-output.ts'

/** Offload what the model would see of a tool result, that of an MCP server by its parts; what stays is the very object. */
export async function offloadOutput(
  offloader: ContextOffloader,
  call: ModelOutputCall,
  output: ModelOutput,
): Promise<OffloadedModelOutput<ModelOutput>> {
  const parts = output.type === 'json' ? mcpModelOutput(output.value, 'media') : undefined
  if (parts === undefined) return offloadModelOutput(offloader, call, output)
  const { output: shown, reason } = await offloadModelOutput<ModelOutput>(offloader, call, parts)
  if (shown !== parts) return { output: shown }
  // A file that is small as such is not in the JSON that Mastra makes of it, with Base64.
  return reason === 'within-limit' && isShownAsJson(output.value)
    ? offloadModelOutput(offloader, call, output)
    : { output, ...(reason !== undefined && { reason }) }
}

/** With images or sound, Mastra shows all parts as parts, and files among them are replaced in each prompt. */
function isShownAsJson(result: unknown): boolean {
  const { content } = result as { readonly content: readonly { readonly type: string }[] }
  const types = content.map(({ type }) => type)
  return types.includes('resource') && !types.includes('image') && !types.includes('audio')
}
