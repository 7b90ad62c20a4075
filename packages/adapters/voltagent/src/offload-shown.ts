import type { ContextOffloader } from '@spillway/core'
import { mcpModelOutput, offloadModelOutput } from '@spillway/core/adapter'
import type { ModelOutputCall, OffloadedModelOutput } from '@spillway/core/adapter'

/** An output for the model: the result of `toModelOutput`. */
export interface ShownOutput {
  readonly type: string
  readonly value: unknown
}

/** The output as the AI SDK shows it for a tool without `toModelOutput`. */
export function defaultModelOutput(output: unknown): ShownOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }
}

/** Return the output for the model, or the same object with the reason. Errors are stored as errors. */
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
