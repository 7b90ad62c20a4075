import { ContextOffloader, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { ToolContext, ToolResultBlock } from '@strands-agents/sdk'
import { expect, it } from 'vitest'
import { LOG } from '../test/scripted-agent.ts'
import { RetrievalTool } from './retrieval-tool.ts'

const agent = { cancelSignal: new AbortController().signal }

async function answer(tool: RetrievalTool, input: unknown, context: object = {}): Promise<ToolResultBlock> {
  const toolUse = { name: tool.name, toolUseId: 'call_1', input }
  const stream = tool.stream({ toolUse, agent, invocationState: {}, ...context } as unknown as ToolContext)
  const { done, value } = await stream.next()
  if (done !== true) throw new Error('It yields something before the answer.')
  return value
}

it('offers the parameters of the offloader, and a search of everything only where there are scopes', () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const { name, description, inputSchema } = offloader.forScope('a').retrievalTool
  const scoped = new RetrievalTool(offloader, () => offloader)
  expect(scoped).toMatchObject({ name, description, toolSpec: { name, description, inputSchema } })
  const twoMethods: Storage = { store: async (key) => key, retrieve: () => Promise.reject(new Error('none')) }
  const unscoped = new ContextOffloader({ storage: twoMethods })
  const tool = new RetrievalTool(unscoped, () => unscoped)
  expect(tool.toolSpec.inputSchema).toMatchObject({ required: ['reference'] })
})

it('answers in the native form of what was stored, and marks what it cannot answer as an error', async () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage(), maxRetrievalTokens: 100_000 })
  const tool = new RetrievalTool(offloader, () => offloader)
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `user ${id}` }))
  const content = [{ type: 'json', value: rows } as const]
  const outcome = await offloader.offload({ toolName: 'list', toolCallId: 'a', content })
  const [reference] = outcome.status === 'offloaded' ? outcome.stored.map((one) => one.reference) : []
  expect(await answer(tool, { reference })).toMatchObject({
    toolUseId: 'call_1',
    status: 'success',
    content: [{ type: 'jsonBlock', json: { $value: rows } }],
  })
  for (const input of [{}, { reference: 'unknown' }, undefined, null, 'a', { reference, line_range: 'all' }])
    expect(await answer(tool, input)).toMatchObject({
      status: 'error',
      content: [{ type: 'textBlock', text: expect.stringMatching(/^Error: /) }],
    })
})

it.each(['cancelSignal of the call', 'cancelSignal of the agent, in older versions'])(
  'ends by the %s',
  async (which) => {
    const controller = new AbortController()
    const hanging: Storage = { store: async () => 'a', retrieve: () => new Promise(() => undefined) }
    const offloader = new ContextOffloader({ storage: hanging })
    const tool = new RetrievalTool(offloader, () => offloader)
    const signal = { cancelSignal: controller.signal }
    const answered = answer(tool, { reference: 'a' }, which.includes('agent') ? { agent: signal } : signal)
    controller.abort()
    expect(await answered).toMatchObject({ status: 'error' })
  },
)

it('answers in the scope of the run that asks', async () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const tool = new RetrievalTool(offloader, ({ invocationState }) =>
    offloader.forScope(String(invocationState['tenant'])),
  )
  const request = { toolName: 'read', toolCallId: 'a', content: [{ type: 'text', text: LOG } as const] }
  await offloader.forScope('a').offload(request)
  const search = { pattern: 'FAILED' }
  expect(await answer(tool, search, { invocationState: { tenant: 'a' } })).toMatchObject({
    content: [{ text: expect.stringContaining('line 4321: status=FAILED') }],
  })
  expect(JSON.stringify(await answer(tool, search, { invocationState: { tenant: 'b' } }))).not.toContain('line 4321')
})
