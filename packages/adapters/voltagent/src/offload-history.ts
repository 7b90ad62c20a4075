import type { OnPrepareModelMessagesHookArgs } from '@voltagent/core'
import { RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { isReplacedOutput, readModelOutput, replaceToolResults } from '@spillway/core/adapter'
import type { ModelOutput, ShownOutput } from '@spillway/core/adapter'
import type { Settings } from './offload-options.ts'
import { offloadShown } from './offload-shown.ts'

/**
 * Offload the large results of the messages that an operation goes on from, and show again what was offloaded before as it
 * was shown then.
 *
 * Messages that a program saved have what tools returned; those of VoltAgent's memory have what the model was shown, which
 * VoltAgent shows as JSON. What stays comes back as the very object.
 */
export async function offloadHistory(
  { offloaderOf, except, smallTexts }: Settings,
  { modelMessages, context }: Pick<OnPrepareModelMessagesHookArgs, 'modelMessages' | 'context'>,
): Promise<OnPrepareModelMessagesHookArgs['modelMessages']> {
  const offloader = offloaderOf(context)
  const { signal } = context.abortController
  return replaceToolResults(modelMessages, ({ toolName, toolCallId, output }, input) => {
    const saved = savedOutput(output)
    if (toolName === RETRIEVAL_TOOL_NAME) return saved ?? output
    const kept = saved !== undefined && isReplacedOutput(saved) ? saved : output
    const shown = saved ?? (output as ShownOutput)
    if (except.has(toolName) || smallTexts.has(shown.value)) return kept
    return offloadShown(offloader, { toolName, toolCallId, input, signal }, shown).then((offloaded) => {
      if (offloaded.reason === 'within-limit') smallTexts.add(shown.value)
      return offloaded.output === shown ? kept : offloaded.output
    })
  })
}

/** Return the output for a model that stands in an output as a JSON value. */
function savedOutput(output: unknown): ModelOutput | undefined {
  const { type, value } = Object(output) as Partial<ShownOutput>
  return type === 'json' ? readModelOutput(value) : undefined
}
