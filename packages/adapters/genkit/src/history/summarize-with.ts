import type { Summarize } from '@spillway/history'
import type { Genkit, ModelArgument } from 'genkit'

/** Which model {@link summarizeWith} asks, and how. */
export interface SummarizeWithOptions {
  /** The default model of `ai`, where it is absent. */
  readonly model?: ModelArgument | undefined
  /** What the model is configured with, such as `{ temperature: 0 }`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Make the `summarize` that asks a model by Genkit.
 *
 * It gets one message of the user and no tools. A small and fast model is enough. Where it fails, or answers with no
 * summary, the messages stay.
 *
 * @throws TypeError where `ai` is no Genkit.
 *
 * @example
 * ```ts
 * import { summarizeWith } from '@spillway/genkit/history'
 * import { genkit } from 'genkit'
 *
 * const ai = genkit({})
 * const content = [{ text: '<state_snapshot>…</state_snapshot>' }]
 * const model = ai.defineModel({ name: 'small' }, async () => ({ message: { role: 'model', content } }))
 * const summarize = summarizeWith(ai, { model })
 * const { signal } = new AbortController()
 * const answer = await summarize({ prompt: 'Summarise.', maxTokens: 500, messages: [], previousSnapshot: undefined, signal })
 * console.assert(answer.startsWith('<state_snapshot>'))
 * ```
 */
export function summarizeWith(ai: Pick<Genkit, 'generate'>, { model, config }: SummarizeWithOptions = {}): Summarize {
  if (typeof (Object(ai) as Partial<Genkit>).generate !== 'function')
    throw new TypeError('ai must be what genkit() returns: summarizeWith(ai, { model }).')
  return async ({ prompt, signal }) => {
    const own = { ...(model === undefined ? {} : { model }), ...(config === undefined ? {} : { config }) }
    const { text } = await ai.generate({ ...own, prompt: [{ text: prompt }], abortSignal: signal })
    return text
  }
}
