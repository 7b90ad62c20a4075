import { Context, InvocationContext, PluginManager, type BaseTool, type Session } from '@google/adk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { newOffloader } from '../test/run-agent.ts'
import { retrievalTool } from './retrieval-tool.ts'

const SCOPE = ['app', 'user', 'session'] as const

/** Call the tool as ADK does. */
async function call(tool: BaseTool, args: Record<string, unknown>, abortSignal?: AbortSignal): Promise<unknown> {
  const [appName, userId, id] = SCOPE
  const session: Session = { appName, userId, id, state: {}, events: [], lastUpdateTime: 0 }
  const invocationContext = new InvocationContext({
    invocationId: 'e-1',
    session,
    pluginManager: new PluginManager(),
    ...(abortSignal === undefined ? {} : { abortSignal }),
  })
  return await tool.runAsync({ args, toolContext: new Context({ invocationContext, functionCallId: 'call_1' }) })
}

/** Store content as a result of the session, and return its reference. */
async function store(offloader: ContextOffloader, content: string | Uint8Array, contentType?: string): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return await offloader.forScope(...SCOPE).options.storage.store('call_0', bytes, contentType)
}

it('the retrieval tool answers with text as the result', async () => {
  const offloader = newOffloader()
  const reference = await store(offloader, 'one\ntwo\nthree')
  expect(await call(retrievalTool(offloader), { reference, pattern: 'two', context_lines: 0 })).toEqual({
    result: `[1 match]\n<<< ${reference.slice(-8)}: untrusted content\n> 2| two\n>>> end of ${reference.slice(-8)}`,
  })
})

it('the retrieval tool answers with a value as the result, even if it looks like an error', async () => {
  const offloader = newOffloader()
  const reference = await store(offloader, '{"error": "as data"}', 'application/json')
  expect(await call(retrievalTool(offloader), { reference })).toEqual({
    result: [
      `<<< ${reference.slice(-8)}: untrusted content`,
      { error: 'as data' },
      `>>> end of ${reference.slice(-8)}`,
    ],
  })
})

it('the retrieval tool describes media in the answer', async () => {
  const offloader = newOffloader()
  const reference = await store(offloader, new Uint8Array(20_000), 'image/png')
  expect(await call(retrievalTool(offloader), { reference })).toEqual({ result: '[image: image/png, 20,000 bytes]' })
})

it.each([[{}], [{ reference: 'call_9_0_aaaaaaaaaaaaaaaaaaaa' }], [{ reference: 5 }], [{ patern: 'x' }]])(
  'the retrieval tool answers %j with an error that says what to do',
  async (args) => {
    expect(await call(retrievalTool(newOffloader()), args)).toEqual({ error: expect.stringMatching(/^Error: /) })
  },
)

it('the retrieval tool stops if the run ends while the storage hangs', async () => {
  const storage = new InMemoryStorage()
  const hanging = { retrieve: () => new Promise<never>(() => {}), store: async () => 'x', scope: () => hanging }
  const tool = retrievalTool(newOffloader({ storage: { ...hanging, endTurn: () => storage.endTurn() } }))
  const controller = new AbortController()
  const answer = call(tool, { reference: 'call_0_aaaaaaaaaaaaaaaaaaaa' }, controller.signal)
  controller.abort()
  expect(await answer).toEqual({ error: expect.any(String) })
})

it("the retrieval tool declares its parameters in Gemini's form, as a new object for each request", () => {
  const tool = retrievalTool(newOffloader())
  const declaration = tool._getDeclaration()
  expect(declaration).toMatchObject({
    name: RETRIEVAL_TOOL_NAME,
    description: tool.description,
    parameters: {
      type: 'OBJECT',
      properties: {
        reference: { type: 'STRING' },
        references: { type: 'ARRAY', items: { type: 'STRING' } },
        line_range: {
          type: 'OBJECT',
          properties: { start: { type: 'INTEGER' }, end: { type: 'INTEGER' } },
        },
      },
    },
  })
  expect(declaration?.parameters).not.toHaveProperty('required')
  expect(tool._getDeclaration()).toEqual(declaration)
  expect(tool._getDeclaration()).not.toBe(declaration)
})

it('the retrieval tool says that a search needs a reference if all runs share a storage without scopes', () => {
  const { store: put, retrieve } = new InMemoryStorage()
  const offloader = newOffloader({ storage: { store: put, retrieve } })
  expect(() => retrievalTool(offloader)).toThrow(/scope: \(\) => \[\]/)
  const tool = retrievalTool(offloader, { scope: () => [] })
  expect(tool._getDeclaration()?.parameters?.required).toEqual(['reference'])
})
