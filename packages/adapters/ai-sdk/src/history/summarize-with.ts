import type { Summarize } from '@spillway/history'
import { generateText, type LanguageModel } from 'ai'

/** Extra output tokens for reasoning, because reasoning tokens count as output. */
const ROOM_FOR_THOUGHTS = 8_000

type Settings = Parameters<typeof generateText>[0]

/** Options of {@link summarizeWith}. */
export interface SummarizeWithOptions {
  /** Defaults to the limit of a summary plus 8,000 tokens for reasoning. */
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  /** Defaults to 2, the SDK's own default. */
  readonly maxRetries?: number | undefined
  readonly providerOptions?: Settings['providerOptions'] | undefined
  readonly headers?: Record<string, string> | undefined
}

/**
 * Make a `summarize` that asks a model with `generateText`.
 *
 * @throws TypeError for an invalid model.
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
