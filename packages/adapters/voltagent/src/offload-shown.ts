import type { ContextOffloader } from '@spillway/core'
import { mcpModelOutput, offloadModelOutput, type ModelOutputCall } from '@spillway/core/adapter'

/** What the model is shown of a tool's output: what `toModelOutput` returns. */
export interface ShownOutput {
  readonly type: string
  readonly value: unknown
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
  if (type !== 'json') return shown
  if ((Object(value) as { readonly error?: unknown }).error === true) return { ...shown, type: 'error-json' }
  return mcpModelOutput(value, 'file-data') ?? shown
}
