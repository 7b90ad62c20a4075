import { setTracingDisabled, Usage, type Model, type ModelRequest } from '@openai/agents'
import { expect, it } from 'vitest'
import { summarizeWith } from './summarize-with.ts'

setTracingDisabled(true)

const ANSWER = '<state_snapshot><overall_goal>Find it.</overall_goal></state_snapshot>'

/** A model that answers with a text, with its requests. */
function modelOf(text: string): { readonly model: Model; readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  const content = [{ type: 'output_text' as const, text }]
  const model: Model = {
    async getResponse(request) {
      requests.push(request)
      request.signal?.throwIfAborted()
      return {
        usage: new Usage(),
        output: [{ type: 'message', role: 'assistant', status: 'completed', content }],
        responseId: 'response',
      }
    },
    getStreamedResponse: () => {
      throw new Error('No summary is streamed.')
    },
  }
  return { model, requests }
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

it('summarizeWith calls an SDK model with enough tokens for reasoning', async () => {
  const { model, requests } = modelOf(ANSWER)
  expect(await summarizeWith(model)(request())).toBe(ANSWER)
  expect(JSON.stringify(requests[0]?.input)).toContain('Summarise this.')
  expect(requests[0]).toMatchObject({ modelSettings: { maxTokens: 8_700 }, tools: [], tracing: false })
})

it('summarizeWith passes its settings to the model', async () => {
  const { model, requests } = modelOf(ANSWER)
  await summarizeWith(model, { modelSettings: { maxTokens: 900, temperature: 0 } })(request())
  expect(requests[0]?.modelSettings).toMatchObject({ maxTokens: 900, temperature: 0 })
})

it('summarizeWith rejects if the model rejects, and stops if the signal aborts', async () => {
  const { model } = modelOf(ANSWER)
  const failing: Model = { ...model, getResponse: () => Promise.reject(new RangeError('Overloaded.')) }
  await expect(summarizeWith(failing)(request())).rejects.toThrow('Overloaded.')
  await expect(summarizeWith(model)(request(AbortSignal.abort()))).rejects.toThrow(/abort/i)
})

it('summarizeWith calls the named model through an API client', async () => {
  const bodies: Record<string, unknown>[] = []
  const create = (body: Record<string, unknown>): Promise<unknown> => {
    bodies.push(body)
    const content = [{ type: 'output_text', text: ANSWER, annotations: [] }]
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }]
    const response = Promise.resolve({ id: 'resp_1', output, output_text: ANSWER, usage })
    return Object.assign(response, { withResponse: async () => ({ data: await response, request_id: 'req_1' }) })
  }
  const client = { baseURL: 'https://api.openai.com/v1', responses: { create } }
  expect(await summarizeWith(client as never, { model: 'gpt-5-mini' })(request())).toBe(ANSWER)
  expect(bodies[0]).toMatchObject({ model: 'gpt-5-mini', max_output_tokens: 8_700 })
})

it('summarizeWith rejects a value that is not a model', () => {
  for (const model of [undefined, '', {}, 7])
    expect(() => summarizeWith(model as never)).toThrow(/model must be a model name/)
  expect(() => summarizeWith({ responses: {} } as never)).toThrow(/With a client/)
})
