import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContextOffloader, type ContentBlock, type OffloadEvent, type Storage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import {
  AfterModelCallEvent,
  AfterToolCallEvent,
  Agent,
  BeforeToolCallEvent,
  DocumentBlock,
  ImageBlock,
  JsonBlock,
  TextBlock,
  tool,
  ToolResultBlock,
  VideoBlock,
  type AgentConfig,
  type LocalAgent,
  type Plugin,
  type Tool,
  type ToolContext,
  type ToolResultContent,
} from '@strands-agents/sdk'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FakeModel } from '../test/fake-model.ts'
import {
  agentWith,
  LOG,
  readLog,
  referenceIn,
  resultsOf,
  retrieving,
  scriptedModel,
  searching,
  sessionManager,
  textOf,
  type Turn,
} from '../test/scripted-agent.ts'
import { isVersion10 } from '../test/version.ts'
import { agentScope, blockToContent, contentToBlock, offloadPlugin, type OffloadOptions } from './offload-plugin.ts'

const offloaded = expect.stringMatching(/^\[Offloaded: /)

const create = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage() })

/** A plugin with hooks of a program. After our plugin in the list, its hooks run before ours in every version. */
function program(initAgent: (agent: LocalAgent) => void): Plugin {
  return { name: 'program', initAgent }
}

async function references(storage: Storage): Promise<string[]> {
  const found: string[] = []
  for await (const { reference } of storage.list?.() ?? []) found.push(reference)
  return found
}

/** Run an agent that calls `read_log` once, and return the result that it sees. */
async function runOnce(config: AgentConfig): Promise<ToolResultBlock | undefined> {
  const agent = agentWith({ model: scriptedModel('read_log'), tools: [readLog], ...config })
  await agent.invoke('Go.')
  return resultsOf(agent)[0]
}

it('agents that share a plugin are isolated: none reads or evicts content of another', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: 3 })
  const plugins = [offloadPlugin(new ContextOffloader({ storage }))]
  const first = agentWith({ model: scriptedModel('read_log'), tools: [readLog], plugins })
  await first.invoke('Go.')
  const reference = referenceIn(textOf(resultsOf(first)[0]))
  const thief = agentWith({
    model: scriptedModel(retrieving({}, reference), searching('status')),
    plugins,
  })
  await thief.invoke('Go.')
  expect(resultsOf(thief).map(({ status }) => status)).toEqual(['error', 'success'])
  for (const result of resultsOf(thief)) expect(textOf(result)).not.toMatch(/line \d+:/)
  for (let round = 0; round < 10; round += 1) await thief.invoke('Go on.')
  first.model = scriptedModel(retrieving({ pattern: 'FAILED' }, reference))
  await first.invoke('Go on.')
  expect(textOf(resultsOf(first)[1])).toContain('line 1321: status=FAILED')
})

it('content is found if the same agent and session stored it in another process', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-strands-'))
  try {
    const agent = (sessionId: string, ...turns: readonly Turn[]): Agent =>
      agentWith({
        model: scriptedModel(...turns),
        tools: [readLog],
        plugins: [offloadPlugin(new ContextOffloader({ storage: new FileStorage(directory) }))],
        sessionManager: sessionManager(sessionId),
      })
    const before = agent('session-1', 'read_log')
    await before.invoke('Go.')
    const search = retrieving({ pattern: 'FAILED' }, referenceIn(textOf(resultsOf(before)[0])))
    const after = agent('session-1', search)
    await after.invoke('Go on.')
    expect(textOf(resultsOf(after)[0])).toContain('line 1321: status=FAILED')
    const stranger = agent('session-2', search)
    await stranger.invoke('Go on.')
    expect(resultsOf(stranger)[0]?.status).toBe('error')
  } finally {
    await rm(directory, { recursive: true })
  }
})

it("the scope comes from the caller's invocation state", async () => {
  const offloader = create()
  const plugins = [
    offloadPlugin(offloader, { scope: ({ agent, invocationState }) => [String(invocationState['tenant']), agent.id] }),
  ]
  const agent = agentWith({ id: 'writer', model: scriptedModel('read_log'), tools: [readLog], plugins })
  await agent.invoke('Go.', { invocationState: { tenant: 'tenant-1' } })
  expect(await references(offloader.forScope('tenant-1', 'writer').options.storage)).toHaveLength(1)
})

it('results are unchanged if the scope of a run is invalid', async () => {
  const events: OffloadEvent[] = []
  const offloader = new ContextOffloader({
    storage: new InMemoryStorage(),
    onEvent: (event) => void events.push(event),
  })
  const scope = (): string[] => {
    throw new Error('no tenant')
  }
  expect(textOf(await runOnce({ plugins: [offloadPlugin(offloader, { scope })] }))).toBe(LOG)
  expect(events.map(({ type }) => type)).toEqual(['offload-failed'])
})

it.each(['behind it in the list', ...(isVersion10 ? [] : ['before it in the list', 'on the agent itself'])])(
  "the result after all hooks is stored, and hooks see the tool's own result: %s",
  async (where) => {
    const offloader = create()
    const seen: string[] = []
    const redact = (agent: LocalAgent): void => {
      agent.addHook(AfterToolCallEvent, (event) => {
        seen.push(textOf(event.result))
        const { toolUseId, status } = event.result
        event.result = new ToolResultBlock({
          toolUseId,
          status,
          content: [new TextBlock(LOG.replaceAll('done', '****'))],
        })
      })
    }
    const ours = offloadPlugin(offloader, { scope: () => [] })
    const theirs = program(redact)
    const plugins = where.startsWith('before') ? [theirs, ours] : where.startsWith('behind') ? [ours, theirs] : [ours]
    const agent = agentWith({ model: scriptedModel('read_log'), tools: [readLog], plugins })
    if (where.startsWith('on')) redact(agent)
    await agent.invoke('Go.')
    expect(seen).toEqual([LOG])
    const text = textOf(resultsOf(agent)[0])
    expect(text).toEqual(offloaded)
    const { content } = await offloader.options.storage.retrieve(referenceIn(text))
    expect(new TextDecoder().decode(content)).toBe(LOG.replaceAll('done', '****'))
  },
)

it('does not store anything when an attempt is repeated', async () => {
  const offloader = create()
  let attempts = 0
  const again = program((agent) => {
    agent.addHook(AfterToolCallEvent, (event) => {
      attempts += 1
      if (attempts < 3) event.retry = true
    })
  })
  const plugins = [offloadPlugin(offloader, { scope: () => [] }), again]
  const growing = tool({ name: 'read_log', description: 'Read.', callback: () => `${attempts} ${LOG}` })
  expect(textOf(await runOnce({ tools: [growing], plugins }))).toEqual(offloaded)
  expect(attempts).toBe(3)
  expect(await references(offloader.options.storage)).toHaveLength(1)
})

it.each(['a large one', 'one like any result'])('the message of a canceled call is unchanged: %s', async (which) => {
  const events: OffloadEvent[] = []
  const offloader = new ContextOffloader({
    storage: new InMemoryStorage(),
    onEvent: (event) => void events.push(event),
  })
  const message = which === 'a large one' ? `You may not.\n${LOG}` : 'You may not.'
  const forbid = program((agent) => {
    agent.addHook(BeforeToolCallEvent, (event) => {
      event.cancel = message
    })
  })
  const result = await runOnce({ plugins: [offloadPlugin(offloader), forbid] })
  expect(result).toMatchObject({ status: 'error', content: [{ text: message }] })
  expect(events).toEqual([])
})

it('the result of a call is offloaded if an equal call was canceled', async () => {
  let calls = 0
  const forbidOnce = program((agent) => {
    agent.addHook(BeforeToolCallEvent, (event) => {
      calls += 1
      if (calls === 1) event.cancel = true
    })
  })
  const call = { toolCalls: [{ id: 'call_1', name: 'read_log', input: {} }] }
  const model = scriptedModel(
    () => call,
    () => call,
  )
  const agent = agentWith({ model, tools: [readLog], plugins: [offloadPlugin(create()), forbidOnce] })
  await agent.invoke('Go.')
  expect(resultsOf(agent).map(textOf)).toEqual([expect.any(String), offloaded])
})

it('the answer of a structured run is unchanged', async () => {
  const lines = LOG.split('\n')
  const model = new FakeModel(({ toolNames }) => {
    const name = toolNames.find((one) => one.includes('structured')) ?? ''
    return { toolCalls: [{ id: 'call_1', name, input: { lines } }] }
  })
  const structuredOutputSchema = z.object({ lines: z.array(z.string()) })
  const agent = agentWith({ model, plugins: [offloadPlugin(create())], structuredOutputSchema })
  expect((await agent.invoke('Go.')).structuredOutput).toEqual({ lines })
})

it.skipIf(isVersion10)('the answer of an agent to which a call is delegated is unchanged', async () => {
  const specialist = agentWith({ id: 'specialist', name: 'specialist', model: new FakeModel(() => ({ text: LOG })) })
  const options: object = { name: 'ask', delegate: true }
  const delegate = specialist.asTool(options)
  const model = scriptedModel(() => ({ toolCalls: [{ id: 'call_1', name: 'ask', input: { input: 'Go.' } }] }))
  const offloader = create()
  const { lastMessage } = await agentWith({ model, tools: [delegate], plugins: [offloadPlugin(offloader)] }).invoke(
    'Go.',
  )
  expect(lastMessage.content).toEqual([expect.objectContaining({ text: LOG })])
  expect(offloader.meter().offloaded).toBe(0)
})

it('the answer of an agent that is used as a tool is offloaded', async () => {
  const specialist = agentWith({ id: 'specialist', name: 'specialist', model: new FakeModel(() => ({ text: LOG })) })
  const model = scriptedModel(() => ({ toolCalls: [{ id: 'call_1', name: 'ask', input: { input: 'Go.' } }] }))
  const agent = agentWith({ model, tools: [specialist.asTool({ name: 'ask' })], plugins: [offloadPlugin(create())] })
  await agent.invoke('Go.')
  expect(textOf(resultsOf(agent)[0])).toEqual(offloaded)
})

it('each model call that succeeds ends a turn, and failed attempts do not', async () => {
  let turns = 0
  const storage: Storage = {
    store: async () => 'a',
    retrieve: () => Promise.reject(new Error('none')),
    endTurn: async () => {
      turns += 1
      return { evicted: [] }
    },
  }
  let calls = 0
  const model = new FakeModel(({ results }) => {
    calls += 1
    if (calls === 2) throw new Error('overloaded')
    return results.length === 0 ? { toolCalls: [{ id: 'call_1', name: 'read_log', input: {} }] } : { text: 'done' }
  })
  const again = program((agent) => {
    agent.addHook(AfterModelCallEvent, (event) => {
      if (event.error !== undefined) event.retry = true
    })
  })
  const plugins = [offloadPlugin(new ContextOffloader({ storage }), { scope: () => [] }), again]
  await runOnce({ model, plugins })
  expect(calls).toBe(3)
  expect(turns).toBe(2)
})

it('small results stay the same objects, and large results change only in their content', async () => {
  const small = new ToolResultBlock({ toolUseId: 'call_1', status: 'success', content: [new TextBlock('small')] })
  const error = new RangeError('too long')
  const large = new ToolResultBlock({ toolUseId: 'call_2', status: 'error', content: [new TextBlock(LOG)], error })
  const agent = agentWith({
    model: scriptedModel('read', 'read'),
    tools: [returning(small, large)],
    plugins: [offloadPlugin(create())],
  })
  await agent.invoke('Go.')
  const [first, second] = resultsOf(agent)
  expect(first).toBe(small)
  expect(second).toMatchObject({ toolUseId: 'call_2', status: 'error', error, content: [{ text: offloaded }] })
})

it('media are counted by size, and media by URL keep their address', async () => {
  const location = { type: 's3' as const, uri: 's3://bucket/scan.png' }
  const elsewhere = new ImageBlock({ format: 'png', source: { location } })
  const large = new ImageBlock({ format: 'png', source: { bytes: new Uint8Array(2_000_000) } })
  const result = new ToolResultBlock({ toolUseId: 'call_1', status: 'success', content: [large, elsewhere] })
  const agent = agentWith({
    model: scriptedModel('read'),
    tools: [returning(result)],
    plugins: [offloadPlugin(create())],
  })
  await agent.invoke('Go.')
  const [replacement, kept, ...others] = resultsOf(agent)[0]?.content ?? []
  expect(replacement).toMatchObject({ text: expect.stringMatching(/^\[image: png, 2,000,000 bytes\]$/m) })
  expect(kept).toBe(elsewhere)
  expect(others).toEqual([])
})

it('content of unknown types is accepted', async () => {
  const content = [{ text: LOG }, { type: 'textBlock', text: 5 }, { type: 'textBlock', text: LOG }]
  const result = new ToolResultBlock({ toolUseId: 'call_1', status: 'success', content: content as never })
  // Strands itself would fail on such content at the next model call.
  const agent = new HookedAgent()
  await offloadPlugin(create()).initAgent(agent as unknown as LocalAgent)
  const toolUse = { name: 'read', toolUseId: 'call_1', input: {} }
  const event = { agent, toolUse, result, invocationState: {} }
  await agent.hooks.get(AfterToolCallEvent)?.(event)
  expect(event.result.content).toEqual([expect.objectContaining({ text: offloaded }), content[0], content[1]])
  const none = { ...event, result: { toolUseId: 'call_1', status: 'success', content: LOG } }
  await agent.hooks.get(AfterToolCallEvent)?.(none)
  expect(none.result.content).toBe(LOG)
})

it('Strands rejects an agent that has the plugin twice', async () => {
  const agent = agentWith({
    model: new FakeModel(() => ({ text: 'done' })),
    plugins: [offloadPlugin(create()), offloadPlugin(create())],
  })
  await expect(agent.invoke('Go.')).rejects.toThrow(/already/)
})

it.skipIf(isVersion10)('a program that calls a tool itself gets the original result', async () => {
  const agent = agentWith({
    model: new FakeModel(() => ({ text: 'done' })),
    tools: [readLog],
    plugins: [offloadPlugin(create())],
  })
  await agent.initialize()
  const { tool: tools } = agent as unknown as { tool: Record<string, { invoke: () => Promise<ToolResultBlock> }> }
  expect(textOf(await tools['read_log']?.invoke())).toBe(LOG)
})

it.each<[unknown, unknown, RegExp]>([
  [{}, {}, /^offloader must be a ContextOffloader, got an object: offloadPlugin\(offloader, options\)/],
  [create(), { exept: [] }, /^Unknown option "exept"/],
  [create(), { scope: 'tenant' }, /^scope must be a function that gets the run/],
])('options %o are rejected with %o', (offloader, options, message) => {
  expect(() => offloadPlugin(offloader as ContextOffloader, options as object)).toThrow(message)
})

/** An agent that has only hooks, which the tests call. */
class HookedAgent {
  readonly id = 'agent'
  readonly cancelSignal = new AbortController().signal
  readonly hooks = new Map<unknown, (event: object) => unknown>()

  addHook(type: unknown, callback: (event: object) => unknown): void {
    this.hooks.set(type, callback)
  }
}

/** A tool with its own class that returns these results in order. */
function returning(...results: readonly ToolResultBlock[]): Tool {
  let index = 0
  const { toolSpec, description } = tool({ name: 'read', description: 'Read.', callback: () => '' })
  return {
    name: 'read',
    description,
    toolSpec,
    async *stream() {
      yield* []
      const result = results[index % results.length]
      index += 1
      return result as ToolResultBlock
    },
  }
}

describe('retrievalTool', () => {
  const agent = { cancelSignal: new AbortController().signal }

  async function answer(tool: Tool, input: unknown, context: object = {}): Promise<ToolResultBlock> {
    const toolUse = { name: tool.name, toolUseId: 'call_1', input }
    const stream = tool.stream({ toolUse, agent, invocationState: {}, ...context } as unknown as ToolContext)
    const { done, value } = await stream.next()
    if (done !== true) throw new Error('It yields something before the answer.')
    return value
  }

  const retrievalToolOf = (offloader: ContextOffloader, scope: OffloadOptions['scope'] = () => []): Tool =>
    offloadPlugin(offloader, { scope }).getTools()[0]!

  it('offers the parameters of the offloader, and searches the whole scope only if there are scopes', () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const { name, description, inputSchema } = offloader.forScope('a').retrievalTool
    const scoped = retrievalToolOf(offloader)
    expect(scoped).toMatchObject({ name, description, toolSpec: { name, description, inputSchema } })
    const twoMethods: Storage = { store: async (key) => key, retrieve: () => Promise.reject(new Error('none')) }
    const unscoped = new ContextOffloader({ storage: twoMethods })
    const tool = retrievalToolOf(unscoped)
    expect(tool.toolSpec.inputSchema).toMatchObject({ required: ['reference'] })
  })

  it('answers with native content blocks, and marks failures as errors', async () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage(), maxRetrievalTokens: 100_000 })
    const tool = retrievalToolOf(offloader)
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `user ${id}` }))
    const content = [{ type: 'json', value: rows } as const]
    const outcome = await offloader.offload({ toolName: 'list', toolCallId: 'a', content })
    const [reference] = outcome.status === 'offloaded' ? outcome.stored.map((one) => one.reference) : []
    expect(await answer(tool, { reference })).toMatchObject({
      toolUseId: 'call_1',
      status: 'success',
      content: [{ type: 'textBlock' }, { type: 'jsonBlock', json: { $value: rows } }, { type: 'textBlock' }],
    })
    for (const input of [{}, { reference: 'unknown' }, undefined, null, 'a', { reference, line_range: 'all' }])
      expect(await answer(tool, input)).toMatchObject({
        status: 'error',
        content: [{ type: 'textBlock', text: expect.stringMatching(/^Error: /) }],
      })
  })

  it.each(['cancelSignal of the call', 'cancelSignal of the agent, in older versions'])(
    'is stopped by the %s',
    async (which) => {
      const controller = new AbortController()
      const hanging: Storage = { store: async () => 'a', retrieve: () => new Promise(() => undefined) }
      const offloader = new ContextOffloader({ storage: hanging })
      const tool = retrievalToolOf(offloader)
      const signal = { cancelSignal: controller.signal }
      const answered = answer(tool, { reference: 'a' }, which.includes('agent') ? { agent: signal } : signal)
      controller.abort()
      expect(await answered).toMatchObject({ status: 'error' })
    },
  )

  it('answers in the scope of the calling run', async () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const tool = retrievalToolOf(offloader, ({ invocationState }) => [String(invocationState['tenant'])])
    const request = { toolName: 'read', toolCallId: 'a', content: [{ type: 'text', text: LOG } as const] }
    await offloader.forScope('a').offload(request)
    const search = { pattern: 'FAILED' }
    expect(await answer(tool, search, { invocationState: { tenant: 'a' } })).toMatchObject({
      content: [{ text: expect.stringContaining('line 1321: status=FAILED') }],
    })
    expect(JSON.stringify(await answer(tool, search, { invocationState: { tenant: 'b' } }))).not.toContain('line 1321')
  })
})

describe('runScope', () => {
  const model = new FakeModel(() => ({ text: 'done' }))
  const scopeOf = (agent: Agent): readonly string[] => agentScope({ agent, invocationState: {} })

  it('is the id of the session manager and the id of the agent, in every process', () => {
    const agent = (id?: string): Agent =>
      new Agent({ model, ...(id && { id }), sessionManager: sessionManager('session-1') })
    expect(scopeOf(agent())).toEqual(['session-1', 'agent'])
    expect(scopeOf(agent())).toEqual(['session-1', 'agent'])
    expect(scopeOf(agent('writer'))).toEqual(['session-1', 'writer'])
  })

  it('is unique and stable for each agent without a session manager', () => {
    const [first, second] = [new Agent({ model }), new Agent({ model })]
    expect(scopeOf(first)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'agent'])
    expect(scopeOf(first)).toEqual(scopeOf(first))
    expect(scopeOf(second)).not.toEqual(scopeOf(first))
  })

  it('accepts an agent with few fields', () => {
    expect(agentScope({ agent: { id: 'a' } as LocalAgent, invocationState: {} })).toHaveLength(2)
  })
})

describe('contentBlocks', () => {
  describe('contentToBlock', () => {
    const bytes = new Uint8Array([1, 2, 3])
    const location = { type: 's3' as const, uri: 's3://bucket/key' }
    const text = (value: string): Uint8Array => new TextEncoder().encode(value)

    it.each<[string, ToolResultContent, object]>([
      ['text', new TextBlock('a'), { type: 'text', text: 'a' }],
      ['an object', new JsonBlock({ json: { a: 1 } }), { type: 'json', value: { a: 1 } }],
      [
        'an array, which Strands puts into an object',
        new JsonBlock({ json: { $value: [1] } }),
        { type: 'json', value: [1] },
      ],
      [
        'an object of a tool',
        new JsonBlock({ json: { $value: [1], a: 2 } }),
        { type: 'json', value: { $value: [1], a: 2 } },
      ],
      [
        'an object without an array',
        new JsonBlock({ json: { $value: 'a' } }),
        { type: 'json', value: { $value: 'a' } },
      ],
      ['null', new JsonBlock({ json: null }), { type: 'json', value: null }],
      [
        'an image',
        new ImageBlock({ format: 'jpg', source: { bytes } }),
        { type: 'image', mediaType: 'image/jpeg', data: bytes },
      ],
      [
        'an image by URL',
        new ImageBlock({ format: 'png', source: { url: 'https://example.com/a.png' } }),
        { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' },
      ],
      [
        'an image in a data: URL',
        new ImageBlock({ format: 'png', source: { url: 'data:image/png;base64,AQID' } }),
        { type: 'image', mediaType: 'image/png', data: bytes },
      ],
      [
        'an image in S3',
        new ImageBlock({ format: 'webp', source: { location } }),
        { type: 'image', mediaType: 'image/webp', url: location.uri },
      ],
      [
        'a video',
        new VideoBlock({ format: 'mkv', source: { bytes } }),
        { type: 'video', mediaType: 'video/x-matroska', data: bytes },
      ],
      [
        'a video in S3',
        new VideoBlock({ format: 'mp4', source: { location } }),
        { type: 'video', mediaType: 'video/mp4', url: location.uri },
      ],
      [
        'a document',
        new DocumentBlock({ format: 'pdf', name: 'paper', source: { bytes } }),
        { type: 'document', mediaType: 'application/pdf', name: 'paper', data: bytes },
      ],
      [
        'a document of text',
        new DocumentBlock({ format: 'csv', name: 'table', source: { text: 'a,b\n1,2' } }),
        { type: 'document', mediaType: 'text/csv', name: 'table', data: text('a,b\n1,2') },
      ],
      [
        'a document in parts',
        new DocumentBlock({ format: 'txt', name: 'parts', source: { content: [{ text: 'one' }, { text: 'two' }] } }),
        { type: 'document', mediaType: 'text/plain', name: 'parts', data: text('one\ntwo') },
      ],
      [
        'a document in S3',
        new DocumentBlock({ format: 'docx', name: 'letter', source: { location } }),
        {
          type: 'document',
          mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
          name: 'letter',
          url: location.uri,
        },
      ],
    ])('maps %s', (_what, content, block) => {
      expect(contentToBlock(content)).toEqual(block)
    })

    it('does not copy the bytes and values that it maps', () => {
      expect(contentToBlock(new ImageBlock({ format: 'png', source: { bytes } }))).toHaveProperty('data', bytes)
      const json = { rows: [1] }
      expect(contentToBlock(new JsonBlock({ json }))).toHaveProperty('value', json)
    })

    it.each<[string, unknown]>([
      ['content of a later version', { type: 'audioBlock', format: 'wav', source: { bytes } }],
      ['a text block without a string', { type: 'textBlock', text: 5 }],
      ['media with an unknown source', { type: 'imageBlock', format: 'png', source: { type: 'of_the_future' } }],
      ['media without any source', { type: 'imageBlock', format: 'png' }],
      ['media without a format', { type: 'documentBlock', source: {} }],
      ['content as plain data', { text: 'a' }],
    ])('passes %s on unchanged', (_what, content) => {
      expect(contentToBlock(content as ToolResultContent)).toEqual({ type: 'unknown', value: content })
    })
  })

  describe('blockToContent', () => {
    const bytes = new Uint8Array([1, 2, 3])

    it.each<ContentBlock>([
      { type: 'text', text: 'a' },
      { type: 'json', value: { a: [1, null] } },
      { type: 'json', value: [1, { a: 2 }] },
      ...['image/png', 'image/jpeg', 'image/gif', 'image/webp'].map((mediaType): ContentBlock => ({
        type: 'image',
        mediaType,
        data: bytes,
      })),
      ...[
        'video/mp4',
        'video/webm',
        'video/quicktime',
        'video/x-matroska',
        'video/mpeg',
        'video/3gpp',
        'video/x-flv',
      ].map((mediaType): ContentBlock => ({ type: 'video', mediaType, data: bytes })),
      ...['application/pdf', 'text/csv', 'text/html', 'application/msword', 'text/markdown', 'application/xml'].map(
        (mediaType): ContentBlock => ({ type: 'document', mediaType, name: 'call-1', data: bytes }),
      ),
    ])('writes %o in a form that is read back as the same block', (block) => {
      expect(contentToBlock(blockToContent(block, 'call-1'))).toEqual(block)
    })

    it.each<[ContentBlock, ToolResultContent]>([
      [{ type: 'json', value: 'a' }, new TextBlock('"a"')],
      [{ type: 'json', value: 5 }, new TextBlock('5')],
      [{ type: 'json', value: undefined }, new TextBlock('null')],
      [{ type: 'unknown', value: { a: 1 } }, new JsonBlock({ json: { a: 1 } })],
      [{ type: 'link', url: 'https://example.com/a' }, new TextBlock('https://example.com/a')],
      [
        { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' },
        new TextBlock('https://example.com/a.png'),
      ],
      [{ type: 'image', mediaType: 'image/jpg', data: bytes }, new ImageBlock({ format: 'jpeg', source: { bytes } })],
      [
        { type: 'video', mediaType: 'video/x-ms-wmv', data: bytes },
        new VideoBlock({ format: 'wmv', source: { bytes } }),
      ],
      [
        { type: 'document', mediaType: 'application/pdf', data: bytes },
        new DocumentBlock({ format: 'pdf', name: 'call-1', source: { bytes } }),
      ],
    ])('writes %o', (block, content) => {
      expect(blockToContent(block, 'call-1')).toEqual(content)
    })

    it.each<ContentBlock>([
      { type: 'audio', mediaType: 'audio/wav', data: bytes },
      { type: 'image', mediaType: 'image/svg+xml', data: bytes },
      { type: 'image', mediaType: 'application/octet-stream', data: bytes },
      { type: 'video', mediaType: 'video/ogg', data: bytes },
      { type: 'document', mediaType: 'application/zip', data: bytes },
      { type: 'document', mediaType: '__proto__', data: bytes },
    ])('describes %o, since Strands has no format that providers accept', (block) => {
      const { type, mediaType } = block as { type: string; mediaType: string }
      expect(blockToContent(block, 'call-1')).toEqual(new TextBlock(`[${type}: ${mediaType}, 3 bytes: not shown]`))
    })

    it.each([
      ['tooluse_A-1', 'tooluse-A-1'],
      ['../../etc/passwd', '-etc-passwd'],
      ['x'.repeat(300), 'x'.repeat(200)],
      ['日本語', '-'],
    ])('names a document by the call, %s, in characters that Amazon Bedrock accepts: %s', (toolUseId, name) => {
      const block = { type: 'document', mediaType: 'application/pdf', name: 'not this one', data: bytes } as const
      expect(blockToContent(block, toolUseId)).toMatchObject({ name })
    })
  })
})
