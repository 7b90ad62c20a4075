import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { hasThreads } from '../../test/version.ts'
import { summarizeWith } from './summarize-with.ts'

const ANSWER = '<state_snapshot><overall_goal>Find it.</overall_goal></state_snapshot>'

/** A client whose API returns reasoning and a text in two blocks, with its requests. */
function answering(options: ClientOptions = {}): {
  readonly client: Anthropic
  readonly bodies: Record<string, unknown>[]
} {
  const bodies: Record<string, unknown>[] = []
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const sent = new Request(url, init)
    sent.signal.throwIfAborted()
    bodies.push((await sent.json()) as Record<string, unknown>)
    const texts = [ANSWER.slice(0, 30), ANSWER.slice(30)].map((text) => ({ type: 'text', text }))
    const content = [{ type: 'thinking', thinking: 'Well.', signature: 's' }, ...texts]
    const usage = { input_tokens: 1, output_tokens: 1 }
    return Response.json({ id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage })
  }
  return { client: new Anthropic({ ...options, apiKey: 'none', fetch, maxRetries: 0 }), bodies }
}

const request = (
  signal: AbortSignal = new AbortController().signal,
): Parameters<ReturnType<typeof summarizeWith>>[0] => ({
  prompt: 'Summarise this.',
  maxTokens: 700,
  messages: [],
  previousSnapshot: undefined,
  signal,
})

it('summarizeWith calls the model with enough tokens for reasoning, and returns its text', async () => {
  const { client, bodies } = answering()
  expect(await summarizeWith(client, { model: 'claude-haiku-5' })(request())).toBe(ANSWER)
  const messages = [{ role: 'user', content: 'Summarise this.' }]
  expect(bodies).toEqual([{ model: 'claude-haiku-5', max_tokens: 8_700, messages }])
})

it('summarizeWith passes other parameters to the model', async () => {
  const { client, bodies } = answering()
  await summarizeWith(client, { model: 'claude-haiku-5', max_tokens: 900, system: 'Be dense.' })(request())
  expect(bodies).toMatchObject([{ max_tokens: 900, system: 'Be dense.' }])
})

describe.each([
  ['a model for which the SDK requires streaming of long answers', { model: 'claude-opus-4@20250514' }],
  ['an answer so long that the SDK requires streaming', { model: 'claude-haiku-5', max_tokens: 32_000 }],
])('summarizeWith limits the time for %s', (_, options) => {
  it('with a client that has a timeout', async () => {
    const { client } = answering({ timeout: 600_000 })
    expect(await summarizeWith(client, options)(request())).toBe(ANSWER)
  })

  // The oldest versions ignore the timeout of a request in this check.
  it.skipIf(!hasThreads)('with any client', async () => {
    expect(await summarizeWith(answering().client, options)(request())).toBe(ANSWER)
  })
})

it('summarizeWith rejects if the API fails, and stops if the signal aborts', async () => {
  const fetch = async (): Promise<Response> => Response.json({ type: 'error' }, { status: 529 })
  const failing = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
  await expect(summarizeWith(failing, { model: 'claude-haiku-5' })(request())).rejects.toThrow(/529/)
  const { client } = answering()
  const aborted = summarizeWith(client, { model: 'claude-haiku-5' })(request(AbortSignal.abort()))
  await expect(aborted).rejects.toThrow(/abort/i)
})

it('summarizeWith rejects invalid clients and models', () => {
  expect(() => summarizeWith({} as never, { model: 'claude-haiku-5' })).toThrow(/client must be a client/)
  expect(() => summarizeWith(answering().client, {} as never)).toThrow(/model must be the name/)
  expect(() => summarizeWith(answering().client, undefined as never)).toThrow(/model must be the name/)
})
