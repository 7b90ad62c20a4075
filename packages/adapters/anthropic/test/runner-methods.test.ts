/** Tests the methods of a running tool runner, with wrapped tools. */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import type { ModelTurn } from '@spillway-internal/adapter-suite'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { endTurns, offloadTools } from '../src/index.ts'
import { fakeApi, type ModelRequest } from './fake-api.ts'
import { resultsIn } from './read-prompt.ts'
import { hasThreads } from './version.ts'

const LOG = 'a line of a log\n'.repeat(1_000)
const REPLACED = expect.stringMatching(/^\[Offloaded: /)
const question = { role: 'user' as const, content: 'Go.' }
const base = { model: 'claude-opus-5', max_tokens: 100, messages: [question] }

let session: ContextOffloader
let ran: string[]
let requests: ModelRequest[]

beforeEach(() => {
  session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')
  ran = []
  requests = []
})

const toolNamed = (name: string): ReturnType<typeof betaTool<{ type: 'object' }>> => {
  const run = (): string => {
    ran.push(name)
    return LOG
  }
  return betaTool({ name, description: 'A tool.', inputSchema: { type: 'object' }, run })
}

/** Make a client whose model calls these tools at once, and then ends. */
const clientCalling = (...names: readonly string[]): Anthropic => {
  const toolCalls = names.map((name) => ({ id: `id_${name}`, name, input: {} }))
  const turn = (request: ModelRequest): ModelTurn => (requests.push(request) === 1 ? { toolCalls } : { text: 'done' })
  return new Anthropic({ apiKey: 'none', fetch: fakeApi(turn), maxRetries: 0 })
}

it('generateToolResponse returns the replaced results, and runs each tool once', async () => {
  const tools = offloadTools([toolNamed('read')], session)
  const runner = clientCalling('read').beta.messages.toolRunner({ ...base, tools })
  const responses: unknown[] = []
  for await (const _reply of endTurns(runner, session)) responses.push(await runner.generateToolResponse())
  expect(responses).toMatchObject([{ content: [{ content: REPLACED }] }, null])
  expect(ran).toEqual(['read'])
})

it('a JSON path can be selected from a value that a tool wrote as text', async () => {
  const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `user ${id}` }))
  const run = (): string => JSON.stringify({ rows })
  const list = betaTool({ name: 'list', description: 'List.', inputSchema: { type: 'object' }, run })
  const fetch = fakeApi((request) => {
    const last = resultsIn(request.messages).at(-1)
    if (requests.push(request) === 1) return { toolCalls: [{ id: 'call_1', name: 'list', input: {} }] }
    if (requests.length > 2) return { text: 'done' }
    const [, reference] = /^ {2}(\w+) \(/m.exec(last?.content as string) ?? []
    const input = { reference, json_path: '$.rows[1234].name' }
    return { toolCalls: [{ id: 'call_2', name: RETRIEVAL_TOOL_NAME, input }] }
  })
  const client = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
  await client.beta.messages.toolRunner({ ...base, tools: offloadTools([list], session) })
  expect(resultsIn(requests.at(-1)?.messages ?? []).at(-1)?.content).toMatch(/"user 1234"/)
})

describe.skipIf(!hasThreads)('a tool runner', () => {
  it('holds back a call that needs approval', async () => {
    const tools = offloadTools([toolNamed('read'), toolNamed('deploy')], session)
    const client = clientCalling('read', 'deploy')
    const runner = client.beta.messages.toolRunner({ ...base, tools, stream: true, runToolsEagerly: true })
    for await (const stream of endTurns(runner, session)) {
      stream.on('contentBlock', (block) => {
        if (block.type === 'tool_use' && block.name === 'deploy') runner.deferToolCall(block)
      })
      await stream.finalMessage()
      if (requests.length > 1) continue
      expect(ran).toEqual(['read'])
      expect(runner.deferredToolCalls.map(({ name }) => name)).toEqual(['deploy'])
    }
    expect(ran).toEqual(['read', 'deploy'])
    expect(resultsIn(requests.at(-1)?.messages ?? [])).toMatchObject([{ content: REPLACED }, { content: REPLACED }])
  })

  it('accepts a wrapped tool that is added later, like the original tool', async () => {
    const late = toolNamed('late')
    const [wrapped] = offloadTools([late], session)
    const runner = clientCalling('late').beta.messages.toolRunner({ ...base, tools: offloadTools([], session) })
    runner.addTools(wrapped)
    await runner
    const [addition] = requests[0]?.messages.filter(({ role }) => role === 'system') ?? []
    const { run: _run, parse: _parse, ...definition } = late
    expect(addition?.content).toEqual([{ type: 'tool_addition', tool: { type: 'tool_definition', definition } }])
    expect(resultsIn(requests.at(-1)?.messages ?? [])).toMatchObject([{ content: REPLACED }])
  })
})
