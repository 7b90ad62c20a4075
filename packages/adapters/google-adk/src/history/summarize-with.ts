import { isBaseLlm, LLMRegistry, type BaseLlm } from '@google/adk'
import type { Summarize } from '@spillway/history'

/**
 * Make a `summarize` that asks a model of ADK, or a registered model by its name. A small and fast model is enough.
 *
 * @throws TypeError without a model, and the registry's error for an unknown name.
 */
export function summarizeWith(model: BaseLlm | string): Summarize {
  if (typeof model !== 'string' && !isBaseLlm(model))
    throw new TypeError("model must be a model of ADK or its name: summarizeWith('gemini-2.5-flash').")
  // A named model is created with the first summary, because some models read their key when they are created.
  let llm = typeof model === 'string' ? undefined : model
  return async ({ prompt, signal }) => {
    llm ??= LLMRegistry.newLlm(model as string)
    const contents = [{ role: 'user', parts: [{ text: prompt }] }]
    const request = { model: llm.model, contents, config: {}, liveConnectConfig: {}, toolsDict: {} }
    let summary = ''
    for await (const { content, partial, errorCode, errorMessage } of llm.generateContentAsync(
      request,
      false,
      signal,
    )) {
      if (errorCode !== undefined) throw new Error(`The model failed: ${errorCode} ${errorMessage ?? ''}`)
      if (partial === true) continue
      for (const { text = '', thought } of content?.parts ?? []) if (thought !== true) summary += text
    }
    return summary
  }
}
