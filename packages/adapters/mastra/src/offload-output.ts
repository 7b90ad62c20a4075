import type { ContextOffloader } from '@spillway/core'
import { offloadModelOutput, type ModelOutputCall, type OffloadedModelOutput } from '@spillway/core/adapter'
import type { ModelOutput } from './model-output.ts'
import { mcpPartsOf, offloadMcpOutput } from './offload-mcp-output.ts'

/** Offload what the model would see of a tool result; what stays comes back as the very object. */
export async function offloadOutput(
  offloader: ContextOffloader,
  call: ModelOutputCall,
  output: ModelOutput,
): Promise<OffloadedModelOutput<ModelOutput>> {
  const parts = output.type === 'json' ? mcpPartsOf(output.value) : undefined
  return parts === undefined
    ? offloadModelOutput(offloader, call, output)
    : offloadMcpOutput(offloader, call, output, parts)
}
