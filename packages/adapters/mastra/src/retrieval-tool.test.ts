import { RequestContext } from '@mastra/core/request-context'
import { standardSchemaToJSONSchema, type StandardSchemaWithJSON } from '@mastra/core/schema'
import type { ToolExecutionContext } from '@mastra/core/tools'
import { ContextOffloader, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { retrievalTool } from './retrieval-tool.ts'

const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line + 1}`).join('\n')
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const offloader = new ContextOffloader({ storage: new InMemoryStorage(), maxResultTokens: 500 })
const retrieve = retrievalTool(offloader)

async function storeIn(thread: string): Promise<string> {
  const content = [{ type: 'text', text: LOG }] as const
  const outcome = await offloader.forScope(thread).offload({ toolName: 'read', toolCallId: thread, content })
  return outcome.status === 'offloaded' ? (outcome.stored[0]?.reference ?? '') : ''
}

/** Call the tool as an agent does in a thread. */
async function call(input: unknown, threadId = 'a', own: Partial<ToolExecutionContext> = {}): Promise<unknown> {
  const agent = { agentId: 'agent', toolCallId: 'call_1', messages: [], suspend: async () => undefined, threadId }
  const context = { requestContext: new RequestContext(), agent, ...own } as unknown as ToolExecutionContext
  return retrieve.execute?.(input, context)
}

it('the retrieval tool answers in the scope of its thread', async () => {
  const reference = await storeIn('a')
  expect(await call({ reference, line_range: { start: 7, end: 7 } })).toContain('7| line 7')
  await expect(call({ reference }, 'b')).rejects.toThrow(/Error: |not/)
})

it('the retrieval tool searches its whole thread without a reference', async () => {
  const reference = await storeIn('search')
  expect(await call({ pattern: 'line 1321', context_lines: 0 }, 'search')).toContain(reference)
})

it.each<unknown>([
  {},
  { reference: 7 },
  { reference: 'x', unknown: 1 },
  { reference: 'x', line_range: 'all' },
  { pattern: [7] },
  { reference: null },
  'text',
  [],
])('the retrieval tool throws an error with advice if the input violates its schema: %j', async (input) => {
  const { content } = await offloader.forScope('a').retrievalTool.execute(input)
  const [advice] = content
  await expect(call(input)).rejects.toThrow(advice?.type === 'text' ? advice.text : 'no text')
})

it('the retrieval tool returns media as parts, in the form that Mastra shows to models', async () => {
  const content = [
    { type: 'text', text: LOG },
    { type: 'image', mediaType: 'image/png', data: Uint8Array.from([...PNG, ...new Uint8Array(300_000)]) },
  ] as const
  const outcome = await offloader.forScope('a').offload({ toolName: 'capture', toolCallId: 'media', content })
  const image = outcome.status === 'offloaded' ? outcome.stored.find(({ type }) => type === 'image') : undefined
  const answer = await call({ reference: image?.reference })
  expect(answer).toEqual([
    { type: 'media', mediaType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) as string },
  ])
  expect(retrieve.toModelOutput?.(answer)).toEqual({ type: 'content', value: answer })
  expect(retrieve.toModelOutput?.('text')).toBeUndefined()
})

it('the retrieval tool has the schema and the description of core', () => {
  const { name, description, inputSchema } = offloader.forScope('a').retrievalTool
  expect(retrieve).toMatchObject({ id: name, description, strict: false })
  const schemaOf = (tool: typeof retrieve): unknown =>
    standardSchemaToJSONSchema(tool.inputSchema as StandardSchemaWithJSON, { io: 'input' })
  expect(schemaOf(retrieve)).toEqual(inputSchema)
  expect(schemaOf(retrievalTool(offloader, { scope: () => [] }))).toMatchObject({ required: ['reference'] })
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
  const context = { requestContext: new RequestContext(), abortSignal: new AbortController().signal }
  await own.execute?.({ reference: 'a' }, context as unknown as ToolExecutionContext)
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
