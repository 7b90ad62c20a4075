import type { OnPrepareModelMessagesHookArgs } from '@voltagent/core'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { isReplacedOutput, readModelOutput, replaceToolResults, type ModelOutput } from '@spillway/core/adapter'
import { offloadShown, type ShownOutput } from './offload-shown.ts'

type Messages = OnPrepareModelMessagesHookArgs['modelMessages']

/**
 * Offload the large results of the messages that an operation goes on from, and show again what was offloaded before as it
 * was shown then.
 *
 * Messages that a program saved have what tools returned; those of VoltAgent's memory have what the model was shown, which
 * VoltAgent shows as JSON. What stays comes back as the very object.
 */
export async function offloadHistory(
  offloader: ContextOffloader,
  messages: Messages,
  { except, signal }: { readonly except: ReadonlySet<string>; readonly signal: AbortSignal | undefined },
): Promise<Messages> {
  return replaceToolResults(messages, async ({ toolName, toolCallId, output }, input) => {
    if (except.has(toolName)) return output
    const saved = savedOutput(output)
    if (toolName === RETRIEVAL_TOOL_NAME) return saved ?? output
    const shown = saved ?? (output as ShownOutput)
    const replaced = await offloadShown(offloader, { toolName, toolCallId, input, signal }, shown)
    if (replaced !== shown) return replaced
    return saved !== undefined && isReplacedOutput(saved) ? saved : output
  })
}

/** Return the output for a model that stands in an output as a JSON value. */
function savedOutput(output: unknown): ModelOutput | undefined {
  const { type, value } = Object(output) as Partial<ShownOutput>
  return type === 'json' ? readModelOutput(value) : undefined
}
