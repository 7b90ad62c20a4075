import { RunContext } from '@openai/agents'
import { ContextOffloader, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { LOG } from '../test/ask.ts'
import { retrievalTool } from './retrieval-tool.ts'
import { enterRun } from './run-scope.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const offloader = new ContextOffloader({ storage: new InMemoryStorage(), maxResultTokens: 500 })
const retrieve = retrievalTool(offloader)

async function storeIn(session: string): Promise<string> {
  const content = [{ type: 'text', text: LOG }] as const
  const outcome = await offloader.forScope(session).offload({ toolName: 'read', toolCallId: session, content })
  return outcome.status === 'offloaded' ? (outcome.stored[0]?.reference ?? '') : ''
}

/** Call the tool in a run of a session, as the SDK does. */
async function call(input: unknown, sessionId?: string): Promise<unknown> {
  const context = new RunContext()
  const leave = enterRun(context, { context: context.context, sessionId })
  try {
    return await retrieve.invoke(context, typeof input === 'string' ? input : JSON.stringify(input))
  } finally {
    leave()
  }
}

it('the retrieval tool answers in the scope of the session', async () => {
  const reference = await storeIn('a')
  const input = { reference, line_range: { start: 7, end: 7 } }
  expect(await call(input, 'a')).toContain('7| line 7')
  for (const session of ['b', undefined]) expect(await call(input, session)).toMatch(/^Error: /)
})

it('the retrieval tool searches its whole session without a reference', async () => {
  const reference = await storeIn('search')
  expect(await call({ pattern: 'line 2345', context_lines: 0 }, 'search')).toContain(reference)
})

it.each<unknown>([
  {},
  { reference: 7 },
  { reference: 'x', unknown: 1 },
  { line_range: 'all' },
  { reference: null },
  [],
  7,
])('the retrieval tool answers with advice if the input violates its schema: %j', async (input) => {
  expect(await call(input, 'a')).toMatch(/^Error: /)
})

it('the retrieval tool is strict, has the description of core, and needs no approval', async () => {
  const { name, description, inputSchema } = offloader.forScope('a').retrievalTool
  const { reference, references } = inputSchema.properties
  const parameters = {
    properties: {
      reference: { ...reference, type: ['string', 'null'] },
      references: { ...references, type: ['array', 'null'] },
      line_range: { anyOf: [{ required: ['start', 'end'], additionalProperties: false }, { type: 'null' }] },
    },
    required: Object.keys(inputSchema.properties),
    additionalProperties: false,
  }
  expect(retrieve).toMatchObject({ type: 'function', name, description, parameters, strict: true })
  expect(await retrieve.needsApproval(new RunContext(), {} as never)).toBe(false)
  const shared = retrievalTool(offloader, { scope: () => [] })
  expect(shared.parameters).toMatchObject({ properties: { reference: { type: 'string' } } })
})

it('the retrieval tool returns media in the form of tool results', async () => {
  const data = Uint8Array.from([...PNG, ...new Uint8Array(300_000)])
  const content = [{ type: 'image', mediaType: 'image/png', data }] as const
  const outcome = await offloader.forScope('a').offload({ toolName: 'capture', toolCallId: 'media', content })
  const [stored] = outcome.status === 'offloaded' ? outcome.stored : []
  const image = { data: expect.stringMatching(/^iVBORw0KGgo/), mediaType: 'image/png' }
  expect(await call({ reference: stored?.reference }, 'a')).toMatchObject([{ type: 'image', image }])
})

it.each(['call', 'run'])('the retrieval tool passes on the abort signal of the %s', async (owner) => {
  const controller = new AbortController()
  const reasons: unknown[] = []
  const storage: Storage = {
    store: async () => 'a',
    retrieve: async (_reference, options) => {
      controller.abort('stopped')
      reasons.push(options?.signal?.reason)
      throw new Error('aborted')
    },
  }
  const own = retrievalTool(new ContextOffloader({ storage }), { scope: () => [] })
  const { signal } = controller
  const context = new RunContext()
  enterRun(context, { context: {}, signal: owner === 'run' ? signal : undefined })
  await own.invoke(context, '{"reference":"a"}', owner === 'call' ? { signal } : undefined)
  expect(reasons).toEqual(['stopped'])
})

it('the retrieval tool answers outside of all sessions if there is no context', async () => {
  expect(await retrieve.invoke(undefined as never, '{"reference":"made_up"}')).toMatch(/^Error: /)
})

it('the retrieval tool rejects invalid arguments with advice', () => {
  const storage: Storage = { store: async () => 'a', retrieve: () => Promise.reject(new Error('none')) }
  const unscoped = new ContextOffloader({ storage })
  expect(() => retrievalTool(unscoped)).toThrow(
    /Wrap it with createStorage\(\), or let all sessions share it with scope/,
  )
  expect(() => retrievalTool(unscoped, { scope: () => [] })).not.toThrow()
  expect(() => retrievalTool(undefined as never)).toThrow(/offloader must be a ContextOffloader/)
})
