import type { Summarize } from '@spillway/history'
import { generateText, type LanguageModel } from 'ai'

/** Models think before they write, and what they think counts. */
const ROOM_FOR_THOUGHTS = 8_000

type Settings = Parameters<typeof generateText>[0]

/** How a model is asked for summaries. */
export interface SummarizeWithOptions {
  /** Tokens that an answer may have. Defaults to what a summary may have, and 8,000 for thoughts. */
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  /** How often a call that fails is tried again. Defaults to that of the SDK, 2. */
  readonly maxRetries?: number | undefined
  readonly providerOptions?: Settings['providerOptions'] | undefined
  readonly headers?: Record<string, string> | undefined
}

/**
 * Make a `summarize` that asks a model of the AI SDK, with `generateText`.
 *
 * It gives up with the signal that it is handed, and rejects where the model does: the messages then stay.
 *
 * @throws TypeError where the model is none.
 *
 * @example
 * ```ts
 * import { summarizeWith } from '@spillway/ai-sdk/history'
 * import type { LanguageModel } from 'ai'
 *
 * const summarizeWithA = (small: LanguageModel) => summarizeWith(small, { temperature: 0 })
 * console.assert(typeof summarizeWithA === 'function')
 * ```
 */
export function summarizeWith(model: LanguageModel, options: SummarizeWithOptions = {}): Summarize {
  if (typeof model !== 'string' && (typeof model !== 'object' || model === null))
    throw new TypeError(`model must be a language model of the AI SDK or its id, got ${typeof model}.`)
  const settings = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return async ({ prompt, maxTokens, signal }) => {
    const maxOutputTokens = maxTokens + ROOM_FOR_THOUGHTS
    const { text } = await generateText({ maxOutputTokens, ...settings, model, prompt, abortSignal: signal })
    return text
  }
}
