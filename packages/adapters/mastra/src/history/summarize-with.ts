import { Agent } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import type { Summarize } from '@spillway/history'

/**
 * Make a `summarize` that asks a model of Mastra or of the AI SDK. A small and fast model is enough.
 *
 * @throws TypeError without a model.
 */
export function summarizeWith(model: MastraModelConfig): Summarize {
  if (model === undefined || model === null || model === '')
    throw new TypeError("model must be a model of Mastra: summarizeWith('openai/gpt-5-mini').")
  const agent = new Agent({ id: 'spillway-summary', name: 'spillway-summary', instructions: '', model })
  return async ({ prompt, signal }) => {
    const { text, error } = await agent.generate(prompt, { abortSignal: signal, maxSteps: 1 })
    if (error !== undefined) throw error
    return text
  }
}
