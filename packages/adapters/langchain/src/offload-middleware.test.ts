import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Command, interrupt, MemorySaver } from '@langchain/langgraph'
import { ContextOffloader, type OffloadEvent, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { createAgent, createMiddleware, toolStrategy, type AgentMiddleware } from 'langchain'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { FakeChatModel } from '../test/fake-chat-model.ts'
import { toolErrors } from '../test/tool-errors.ts'
import { isVersion10 } from '../test/version.ts'
import { offloadMiddleware } from './offload-middleware.ts'
import { offloadTools } from './offload-tools.ts'
import type { OffloadOptions } from './options.ts'
import { retrievalTool } from './retrieval-tool.ts'

const LOG = 'a line of a log\n'.repeat(1_000)
const CODE = Array.from({ length: 2_000 }, (_, n) => `def step_${n}(state):\n    return state + ${n}\n\n`).join('')
const offloaded = expect.stringMatching(/^\[Offloaded: /)

const create = (options = {}): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage(), ...options })
const readLog = tool(() => LOG, { name: 'read_log', description: 'Read the log.', schema: z.object({}) })

/** A model that calls each of these tools in turn, and then says that it is done. */
function callingModel(...names: readonly string[]): FakeChatModel {
  return new FakeChatModel(({ results }) => {
    const name = names[results.length]
    return name === undefined ? { text: 'done' } : { toolCalls: [{ id: `call_${results.length}`, name, input: {} }] }
  })
}

interface Run {
  readonly middleware: readonly AgentMiddleware[]
  readonly tools?: readonly unknown[]
  readonly model?: FakeChatModel
  readonly config?: object
  readonly options?: object
}

async function run({
  middleware,
  tools = [readLog],
  model = callingModel('read_log'),
  config,
  options,
}: Run): Promise<BaseMessage[]> {
  // The oldest version accepts a thread id only with a checkpointer.
  const checkpointer = new MemorySaver()
  const agent = createAgent({ model, tools: tools as never[], middleware: [...middleware], checkpointer, ...options })
  const given = { configurable: { thread_id: 'a' }, ...config }
  const { messages } = (await agent.invoke(
    { messages: [{ role: 'user', content: 'Go.' }] } as never,
    given as never,
  )) as { messages: BaseMessage[] }
  return messages
}

const resultsOf = (messages: readonly BaseMessage[]): ToolMessage[] =>
  messages.filter((message) => ToolMessage.isInstance(message))

it('offloadMiddleware takes as many super-steps as an agent without it', async () => {
  const steps = async (middleware: readonly AgentMiddleware[]): Promise<number> => {
    const checkpointer = new MemorySaver()
    await run({ middleware, options: { checkpointer }, model: callingModel('read_log', 'read_log', 'read_log') })
    let count = 0
    for await (const _ of checkpointer.list({ configurable: { thread_id: 'a' } })) count += 1
    return count
  }
  expect(await steps([offloadMiddleware(create())])).toBe(await steps([]))
})

it('offloadMiddleware does not end a turn for a failed model call', async () => {
  const ended: string[] = []
  const storage: Storage = {
    store: async () => 'a',
    retrieve: () => Promise.reject(new Error('none')),
    endTurn: async () => {
      ended.push('turn')
      return { evicted: [] }
    },
  }
  const middleware = [offloadMiddleware(new ContextOffloader({ storage }), { scope: () => [] })]
  const model = new FakeChatModel(({ results }) => {
    if (results.length > 0) throw new Error('out of quota')
    return { toolCalls: [{ id: 'call_1', name: 'read_log', input: {} }] }
  })
  await expect(run({ middleware, model })).rejects.toThrow('out of quota')
  expect(ended).toEqual(['turn'])
})

// Before version 1.2, LangChain refuses any middleware around a model with structured answers.
it.skipIf(isVersion10)('offloadMiddleware keeps structured answers', async () => {
  const responseFormat = toolStrategy(z.object({ ok: z.boolean() }))
  const model = new FakeChatModel(({ results, toolNames }) => {
    const name = results.length === 0 ? 'read_log' : (toolNames.find((one) => !/read_log|retrieve/.test(one)) ?? '')
    return { toolCalls: [{ id: 'call_1', name, input: results.length === 0 ? {} : { ok: true } }] }
  })
  const agent = createAgent({ model, tools: [readLog], middleware: [offloadMiddleware(create())], responseFormat })
  const { structuredResponse, messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Go.' }] })
  expect(structuredResponse).toEqual({ ok: true })
  expect(resultsOf(messages)[0]).toMatchObject({ content: offloaded })
})

it.each([
  ['retrievalTool', (offloader: ContextOffloader) => [readLog, retrievalTool(offloader)]],
  ['offloadTools', (offloader: ContextOffloader) => offloadTools([readLog], offloader)],
])('offloadMiddleware refuses the retrieval tool of %s beside its own', async (_name, toolsOf) => {
  const offloader = create()
  await expect(run({ middleware: [offloadMiddleware(offloader)], tools: toolsOf(offloader) })).rejects.toThrow(
    /^tools has retrieve_offloaded_content already.*leave it out/,
  )
})

it('offloadMiddleware reports an event if outer middleware hides the retrieval tool from the model', async () => {
  const select = createMiddleware({
    name: 'Select',
    wrapModelCall: (request, handler) =>
      handler({ ...request, tools: request.tools.filter(({ name }) => name === 'read_log') }),
  })
  const typesWith = async (...others: readonly AgentMiddleware[]): Promise<string[]> => {
    const types: string[] = []
    const storage = new InMemoryStorage()
    const offloader = new ContextOffloader({ storage, onEvent: ({ type }) => void types.push(type) })
    await run({ middleware: [...others, offloadMiddleware(offloader)], model: callingModel('read_log', 'read_log') })
    return types
  }
  expect(await typesWith(select)).toEqual(['offload', 'retrieval-tool-hidden', 'offload'])
  expect(await typesWith()).toEqual(['offload', 'offload'])
})

const report = tool(
  ({ fails = false }: { fails?: boolean }) => {
    if (fails) throw new Error(LOG)
    return LOG
  },
  {
    name: 'report',
    description: 'Answer with the log.',
    schema: z.object({ fails: z.boolean().optional() }),
    returnDirect: true,
  },
)

it('offloadMiddleware leaves a result unchanged if it is the answer of the run', async () => {
  const messages = await run({
    middleware: [offloadMiddleware(create())],
    tools: [report, readLog],
    model: new FakeChatModel(() => ({
      toolCalls: [
        { id: 'call_0', name: 'read_log', input: {} },
        { id: 'call_1', name: 'report', input: {} },
      ],
    })),
  })
  expect(messages.at(-1)).toMatchObject({ name: 'report', content: LOG })
})

it('offloadMiddleware offloads an error of a tool with returnDirect, and its result if the message has another call', async () => {
  const after = async (...calls: readonly { readonly name: string; readonly input: object }[]): Promise<unknown> => {
    const toolCalls = calls.map((call, index) => ({ id: `call_${index}`, ...call }))
    const model = new FakeChatModel(({ results }) => (results.length === 0 ? { toolCalls } : { text: 'done' }))
    const messages = await run({ middleware: [offloadMiddleware(create())], tools: [report, readLog], model })
    return resultsOf(messages)[0]?.content
  }
  expect(await after({ name: 'report', input: { fails: true } })).toEqual(expect.stringMatching(/\[Offloaded: /))
  expect(await after({ name: 'report', input: {} }, { name: 'read_log', input: {} })).toEqual(offloaded)
})

it('offloadMiddleware offloads results that inner middleware changed, and commands of tools', async () => {
  const enlarge = createMiddleware({
    name: 'Enlarge',
    wrapToolCall: (request) =>
      new ToolMessage({ content: LOG, tool_call_id: request.toolCall.id ?? '', artifact: 'kept' }),
  })
  const [first] = resultsOf(await run({ middleware: [offloadMiddleware(create()), enlarge] }))
  expect(first).toMatchObject({ content: offloaded, artifact: 'kept' })
  const command = tool(
    (_input: object, { toolCall }: { toolCall?: { id?: string } }) =>
      new Command({
        update: { messages: [new ToolMessage({ content: LOG, tool_call_id: toolCall?.id ?? '', name: 'read_log' })] },
      }),
    { name: 'read_log', description: 'Read the log.', schema: z.object({}) },
  )
  const [second] = resultsOf(await run({ middleware: [offloadMiddleware(create())], tools: [command] }))
  expect(second).toMatchObject({ content: offloaded, name: 'read_log' })
})

it('offloadMiddleware gives tool errors to the model like LangChain without middleware, unless toolErrors is throw', async () => {
  const failing = tool(
    () => {
      throw new RangeError('no such line')
    },
    { name: 'read_log', description: 'Read the log.', schema: z.object({}) },
  )
  const [plain] = resultsOf(await run({ middleware: [], tools: [failing] }))
  const [result] = resultsOf(await run({ middleware: [offloadMiddleware(create())], tools: [failing] }))
  expect(result?.text).toBe('RangeError: no such line\n Please fix your mistakes.')
  expect(result?.toDict().data).toEqual({ ...plain?.toDict().data, id: result?.id })
  const throwing = offloadMiddleware(create(), { toolErrors: 'throw' })
  await expect(run({ middleware: [throwing], tools: [failing] })).rejects.toThrow('no such line')
})

it('offloadMiddleware also gives the model errors of exempt tools', async () => {
  const failing = tool(
    () => {
      throw new Error(LOG)
    },
    { name: 'read_log', description: 'Read the log.', schema: z.object({}) },
  )
  const middleware = [offloadMiddleware(create({ tools: { read_log: { offload: false } } }))]
  expect(resultsOf(await run({ middleware, tools: [failing] }))[0]?.text).toContain(LOG)
})

it('offloadMiddleware passes tool errors to middleware that retries, inside or outside', async () => {
  const retry = (): AgentMiddleware =>
    createMiddleware({
      name: 'Retry',
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request)
        } catch (error) {
          if (!(error instanceof Error)) throw error
          return await handler(request)
        }
      },
    })
  for (const order of [
    [offloadMiddleware(create()), retry()],
    [retry(), offloadMiddleware(create(), { toolErrors: 'throw' })],
  ]) {
    let calls = 0
    const flaky = tool(
      () => {
        calls += 1
        if (calls === 1) throw new Error(LOG)
        return LOG
      },
      { name: 'read_log', description: 'Read the log.', schema: z.object({}) },
    )
    const [result] = resultsOf(await run({ middleware: order, tools: [flaky] }))
    expect(calls).toBe(2)
    expect(result).toMatchObject({ content: offloaded })
  }
})

it("offloadMiddleware shortens LangChain's message about arguments that a tool refuses", async () => {
  const strict = tool(() => 'ran', { name: 'write', description: 'Write.', schema: z.object({ n: z.number() }) })
  const model = new FakeChatModel(({ results }) =>
    results.length === 0 ? { toolCalls: [{ id: 'call_1', name: 'write', input: { n: LOG } }] } : { text: 'done' },
  )
  for (const middleware of [
    [offloadMiddleware(create()), toolErrors()],
    [toolErrors(), offloadMiddleware(create(), { toolErrors: 'throw' })],
  ]) {
    const [result] = resultsOf(await run({ middleware, tools: [strict], model }))
    expect(result?.status).toBe('error')
    expect(result?.text.length).toBeLessThan(10_000)
  }
})

it('offloadMiddleware lets a tool interrupt the run, which can then continue', async () => {
  const ask = tool(() => `${String(interrupt({ question: LOG }))}\n${LOG}`, {
    name: 'ask',
    description: 'Ask.',
    schema: z.object({}),
  })
  const agent = createAgent({
    model: callingModel('ask'),
    tools: [ask],
    middleware: [offloadMiddleware(create())],
    checkpointer: new MemorySaver(),
  })
  const config = { configurable: { thread_id: 'a' } }
  const waiting = (await agent.invoke({ messages: [{ role: 'user', content: 'Go.' }] }, config)) as {
    __interrupt__?: unknown
  }
  expect(waiting.__interrupt__).toMatchObject([{ value: { question: LOG } }])
  const { messages } = await agent.invoke(new Command({ resume: 'yes' }), config)
  expect(resultsOf(messages)[0]).toMatchObject({ content: offloaded })
})

it('offloadMiddleware continues with the original result and reports an event if the scope of a run is invalid', async () => {
  const events: OffloadEvent[] = []
  const offloader = new ContextOffloader({
    storage: new InMemoryStorage(),
    onEvent: (event) => void events.push(event),
  })
  const options: OffloadOptions = {
    scope: () => {
      throw new Error('no tenant')
    },
  }
  const [result] = resultsOf(await run({ middleware: [offloadMiddleware(offloader, options)] }))
  expect(result?.content).toBe(LOG)
  expect(events).toMatchObject([{ type: 'offload-failed', toolName: 'read_log' }])
})

it("offloadMiddleware passes the caller's context and configurable to the option scope", async () => {
  const seen: unknown[] = []
  const options: OffloadOptions = {
    scope: ({ configurable, context }) => {
      seen.push([configurable['thread_id'], context])
      return ['tenant']
    },
  }
  const context = { tenant: 'one' }
  await run({
    middleware: [offloadMiddleware(create(), options)],
    config: { context },
    model: callingModel('read_log', 'retrieve_offloaded_content'),
  })
  expect(seen.length).toBeGreaterThanOrEqual(6)
  for (const one of seen) expect(one).toEqual(['a', context])
})

it('offloadMiddleware works together with tools wrapped for a ToolNode, which offload first', async () => {
  const [wrapped] = offloadTools([readLog], create())
  const events: OffloadEvent[] = []
  const outer = new ContextOffloader({ storage: new InMemoryStorage(), onEvent: (event) => void events.push(event) })
  const [result] = resultsOf(await run({ middleware: [offloadMiddleware(outer)], tools: [wrapped] }))
  expect(result).toMatchObject({ content: offloaded })
  expect(events).toEqual([])
})

it('offloadMiddleware isolates concurrent threads', async () => {
  const offloader = create()
  const middleware = [offloadMiddleware(offloader)]
  const threads = Array.from({ length: 20 }, (_, index) => `thread-${index}`)
  await Promise.all(threads.map((thread_id) => run({ middleware, config: { configurable: { thread_id } } })))
  for (const thread of threads) {
    const { value } = (await offloader.forScope(thread).options.storage.list?.()[Symbol.asyncIterator]().next()) ?? {}
    expect(value).toMatchObject({ reference: expect.stringMatching(/^call_0_/) })
  }
})

it('offloadMiddleware saves previews in checkpoints, and reads them back', async () => {
  const checkpointer = new MemorySaver()
  const messages = await run({ middleware: [offloadMiddleware(create())], options: { checkpointer } })
  const tuple = await checkpointer.getTuple({ configurable: { thread_id: 'a' } })
  const saved = tuple?.checkpoint.channel_values['messages'] as BaseMessage[]
  expect(resultsOf(saved)[0]?.content).toBe(resultsOf(messages)[0]?.content)
  expect(saved.some((message) => JSON.stringify(message).length > 20_000)).toBe(false)
  expect(saved.at(-1)).toBeInstanceOf(AIMessage)
})

it('offloadMiddleware first shows lines that match the text of the model before its calls', async () => {
  const read = tool(() => CODE, { name: 'read', description: 'Read a file.', schema: z.object({ path: z.string() }) })
  const shown = async (content: string): Promise<string> => {
    const model = new FakeChatModel(({ results }) =>
      results.length === 0
        ? { toolCalls: [{ id: 'call_0', name: 'read', input: { path: 'a.py' } }] }
        : { text: 'done' },
    )
    const saying = createMiddleware({
      name: 'Saying',
      wrapModelCall: async (request, handler) => {
        const { tool_calls } = (await handler(request)) as AIMessage
        return new AIMessage({ content, ...(tool_calls && { tool_calls }) })
      },
    })
    const messages = await run({ middleware: [offloadMiddleware(create()), saying], tools: [read], model })
    return JSON.stringify(resultsOf(messages)[0]?.content)
  }
  expect(await shown('I look at `step_1251`.')).toContain('return state + 1251')
  expect(await shown('')).not.toContain('return state + 1251')
})

it('offloadMiddleware rejects invalid options at construction', () => {
  expect(() => offloadMiddleware({} as never)).toThrow(/offloader must be a ContextOffloader/)
  expect(() => offloadMiddleware(create(), { exept: ['a'] } as never)).toThrow(/Unknown option "exept"/)
})
