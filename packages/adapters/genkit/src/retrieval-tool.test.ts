import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { answerRetrieval, hideRetrieval, retrievalTool } from './retrieval-tool.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}: ${line === 4_321 ? 'FAILED' : 'done'}`).join('\n')
const create = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage() }).forScope('chat-1')

const request = (input: unknown, ref?: string) => ({
  toolRequest: { name: RETRIEVAL_TOOL_NAME, input, ...(ref === undefined ? {} : { ref }) },
})

it('is described as core describes it, and is another in each run', () => {
  const offloader = create()
  const tool = retrievalTool(offloader)
  const { name, description, inputSchema } = offloader.retrievalTool
  expect(tool.__action).toMatchObject({ name, description, inputJsonSchema: inputSchema })
  expect(retrievalTool(offloader)).not.toBe(tool)
})

it('answers with text', async () => {
  const offloader = create()
  const content = [{ type: 'text', text: LOG }] as const
  const outcome = await offloader.offload({ toolName: 'read_log', toolCallId: 'call_1', content })
  const reference = outcome.status === 'offloaded' ? outcome.stored[0]?.reference : undefined
  const input = { reference, pattern: 'FAILED', context_lines: 0 }
  expect(await answerRetrieval(offloader, request(input, 'call_2'), undefined)).toEqual({
    toolResponse: {
      name: RETRIEVAL_TOOL_NAME,
      ref: 'call_2',
      output: '[1 match for /FAILED/]\n\n> 4322| line 4321: FAILED',
    },
  })
})

it('answers with a value', async () => {
  const offloader = create()
  const value = { users: [{ id: 1 }] }
  const bytes = new TextEncoder().encode(JSON.stringify(value, undefined, 2))
  const reference = await offloader.options.storage.store('call_1', bytes, 'application/json')
  const { toolResponse } = await answerRetrieval(offloader, request({ reference }), undefined)
  expect(toolResponse.output).toEqual(value)
})

it('answers with a medium in the content, and names it in the output', async () => {
  const offloader = create()
  const data = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const reference = await offloader.options.storage.store('call_1', data, 'image/png')
  expect(await answerRetrieval(offloader, request({ reference }), undefined)).toEqual({
    toolResponse: {
      name: RETRIEVAL_TOOL_NAME,
      output: '[image: image/png]',
      content: [{ media: { url: 'data:image/png;base64,iVBORw0KGgo=', contentType: 'image/png' } }],
    },
  })
})

it.each<unknown>([undefined, null, 'text', 5, [], {}, { reference: 1 }, { reference: 'never_given', patern: 'x' }])(
  'answers %j with an error that says what to do',
  async (input) => {
    const { toolResponse } = await answerRetrieval(create(), request(input), undefined)
    expect(toolResponse).toEqual({ name: RETRIEVAL_TOOL_NAME, output: { error: expect.stringMatching(/^Error: /) } })
  },
)

it('is taken out of a response, and nothing else is', () => {
  const definition = (name: string) => ({ name, description: name })
  const tools = [definition('read_log'), definition(RETRIEVAL_TOOL_NAME)]
  const response = { finishReason: 'stop' as const, request: { messages: [], config: { topK: 1 }, tools } }
  expect(hideRetrieval(response)).toEqual({
    finishReason: 'stop',
    request: { messages: [], config: { topK: 1 }, tools: [definition('read_log')] },
  })
  expect(tools).toHaveLength(2)
  const operation = { finishReason: 'stop' as const }
  expect(hideRetrieval(operation)).toBe(operation)
})
