import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { ContextOffloader, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { retrievalTool } from './retrieval-tool.ts'

const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line + 1}`).join('\n')
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const offloader = new ContextOffloader({ storage: new InMemoryStorage(), maxResultTokens: 500 })
const retrieve = retrievalTool(offloader)
const config = { configurable: { thread_id: 'a' } }

async function storeIn(thread: string): Promise<string> {
  const content = [{ type: 'text', text: LOG }] as const
  const outcome = await offloader.forScope(thread).offload({ toolName: 'read', toolCallId: thread, content })
  return outcome.status === 'offloaded' ? (outcome.stored[0]?.reference ?? '') : ''
}

const call = async (args: unknown, own: object = config): Promise<ToolMessage> =>
  // By type, arguments are an object, but a model may write any value.
  retrieve.invoke({ type: 'tool_call', id: 'call_1', name: retrieve.name, args: args as object }, own)

it('the retrieval tool answers a tool call in the scope of its thread', async () => {
  const reference = await storeIn('a')
  const answer = await call({ reference, line_range: { start: 7, end: 7 } })
  expect(answer).toBeInstanceOf(ToolMessage)
  expect(answer).toMatchObject({ status: 'success', tool_call_id: 'call_1', name: 'retrieve_offloaded_content' })
  expect(answer.content).toContain('7| line 7')
  const elsewhere = await call({ reference }, { configurable: { thread_id: 'b' } })
  expect(elsewhere).toMatchObject({ status: 'error', content: expect.stringMatching(/^Error: /) })
})

it('the retrieval tool searches its whole thread without a reference', async () => {
  const reference = await storeIn('search')
  const answer = await call({ pattern: 'line 1321', context_lines: 0 }, { configurable: { thread_id: 'search' } })
  expect(answer.content).toContain(reference)
})

it.each<unknown>([
  {},
  { reference: 7 },
  { reference: 'x', unknown: 1 },
  { reference: 'x', line_range: 'all' },
  { pattern: [7] },
  { reference: null },
])('the retrieval tool answers with advice if the input violates its schema: %j', async (args) => {
  expect(await call(args)).toMatchObject({ status: 'error', content: expect.stringMatching(/^Error: /) })
})

it('the retrieval tool returns only the content if there is no tool call', async () => {
  const reference = await storeIn('a')
  const input = { reference, line_range: { start: 1, end: 1 } }
  expect(await retrieve.invoke(input, config)).toContain('1| line 1')
  expect(await retrieve.invoke({ reference: 7 } as never, config)).toMatch(/^Error: /)
})

it('the retrieval tool returns media as a block that providers accept', async () => {
  const content = [
    { type: 'text', text: LOG },
    { type: 'image', mediaType: 'image/png', data: Uint8Array.from([...PNG, ...new Uint8Array(300_000)]) },
  ] as const
  const outcome = await offloader.forScope('a').offload({ toolName: 'capture', toolCallId: 'media', content })
  const image = outcome.status === 'offloaded' ? outcome.stored.find(({ type }) => type === 'image') : undefined
  const answer = await call({ reference: image?.reference })
  expect(answer.content).toEqual([
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/) } },
  ])
  expect(new HumanMessage({ content: answer.content }).contentBlocks[0]).toMatchObject({ type: 'image' })
})

it('the retrieval tool has the schema and the description of core', () => {
  const { name, description, inputSchema } = offloader.forScope('a').retrievalTool
  expect(convertToOpenAITool(retrieve)).toEqual({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  })
  const shared = retrievalTool(offloader, { scope: () => [] })
  expect(convertToOpenAITool(shared).function.parameters).toMatchObject({ required: ['reference'] })
})

it('the retrieval tool passes the abort signal on', async () => {
  const signals: unknown[] = []
  const storage: Storage = {
    store: async () => 'a',
    retrieve: async (_reference, options) => {
      signals.push(options?.signal)
      return { content: new TextEncoder().encode('text'), contentType: 'text/plain' }
    },
  }
  const own = retrievalTool(new ContextOffloader({ storage }), { scope: () => [] })
  const { signal } = new AbortController()
  await own.invoke({ type: 'tool_call', id: 'c', name: own.name, args: { reference: 'a' } }, { signal })
  expect(signals[0]).toBeInstanceOf(AbortSignal)
})

it('the retrieval tool rejects invalid arguments with advice', () => {
  const storage: Storage = { store: async () => 'a', retrieve: () => Promise.reject(new Error('none')) }
  const two = new ContextOffloader({ storage })
  expect(() => retrievalTool(two)).toThrow(/Wrap it with createStorage\(\), or let all sessions share it with scope/)
  expect(() => retrievalTool(two, { scope: () => [] })).not.toThrow()
  for (const [given, options, message] of [
    [undefined, {}, /offloader must be a ContextOffloader/],
    [{ storage }, {}, /offloader must be a ContextOffloader/],
    [offloader, { scopes: [] }, /Unknown option "scopes". Known: scope/],
    [offloader, { scope: 'a' }, /scope must be a function/],
  ] as const)
    expect(() => retrievalTool(given as never, options as never)).toThrow(message)
})
