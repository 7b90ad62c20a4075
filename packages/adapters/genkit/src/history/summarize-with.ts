import type { Summarize } from '@spillway/history'
import type { Genkit, ModelArgument } from 'genkit'

/** Options of {@link summarizeWith}. */
export interface SummarizeWithOptions {
  /** Defaults to the default model of `ai`. */
  readonly model?: ModelArgument | undefined
  /** The config of the model, such as `{ temperature: 0 }`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Make a `summarize` that asks a model through Genkit. A small and fast model is enough.
 *
 * @throws TypeError for an invalid `ai`.
 */
export function summarizeWith(ai: Pick<Genkit, 'generate'>, { model, config }: SummarizeWithOptions = {}): Summarize {
  if (typeof (Object(ai) as Partial<Genkit>).generate !== 'function')
    throw new TypeError('ai must be the object that genkit() returns: summarizeWith(ai, { model }).')
  return async ({ prompt, signal }) => {
    const own = { ...(model === undefined ? {} : { model }), ...(config === undefined ? {} : { config }) }
    const { text } = await ai.generate({ ...own, prompt: [{ text: prompt }], abortSignal: signal })
    return text
  }
}
