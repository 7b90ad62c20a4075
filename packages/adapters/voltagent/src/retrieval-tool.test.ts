import { ContextOffloader, type Storage } from '@spillway/core'
import { expect, it } from 'vitest'
import { agentOf, calling, createOffloader, LOG, scriptedModel } from '../test/scripted-agent.ts'
import { retrievalTool, type RetrievalOutput } from './retrieval-tool.ts'

const { offloader } = createOffloader({ maxResultTokens: 500 })
const retrieve = retrievalTool(offloader)
const IN_A = { conversationId: 'a' }

async function storeIn(conversation: string): Promise<string> {
  const content = [{ type: 'text', text: LOG }] as const
  const outcome = await offloader
    .forScope(conversation)
    .offload({ toolName: 'read', toolCallId: conversation, content })
  return outcome.status === 'offloaded' ? (outcome.stored[0]?.reference ?? '') : ''
}

const call = async (input: unknown, operation?: object): Promise<RetrievalOutput> =>
  (await retrieve.execute?.(input, operation)) as RetrievalOutput

it('the retrieval tool answers in the scope of its operation, and finds nothing in another', async () => {
  const reference = await storeIn('a')
  const input = { reference, line_range: { start: 7, end: 7 } }
  expect(await call(input, IN_A)).toMatchObject({ type: 'text', value: expect.stringContaining('7| line 7') })
  for (const operation of [{ conversationId: 'b' }, { ...IN_A, userId: 'u' }, {}, undefined])
    expect(await call(input, operation)).toMatchObject({ type: 'error-text' })
})

it('the retrieval tool searches its whole conversation without a reference', async () => {
  const reference = await storeIn('search')
  const answer = await call({ pattern: 'FAILED', context_lines: 0 }, { conversationId: 'search' })
  expect(answer.value).toContain(reference)
})

it.each<unknown>([undefined, null, 'text', {}, { reference: 7 }, { reference: 'x', unknown: 1 }, { pattern: [7] }])(
  'the retrieval tool answers %j with advice',
  async (input) => {
    expect(await call(input, IN_A)).toMatchObject({ type: 'error-text', value: expect.stringMatching(/^Error: /) })
  },
)

it('the retrieval tool shows the model its answer unchanged', async () => {
  const answer = await call({ reference: 'made_up' }, IN_A)
  expect(retrieve.toModelOutput?.({ output: answer })).toBe(answer)
})

it('the retrieval tool has the schema of core, as a new object in each model call', async () => {
  const { model, prompts } = scriptedModel(calling(retrieve.name))
  await agentOf({ model, tools: [retrieve] }).generateText('Go.', IN_A)
  const { name, description, inputSchema } = offloader.forScope('a').retrievalTool
  expect(retrieve).toMatchObject({ name, description })
  for (const { toolSchemas } of prompts) expect(toolSchemas?.[name]).toMatchObject({ ...inputSchema })
  expect(Object.isFrozen(inputSchema) || !('$schema' in inputSchema)).toBe(true)
})

it('the retrieval tool says that a search needs a reference if operations may share a scope', async () => {
  const shared = retrievalTool(offloader, { scope: () => [] })
  const { model, prompts } = scriptedModel()
  await agentOf({ model, tools: [shared] }).generateText('Go.', IN_A)
  expect(prompts[0]?.toolSchemas?.[shared.name]).toMatchObject({ required: ['reference'] })
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
  const toolContext = { name: own.name, callId: 'call_0', messages: [], abortSignal: signal }
  await own.execute?.({ reference: 'a' }, { toolContext })
  expect(signals[0]).toBeInstanceOf(AbortSignal)
})

it('the retrieval tool rejects invalid arguments with advice', () => {
  const storage: Storage = { store: async () => 'a', retrieve: () => Promise.reject(new Error('none')) }
  const two = new ContextOffloader({ storage })
  expect(() => retrievalTool(two)).toThrow(/Wrap it with createStorage\(\), or let all sessions share it with scope/)
  for (const [given, options, message] of [
    [undefined, {}, /offloader must be a ContextOffloader/],
    [{ storage }, {}, /offloader must be a ContextOffloader/],
    [offloader, { scopes: [] }, /Unknown option "scopes". Known: scope/],
    [offloader, { hooks: {} }, /Unknown option "hooks"/],
  ] as const)
    expect(() => retrievalTool(given as never, options as never)).toThrow(message)
})
