import type Anthropic from '@anthropic-ai/sdk'
import type { Summarize } from '@spillway/history'

/** Models think before they write, and what they think counts. */
const ROOM_FOR_THOUGHTS = 8_000

/** The default of the SDK, which refuses to ask for many tokens without a stream where no time is named. */
const TIMEOUT_MS = 600_000

/** How a model is asked for summaries. */
export interface SummarizeWithOptions extends Partial<
  Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'messages' | 'stream'>
> {
  /** The model; a small one does. */
  readonly model: Anthropic.Model
}

/**
 * Make a `summarize` that asks a model by a client of Anthropic's API.
 *
 * Other parameters of the request can stand beside the model; `max_tokens` defaults to what a summary may have, and 8,000
 * for thoughts. It gives up with the signal that it is handed, and rejects where the model does: the messages then stay.
 *
 * @throws TypeError where the client or the model is none.
 *
 * @example
 * ```ts
 * import Anthropic from '@anthropic-ai/sdk'
 * import { summarizeWith } from '@spillway/anthropic/history'
 *
 * const client = new Anthropic({ apiKey: 'none' })
 * const summarize = summarizeWith(client, { model: 'claude-haiku-5' })
 * console.assert(typeof summarize === 'function')
 * ```
 */
export function summarizeWith(client: Pick<Anthropic, 'messages'>, options: SummarizeWithOptions): Summarize {
  if (typeof (Object(client) as Partial<Anthropic>).messages?.create !== 'function')
    throw new TypeError('client must be a client of Anthropic: summarizeWith(new Anthropic(), { model }).')
  if (typeof (Object(options) as Partial<SummarizeWithOptions>).model !== 'string')
    throw new TypeError("model must be the name of one: summarizeWith(client, { model: 'claude-haiku-5' }).")
  const { timeout = TIMEOUT_MS } = client as Partial<Anthropic>
  return async ({ prompt, maxTokens, signal }) => {
    const asked = { max_tokens: maxTokens + ROOM_FOR_THOUGHTS, messages: [{ role: 'user' as const, content: prompt }] }
    const { content } = await client.messages.create({ ...asked, ...options }, { signal, timeout })
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  }
}
