import type { OnPrepareModelMessagesHookArgs } from '@voltagent/core'
import { RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { isReplacement, readModelPart, replaceToolResults, type ModelOutput } from '@spillway/core/adapter'
import type { Settings } from './offload-options.ts'
import { offloadShown, type ShownOutput } from './offload-shown.ts'

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

/**
 * Read back an output for the model that was saved as a value: a text, one of an error, or parts that are texts or have
 * their bytes. Returns `undefined` for any other value.
 *
 * A tool may return what looks like an output: one whose parts have addresses is none, so that nothing is fetched by it.
 */
export function readModelOutput(saved: unknown): ModelOutput | undefined {
  const { type, value } = Object(saved) as Partial<ShownOutput>
  const isText = (type === 'text' || type === 'error-text') && typeof value === 'string'
  const isContent = type === 'content' && Array.isArray(value) && value.every(isSafePart)
  return isText || isContent ? (saved as ModelOutput) : undefined
}

function isSafePart(part: unknown): boolean {
  const block = readModelPart(part)
  return block.type === 'text' || ('data' in block && block.data !== undefined)
}

/** Whether an output begins with the text that replaces offloaded content. A tool may return such a text itself. */
export function isReplacedOutput({ value }: ModelOutput): boolean {
  const [first] = typeof value === 'string' ? [{ text: value }] : value
  return first !== undefined && 'text' in first && isReplacement(first.text)
}
