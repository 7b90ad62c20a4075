import * as agents from '@openai/agents'
import {
  MemorySession,
  RunContext,
  Runner,
  RunState,
  type AgentInputItem,
  type CallModelInputFilter,
  type MCPServer,
  type Tool,
} from '@openai/agents'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  callItems,
  calling,
  lastText,
  LOG,
  makeAgent,
  makeTool,
  newOffloader,
  OFFLOADED,
  referenceIn,
} from '../test/ask.ts'
import { isOldest } from '../test/version.ts'
import { offloadRunner } from './offload-runner.ts'
import { offloadTools } from './offload-tools.ts'
import { retrievalTool } from './retrieval-tool.ts'

const readLog = makeTool('read_log', () => LOG)
const session = (sessionId: string, initialItems: AgentInputItem[] = []): MemorySession =>
  new MemorySession({ sessionId, initialItems })
const retrieving = (prompt: { readonly results: readonly unknown[] }): ReturnType<typeof calling> =>
  calling('retrieve_offloaded_content', 'call_2', {
    reference: referenceIn(lastText([prompt as never])),
    pattern: 'line 234',
  })

describe('replaced results', () => {
  it('include results of unwrapped tools, while the program and the session keep the originals', async () => {
    const { offloader } = newOffloader()
    const { agent, prompts } = makeAgent([calling('read_log'), retrieving], {
      tools: [readLog, retrievalTool(offloader)],
    })
    const memory = session('a')
    const { newItems } = await offloadRunner(new Runner(), offloader).run(agent, 'Go.', { session: memory })
    expect(prompts[1]?.messages).toContain(OFFLOADED)
    expect(lastText(prompts)).toContain('line 2345 of the log')
    expect(newItems).toContainEqual(expect.objectContaining({ type: 'tool_call_output_item', output: LOG }))
    expect(JSON.stringify(await memory.getItems())).toContain('line 3000 of the log')
  })

  it('are reported once if the agent has no retrieval tool', async () => {
    const { offloader, events } = newOffloader()
    const { agent } = makeAgent([calling('read_log'), calling('read_log', 'call_2')], { tools: [readLog] })
    await offloadRunner(new Runner(), offloader).run(agent, 'Go.', { session: session('a') })
    expect(events.filter(({ type }) => type === 'retrieval-tool-hidden')).toHaveLength(1)
  })

  it.each<[string, unknown[], RegExp]>([
    ['text', [{ type: 'text', text: LOG }], /^\[Offloaded: 1 block/],
    ['several texts', [LOG, LOG, 'small'].map((text) => ({ type: 'text', text })), /^\[Offloaded: 2 blocks[^]*small$/],
    ['a value', [{ type: 'resource', resource: { uri: 'file:///a', text: LOG } }], /^\[Offloaded: 1 block/],
    [
      'an image beside text',
      [
        { type: 'text', text: LOG },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
      /^\[Offloaded: 1 block[^]*\[image\]$/,
    ],
    ['small text', [{ type: 'text', text: 'all is well' }], /^all is well$/],
  ])('include results of MCP servers: %s', async (_what, content, shown) => {
    const { offloader } = newOffloader()
    const calls: unknown[] = []
    const { agent, prompts } = makeAgent([calling('read', 'call_1', { path: '/a' })], {
      mcpServers: [mcpServer(content, calls)],
      tools: [retrievalTool(offloader)],
    })
    await offloadRunner(new Runner(), offloader).run(agent, 'Go.', { session: session('a') })
    expect(lastText(prompts)).toMatch(shown)
    expect(calls).toEqual([['read', { path: '/a' }]])
  })

  it('include results of MCP servers at once, if their tools are wrapped', async () => {
    const { offloader } = newOffloader()
    const tools = await agents.getAllMcpTools([mcpServer([{ type: 'text', text: LOG }], [])])
    const { agent, prompts } = makeAgent([calling('read')], { tools: offloadTools(tools, offloader) })
    const memory = session('a')
    await offloadRunner(new Runner(), offloader).run(agent, 'Go.', { session: memory })
    expect(lastText(prompts)).toContain(OFFLOADED)
    expect(JSON.stringify(await memory.getItems()).length).toBeLessThan(8_000)
  })

  it('include results of agents as tools and of handoffs, in the scope of the session', async () => {
    const { offloader } = newOffloader()
    const tools = (): Tool[] => offloadTools([readLog], offloader)
    const inner = makeAgent([calling('read_log'), retrieving, { text: LOG }], { name: 'Inner', tools: tools() })
    const other = makeAgent([calling('read_log', 'call_4')], { name: 'Other', tools: tools() })
    const help = inner.agent.asTool({ toolName: 'help', toolDescription: 'Help.' })
    const turns = [calling('help', 'call_3', { input: 'x' }), calling('transfer_to_Other', 'call_5')]
    const { agent, prompts } = makeAgent(turns, { tools: offloadTools([help], offloader), handoffs: [other.agent] })
    await offloadRunner(new Runner(), offloader).run(agent, 'Go.', { session: session('a') })
    expect(lastText(inner.prompts)).toContain('line 2345 of the log')
    for (const seen of [prompts, other.prompts, inner.prompts.slice(0, 2)]) {
      expect(lastText(seen)).toContain(OFFLOADED)
      const stored = await offloader.forScope('a').options.storage.retrieve(referenceIn(lastText(seen)))
      expect(new TextDecoder().decode(stored.content)).toBe(LOG)
    }
  })

  it('include results of earlier runs, with equal bytes each time and the input of their calls', async () => {
    const told: unknown[] = []
    const { offloader, events } = newOffloader({ shouldOffload: ({ input }) => told.push(input) > 0 })
    const history = [
      ...callItems('read_log', 'old', { type: 'text', text: LOG }),
      ...callItems('read_log', 'old_2', LOG),
    ]
    const { agent, prompts } = makeAgent([calling('read_log'), calling('read_log', 'call_2')], {
      tools: [makeTool('read_log', () => 'small'), retrievalTool(offloader)],
    })
    const runner = offloadRunner(new Runner(), offloader)
    await runner.run(agent, 'Go.', { session: session('a', history) })
    expect(prompts).toHaveLength(3)
    for (const [index, { messages, results }] of prompts.entries()) {
      expect(messages).not.toContain('line 2000 of the log')
      expect(messages.startsWith(prompts[Math.max(0, index - 1)]?.messages.slice(0, -1) ?? '')).toBe(true)
      expect(results.slice(0, 2).map(({ content }) => content)).toEqual(
        Array.from({ length: 2 }, () => [{ type: 'text', text: expect.stringContaining(OFFLOADED) }]),
      )
    }
    expect(told).toEqual([{ path: 'a' }, { path: 'a' }])
    expect(events.map(({ type }) => type)).toEqual(['offload', 'offload'])
  })

  it('keep provider data of a text, and keep other parts as the same objects', async () => {
    const { offloader } = newOffloader()
    const image = { type: 'input_image', image: 'data:image/png;base64,aGk=', detail: 'low', providerData: { a: 1 } }
    const byId = { type: 'input_file', file: { id: 'file_1' } }
    const text = { type: 'input_text', text: LOG, providerData: { cache_control: { type: 'ephemeral' } } }
    const { agent, prompts } = makeAgent([])
    await offloadRunner(new Runner(), offloader).run(agent, callItems('read', 'call_1', [image, text, byId]))
    const [, result] = JSON.parse(prompts[0]?.messages ?? '[]') as unknown[]
    expect(result).toMatchObject({
      output: [
        { type: 'input_text', text: expect.stringContaining(OFFLOADED), providerData: text.providerData },
        image,
        byId,
      ],
    })
  })

  it('exclude results of exempt tools, of provider programs, and of tools with a declared output schema', async () => {
    const { offloader } = newOffloader({ tools: { read_file: { offload: false } } })
    const [call, result] = callItems('compute', 'old_2', LOG)
    const history = [
      ...callItems('read_file', 'old_1', LOG),
      ...[call, { ...result, caller: { type: 'program', callerId: 'p' } }],
      ...callItems('rows', 'old_3', LOG),
    ] as AgentInputItem[]
    const rows = { ...makeTool('rows', () => LOG), outputSchema: { type: 'object' } }
    const { agent, prompts } = makeAgent([], { tools: [rows as Tool] })
    await offloadRunner(new Runner(), offloader).run(agent, history)
    expect(prompts[0]?.results.map(({ content }) => content)).toEqual(
      Array.from({ length: 3 }, () => [{ type: 'text', text: LOG }]),
    )
  })

  it('are read once each, whether they are small, large or failed', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('no disk')
    }
    for (const [options, types] of [
      [{}, ['offload']],
      [
        {
          storage: Object.assign(new InMemoryStorage(), {
            store: fail,
            scope: () => ({ store: fail, retrieve: fail }),
          }),
        },
        ['offload-failed'],
      ],
    ] as const)
      for (const isWrapped of [true, false]) {
        const { offloader, events } = newOffloader(options)
        const small = makeTool('read_status', () => ({ status: 'well' }))
        const turns = [calling('read_log'), calling('read_status', 'call_2'), calling('read_status', 'call_3')]
        const own: Tool[] = [readLog, small]
        const tools = isWrapped ? offloadTools(own, offloader) : [...own, retrievalTool(offloader)]
        const { agent } = makeAgent(turns, { tools: tools as Tool[] })
        await offloadRunner(new Runner(), offloader).run(agent, 'Go.', { session: session('a') })
        expect(events.map(({ type }) => type)).toEqual(types)
        expect(offloader.meter().results).toBe(3)
      }
  })
})

describe('the filter of the program', () => {
  const upper: CallModelInputFilter = ({ modelData }) => ({
    ...modelData,
    instructions: 'Be brief.',
    input: modelData.input.map((item) =>
      item.type === 'function_call_result'
        ? Object.assign(item, { output: { type: 'text', text: JSON.stringify(item.output).toUpperCase() } })
        : item,
    ),
  })

  it.each(['the run', 'the runner'])('of %s runs first, and its results are replaced and stored', async (where) => {
    const { offloader } = newOffloader()
    const { agent, prompts } = makeAgent([calling('read_log')], { tools: [readLog] })
    const runner = new Runner(where === 'the runner' ? { callModelInputFilter: upper } : {})
    const options = where === 'the run' ? { callModelInputFilter: upper } : {}
    await offloadRunner(runner, offloader).run(agent, 'Go.', options)
    const stored = await offloader.options.storage.retrieve(referenceIn(lastText(prompts)))
    expect(new TextDecoder().decode(stored.content)).toContain('LINE 2345 OF THE LOG')
  })

  it('may remove, add and reorder items, and can receive the original items', async () => {
    const { offloader } = newOffloader()
    const seen: AgentInputItem[][] = []
    const filter = Object.assign(
      (({ modelData }) => {
        seen.push(modelData.input)
        return { input: [...callItems('read_log', 'added', LOG), ...modelData.input.slice(1)] }
      }) as CallModelInputFilter,
      { preserveInputIdentity: true },
    )
    const { agent, prompts } = makeAgent([calling('read_log')], { tools: [readLog] })
    await offloadRunner(new Runner(), offloader).run(agent, 'Go.', { callModelInputFilter: filter })
    expect(prompts.map(({ results }) => results.map(({ toolCallId }) => toolCallId))).toEqual([
      ['added'],
      ['added', 'call_1'],
    ])
    expect(prompts[1]?.messages).not.toContain('line 2000 of the log')
    expect(prompts[1]?.messages).not.toContain('Go.')
    if (!isOldest) expect(seen[1]?.[0]).toBe(seen[0]?.[0])
    expect(JSON.stringify(seen[1])).toContain('line 2000 of the log')
  })

  it('fails the run with an SDK error if it returns no input, and with its own error if it throws', async () => {
    const { offloader } = newOffloader()
    for (const [filter, message] of [
      [() => undefined, /callModelInputFilter must return/],
      [() => ({ input: 'x' }), /callModelInputFilter must return/],
      [() => Promise.reject(new RangeError('mine')), /^mine$/],
    ] as const) {
      const { agent } = makeAgent([])
      const running = offloadRunner(new Runner(), offloader).run(agent, 'Go.', {
        callModelInputFilter: filter as never,
      })
      await expect(running).rejects.toThrow(message)
    }
  })
})

describe('sessions and scopes', () => {
  it('isolate concurrent runs of the same agent and context by their sessions', async () => {
    const { offloader } = newOffloader({ maxResultTokens: 1_000, previewTokens: 100 })
    const runner = offloadRunner(new Runner(), offloader)
    const shared = { app: true }
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const own = makeTool('read_log', async () => `${LOG.slice(0, 8_000)}\nof session ${index}`)
        const tools = index % 2 === 0 ? offloadTools([own], offloader) : [own, retrievalTool(offloader)]
        const { agent, prompts } = makeAgent([calling('read_log'), retrieving], { tools })
        await runner.run(agent, 'Go.', { session: session(`session-${index}`), context: shared })
        expect(lastText(prompts)).toContain('line 234 of the log')
        const reference = referenceIn(lastText(prompts.slice(0, 2)))
        const stored = await offloader.forScope(`session-${index}`).options.storage.retrieve(reference)
        expect(new TextDecoder().decode(stored.content)).toMatch(new RegExp(`of session ${index}$`))
      }),
    )
  })

  it('follow the option scope first, then the conversation id at the provider', async () => {
    const { offloader } = newOffloader()
    const conversation = { conversationId: 'conv_1' }
    const scope = ({
      context,
      sessionId,
    }: {
      readonly context: unknown
      readonly sessionId?: string | undefined
    }): string[] => [(context as { tenant: string }).tenant, sessionId ?? 'none']
    for (const [options, given, segments] of [
      [{}, conversation, ['conv_1']],
      [{}, { session: session('a') }, ['a']],
      [{}, {}, []],
      [{ scope }, { session: session('a'), context: { tenant: 't' } }, ['t', 'a']],
      [{ scope }, { context: { tenant: 't' } }, ['t', 'none']],
    ] as const) {
      const tools = offloadTools([readLog], offloader, options)
      const { agent, prompts } = makeAgent([calling('read_log'), retrieving], { tools })
      await offloadRunner(new Runner(), offloader, options).run(agent, 'Go.', given as object)
      expect(lastText(prompts)).toContain('line 2345 of the log')
      // A provider that stores the conversation gets only new items.
      if (given === conversation) expect(prompts.map(({ results }) => results.length)).toEqual([0, 1, 1])
      const scoped = segments.length === 0 ? offloader : offloader.forScope(...segments)
      await expect(scoped.options.storage.retrieve(referenceIn(lastText(prompts.slice(0, 2))))).resolves.toBeDefined()
    }
  })

  it('leave results unchanged and report an event if the scope is invalid', async () => {
    const { offloader, events } = newOffloader()
    const options = { scope: ({ context }: { readonly context: unknown }) => [(context as { a: { b: string } }).a.b] }
    const { agent, prompts } = makeAgent([calling('read_log')], { tools: offloadTools([readLog], offloader, options) })
    await offloadRunner(new Runner(), offloader, options).run(agent, 'Go.')
    expect(lastText(prompts)).toBe(LOG)
    expect(events).toMatchObject([{ type: 'offload-failed', error: { code: 'invalid-key' } }])
  })

  it('are inherited by a nested run in the same RunContext, but another session needs another context', async () => {
    const { offloader } = newOffloader()
    const runner = offloadRunner(new Runner(), offloader)
    const inner = makeAgent([calling('read_log')], { tools: offloadTools([readLog], offloader) })
    const failures: unknown[] = []
    const help = agents.tool({
      name: 'help',
      description: 'Help.',
      parameters: z.object({}),
      async execute(_input, context: RunContext = new RunContext()) {
        await runner.run(inner.agent, 'Go.', { context })
        await runner
          .run(inner.agent, 'Go.', { context, session: session('b') })
          .catch((error: unknown) => failures.push(error))
        await runner.run(inner.agent, 'Go.', { context: context.context, session: session('b') })
        return 'helped'
      },
    })
    const { agent } = makeAgent([calling('help')], { tools: [help] })
    await runner.run(agent, 'Go.', { session: session('a') })
    const reference = referenceIn(lastText(inner.prompts.slice(0, 2)))
    await expect(offloader.forScope('a').options.storage.retrieve(reference)).resolves.toBeDefined()
    expect(failures).toEqual([
      new TypeError('This RunContext is in use by a run of another session. Pass `context.context` to the new run.'),
    ])
    expect(inner.prompts).toHaveLength(3)
  })

  it('keep previews of wrapped tools, and give the same prompts when the session continues', async () => {
    const { offloader } = newOffloader()
    const runner = offloadRunner(new Runner(), offloader)
    const memory = session('a')
    const tools = offloadTools([readLog], offloader)
    const first = makeAgent([calling('read_log')], { tools })
    await runner.run(first.agent, 'Go.', { session: memory })
    expect(JSON.stringify(await memory.getItems()).length).toBeLessThan(8_000)
    const second = makeAgent([retrieving], { tools })
    await runner.run(second.agent, 'Go on.', {
      session: session('a', JSON.parse(JSON.stringify(await memory.getItems()))),
    })
    expect(second.prompts[0]?.messages.startsWith(first.prompts[1]?.messages.slice(0, -1) ?? '')).toBe(true)
    expect(lastText(second.prompts)).toContain('line 2345 of the log')
  })

  it('keep small results like a runner without Spillway', async () => {
    const { offloader } = newOffloader()
    const stored: unknown[] = []
    for (const runner of [new Runner(), offloadRunner(new Runner(), offloader)]) {
      const memory = session('a', callItems('read_log', 'old', { type: 'text', text: 'old' }))
      const { agent } = makeAgent([calling('read_status')], { tools: [makeTool('read_status', () => [{ a: 1 }])] })
      await runner.run(agent, 'Go.', { session: memory })
      stored.push(await memory.getItems())
    }
    expect(stored[1]).toEqual(stored[0])
    expect(stored[0]).toHaveLength(6)
  })

  it('are forgotten after a run has ended, failed or been streamed', async () => {
    const { offloader } = newOffloader()
    const runner = offloadRunner(new Runner(), offloader)
    const context = new RunContext({})
    const run = async (id: string, turns: Parameters<typeof makeAgent>[0], stream = false): Promise<void> => {
      const { agent } = makeAgent(turns, { tools: [readLog] })
      const options = { session: session(id), context }
      if (!stream) return void (await runner.run(agent, 'Go.', options))
      const result = await runner.run(agent, 'Go.', { ...options, stream: true })
      for await (const _event of result) continue
      await result.completed
    }
    await run('a', [])
    await run('b', [], true)
    const failing = (): never => {
      throw new Error('no model')
    }
    await expect(run('c', [failing])).rejects.toThrow('no model')
    await expect(run('d', [calling('read_log'), failing], true)).rejects.toThrow('no model')
    await run('e', [])
  })
})

describe('approvals', () => {
  const deploy = makeTool('deploy', () => LOG, { needsApproval: true })

  it.each(['the same process', 'another process'])(
    'have the result of an approved call stored in its session, in %s',
    async (where) => {
      const { offloader } = newOffloader()
      const runner = offloadRunner(new Runner(), offloader)
      const { agent, prompts } = makeAgent([calling('deploy'), retrieving], {
        tools: offloadTools([deploy], offloader),
      })
      const memory = session('a')
      let { state, interruptions } = await runner.run(agent, 'Go.', { session: memory })
      if (where === 'another process') state = await RunState.fromString(agent, JSON.stringify(state))
      interruptions = state.getInterruptions()
      expect(interruptions).toHaveLength(1)
      for (const interruption of interruptions) state.approve(interruption)
      const result = await runner.run(agent, state, { session: memory })
      expect(result.finalOutput).toBe('done')
      expect(lastText(prompts)).toContain('line 2345 of the log')
      const reference = referenceIn(lastText(prompts.slice(0, 2)))
      await expect(offloader.forScope('a').options.storage.retrieve(reference)).resolves.toBeDefined()
    },
  )

  it('restore a state with replaced results from JSON', async () => {
    const { offloader } = newOffloader()
    const runner = offloadRunner(new Runner(), offloader)
    const tools = offloadTools([readLog, deploy], offloader)
    const { agent } = makeAgent([calling('read_log'), calling('deploy', 'call_2')], { tools })
    const { state } = await runner.run(agent, 'Go.', { session: session('a') })
    const json = state.toString()
    expect(json.length).toBeLessThan(60_000)
    const restored = await RunState.fromString(agent, json)
    expect(restored.getInterruptions()).toHaveLength(1)
  })

  it.skipIf(isOldest)('replace large results that a program added to a state', async () => {
    const { offloader } = newOffloader()
    const runner = offloadRunner(new Runner(), offloader)
    const { agent, prompts } = makeAgent([calling('deploy')], { tools: [deploy] })
    const { state } = await runner.run(agent, 'Go.')
    for (const interruption of state.getInterruptions()) state.approve(interruption)
    state.addInput(callItems('read_log', 'added', { type: 'text', text: LOG }))
    const { finalOutput } = await runner.run(agent, state)
    expect(finalOutput).toBe('done')
    expect(prompts[1]?.results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(['added', 'call_1'])
    expect(prompts[1]?.messages).not.toContain('line 2000 of the log')
  })
})

describe('other behavior of a runner', () => {
  it('changes only the input of the model', async () => {
    const { offloader } = newOffloader()
    const events: string[] = []
    const inner = new Runner({ workflowName: 'mine' })
    inner.on('agent_tool_end', (given, _agent, { name }, result) => {
      expect(given).toBe(context)
      events.push(`${name} ${result.length}`)
    })
    const { agent } = makeAgent([calling('read_log')], {
      tools: [readLog],
      outputType: z.object({ a: z.number() }) as never,
    })
    const context = new RunContext({ tenant: 'a' })
    const running = offloadRunner(inner, offloader).run(agent, 'Go.', { context, maxTurns: 1 })
    await expect(running).rejects.toThrow(/[Mm]ax turns/)
    expect(events).toEqual([`read_log ${LOG.length}`])
  })

  it('ends one turn of its session before each model call', async () => {
    const ended: string[] = []
    const storage = new InMemoryStorage()
    const watched = (inner: object, name: string): object =>
      Object.create(inner, {
        scope: { value: (...segments: string[]) => watched(storage.scope(...segments), segments.join('/')) },
        endTurn: { value: async () => ({ evicted: [] as const, ended: ended.push(name) }) },
        store: { value: async () => 'reference' },
      }) as object
    const { offloader } = newOffloader({ storage: watched(storage, '') as never })
    const { agent } = makeAgent([calling('read_status'), calling('read_status', 'call_2')], {
      tools: [makeTool('read_status', () => 'well')],
    })
    await offloadRunner(new Runner(), offloader).run(agent, 'Go.', { session: session('a') })
    expect(ended).toEqual(['a', 'a', 'a'])
  })

  it('rejects invalid arguments with advice', () => {
    const { offloader } = newOffloader()
    expect(() => offloadRunner(offloader as never, new Runner() as never)).toThrow(
      'runner must be a Runner, loaded as an ES module: offloadRunner(',
    )
    expect(() => offloadRunner(new Runner(), {} as never)).toThrow(/ContextOffloader, got an object: offloadRunner\(/)
    expect(() => offloadRunner(new Runner(), offloader, { exept: [] } as never)).toThrow('Unknown option "exept"')
  })
})

/** An MCP server with one tool. */
function mcpServer(content: unknown[], calls: unknown[]): MCPServer {
  const inputSchema = { type: 'object' as const, properties: {}, required: [], additionalProperties: true }
  return {
    name: 'files',
    cacheToolsList: false,
    connect: async () => undefined,
    close: async () => undefined,
    invalidateToolsCache: async () => undefined,
    listTools: async () => [{ name: 'read', description: 'Read.', inputSchema }] as never,
    callTool: async (name, args) => {
      calls.push([name, args])
      return content as never
    },
  }
}
