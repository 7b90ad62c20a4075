import type { ContextOffloader } from '@spillway/core'
import { mcpModelOutput, offloadModelOutput } from '@spillway/core/adapter'
import type { ModelOutputCall, OffloadedModelOutput } from '@spillway/core/adapter'

/** What the model is shown of a tool's output: what `toModelOutput` returns. */
export interface ShownOutput {
  readonly type: string
  readonly value: unknown
}

/** Write the output of a tool without `toModelOutput` as the AI SDK shows it to the model. The value is the very object. */
export function defaultModelOutput(output: unknown): ShownOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }
}

/**
 * Offload what the model would be shown, and return what it is shown instead, or the very object and why it stays.
 *
 * VoltAgent shows errors as values with `error: true`, and results of MCP servers as JSON; they are stored as what they are.
 */
export async function offloadShown(
  offloader: Pick<ContextOffloader, 'offload'>,
  call: ModelOutputCall,
  shown: ShownOutput,
): Promise<OffloadedModelOutput<ShownOutput>> {
  const read = readShown(shown)
  const offloaded = await offloadModelOutput(offloader, call, read)
  return offloaded.output === read ? { ...offloaded, output: shown } : offloaded
}

function readShown(shown: ShownOutput): ShownOutput {
  // A tool's own `toModelOutput` may return anything.
  const { type, value } = Object(shown) as ShownOutput
  if (type !== 'json') return shown
  if ((Object(value) as { readonly error?: unknown }).error === true) return { ...shown, type: 'error-json' }
  return mcpModelOutput(value, 'file-data') ?? shown
}
