import type Anthropic from '@anthropic-ai/sdk'
import type { Summarize } from '@spillway/history'

/** Extra output tokens for reasoning, because reasoning tokens count as output. */
const ROOM_FOR_THOUGHTS = 8_000

/** The SDK's default. Without a timeout the SDK refuses long answers that are not streamed. */
const TIMEOUT_MS = 600_000

/** Parameters of the request for a summary. */
export interface SummarizeWithOptions extends Partial<
  Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'messages' | 'stream'>
> {
  /** A small model is enough. */
  readonly model: Anthropic.Model
}

/**
 * Make a `summarize` that asks a model through a client of Anthropic's API.
 *
 * `max_tokens` defaults to the limit of a summary plus 8,000 tokens for reasoning.
 *
 * @throws TypeError for an invalid client or model.
 */
export function summarizeWith(client: Pick<Anthropic, 'messages'>, options: SummarizeWithOptions): Summarize {
  if (typeof (Object(client) as Partial<Anthropic>).messages?.create !== 'function')
    throw new TypeError('client must be a client of Anthropic: summarizeWith(new Anthropic(), { model }).')
  if (typeof (Object(options) as Partial<SummarizeWithOptions>).model !== 'string')
    throw new TypeError("model must be the name of a model: summarizeWith(client, { model: 'claude-haiku-5' }).")
  const { timeout = TIMEOUT_MS } = client as Partial<Anthropic>
  return async ({ prompt, maxTokens, signal }) => {
    const asked = { max_tokens: maxTokens + ROOM_FOR_THOUGHTS, messages: [{ role: 'user' as const, content: prompt }] }
    const { content } = await client.messages.create({ ...asked, ...options }, { signal, timeout })
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  }
}
