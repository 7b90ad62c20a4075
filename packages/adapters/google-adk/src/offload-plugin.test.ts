import {
  AgentTool,
  BasePlugin,
  FunctionNode,
  FunctionTool,
  GOOGLE_SEARCH,
  InMemorySessionService,
  LongRunningFunctionTool,
  NodeTool,
  SequentialAgent,
  ToolNode,
  Workflow,
  type BaseTool,
  type Context,
} from '@google/adk'
import { RETRIEVAL_TOOL_NAME, StorageError } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { SeenPrompt } from '@spillway-internal/adapter-suite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FakeLlm } from '../test/fake-llm.ts'
import {
  agentOf,
  calling,
  chatWith,
  lastText,
  LOG,
  newOffloader,
  referenceIn,
  REPLACED,
  scriptedModel,
  textOf,
  toolReturning,
} from '../test/run-agent.ts'
import { offloadPlugin, retrievalTool } from './index.ts'

const readLog = toolReturning('read_log', LOG)

/** Run an agent whose model calls one tool once, and return the result that the model saw. */
async function seenOf(tool: BaseTool, offloader = newOffloader(), options = {}): Promise<string> {
  const model = scriptedModel(calling(tool.name))
  await (await chatWith(agentOf({ model, tools: [tool] }), [offloadPlugin(offloader, options)])).say()
  return lastText(model)
}

/** A tool that calls `what` with the context of its call, and returns the log. */
function toolDoing(what: (context: Context) => void): BaseTool {
  return new FunctionTool({
    name: 'read_log',
    description: 'Read the log.',
    execute: async (_input: unknown, context?: Context) => {
      if (context !== undefined) what(context)
      return LOG
    },
  })
}

describe('options', () => {
  it.each<[what: string, ...given: unknown[]]>([
    ['a value that is not an offloader', {}],
    ['an unknown option', newOffloader(), { exept: [] }],
    ['a scope that is not a function', newOffloader(), { scope: 'tenant' }],
  ])('rejects %s', (_what, ...given) => {
    expect(() => offloadPlugin(...(given as Parameters<typeof offloadPlugin>))).toThrow(TypeError)
  })
})

describe('scopes', () => {
  it('isolate apps, users and sessions, even if a user and a session have the same name', async () => {
    const offloader = newOffloader()
    const places = [
      { appName: 'app', userId: 'user', sessionId: 'session' },
      { appName: 'app', userId: 'user', sessionId: 'user' },
      { appName: 'app', userId: 'session', sessionId: 'session' },
      { appName: 'user', userId: 'user', sessionId: 'session' },
    ]
    for (const place of places) {
      const model = scriptedModel(calling('read_log'))
      await (await chatWith(agentOf({ model, tools: [readLog] }), [offloadPlugin(offloader)], place)).say()
      const own = offloader.forScope(place.appName, place.userId, place.sessionId).retrievalTool
      const reference = referenceIn(lastText(model))
      expect(await own.execute({ reference, pattern: 'line 1321 ' })).toMatchObject({ isError: false })
      for (const other of places.filter((one) => one !== place)) {
        const { retrievalTool: tool } = offloader.forScope(other.appName, other.userId, other.sessionId)
        expect(await tool.execute({ reference })).toMatchObject({ isError: true, code: 'not-found' })
      }
    }
  })

  it('come from the option scope, which gets the run', async () => {
    const offloader = newOffloader()
    const runs: unknown[] = []
    await seenOf(readLog, offloader, {
      scope: ({ invocationContext, ...ids }: { invocationContext: { session: { id: string } } }) => {
        runs.push({ ...ids, same: invocationContext.session.id })
        return ['tenant']
      },
    })
    expect(runs[0]).toEqual({ appName: 'app', userId: 'user', sessionId: 'session', same: 'session' })
    const stored = []
    for await (const { reference } of offloader.forScope('tenant').options.storage.list?.() ?? [])
      stored.push(reference)
    expect(stored).toHaveLength(1)
  })

  it('leave results unchanged and report an event if they are invalid', async () => {
    const offloader = newOffloader()
    const scope = (): never => {
      throw new RangeError('no tenant')
    }
    expect(await seenOf(readLog, offloader, { scope })).toBe(LOG)
    expect(offloader.events).toMatchObject([{ type: 'offload-failed', error: { code: 'invalid-key' } }])
  })
})

describe('a replacement', () => {
  it('is not made for a small result, which is the same object in the event', async () => {
    const value = { status: 'ok' }
    const model = scriptedModel(calling('look'))
    const tools = [toolReturning('look', value)]
    const chat = await chatWith(agentOf({ model, tools }), [offloadPlugin(newOffloader())])
    const parts = (await chat.say()).flatMap(({ content }) => content?.parts ?? [])
    expect(parts.find((part) => part.functionResponse)?.functionResponse?.response).toBe(value)
  })

  it('is saved in place of the original', async () => {
    const model = scriptedModel(calling('read_log'))
    const chat = await chatWith(agentOf({ model, tools: [readLog] }), [offloadPlugin(newOffloader())])
    await chat.say()
    expect(JSON.stringify(await chat.saved()).length).toBeLessThan(10_000)
  })

  it('has the same bytes for equal calls without an id, although ADK generates random ids', async () => {
    const seen = await Promise.all(
      [1, 2].map(async () => {
        const model = scriptedModel({ toolCalls: [{ id: '', name: 'read_log', input: {} }] })
        await (await chatWith(agentOf({ model, tools: [readLog] }), [offloadPlugin(newOffloader())])).say()
        return lastText(model)
      }),
    )
    expect(seen[0]).toMatch(/^ {2}read_log_\w+ \(/m)
    expect(seen[1]).toBe(seen[0])
  })

  it.each([FunctionTool, LongRunningFunctionTool])(
    'replaces an error once, even if the replacement is still over the limit: %o',
    async (Tool) => {
      const offloader = newOffloader({ maxResultTokens: 100, previewTokens: 50 })
      const tool = new Tool({
        name: 'build',
        description: 'Build.',
        execute: async () => {
          throw new Error(LOG)
        },
      })
      expect(await seenOf(tool, offloader)).toMatch(REPLACED)
      expect(offloader.events.map(({ type }) => type)).toEqual(['offload'])
    },
  )

  it('is made after earlier plugins, which get the original and may return another result', async () => {
    const seen: unknown[] = []
    class Observer extends BasePlugin {
      readonly #answer: Record<string, unknown> | undefined
      constructor(answer?: Record<string, unknown>) {
        super('observer')
        this.#answer = answer
      }
      override async afterToolCallback({ result }: { result: unknown }): Promise<Record<string, unknown> | undefined> {
        seen.push(result)
        return this.#answer
      }
    }
    const see = async (observer: BasePlugin): Promise<string> => {
      const model = scriptedModel(calling('read_log'))
      const plugins = [observer, offloadPlugin(newOffloader())]
      await (await chatWith(agentOf({ model, tools: [readLog] }), plugins)).say()
      return lastText(model)
    }
    expect(await see(new Observer())).toMatch(REPLACED)
    expect(seen).toEqual([LOG])
    expect(await see(new Observer({ result: 'redacted' }))).toBe('redacted')
  })
})

describe('a result that the program waits for', () => {
  it('is unchanged if it is the answer to the user', async () => {
    const tool = toolDoing(({ actions }) => void (actions.skipSummarization = true))
    const chat = await chatWith(agentOf({ model: scriptedModel(calling('read_log')), tools: [tool] }), [
      offloadPlugin(newOffloader()),
    ])
    const parts = (await chat.say()).at(-1)?.content?.parts
    expect(parts?.[0]?.functionResponse?.response).toEqual({ result: LOG })
  })

  it.each([
    ['an approval', (context: Context) => context.requestConfirmation({ hint: 'May it?' })],
    [
      'a credential',
      ({ actions, functionCallId = '' }: Context) => {
        const authScheme = { type: 'apiKey', in: 'header', name: 'key' } as const
        actions.requestedAuthConfigs[functionCallId] = { authScheme, credentialKey: 'key' } as never
      },
    ],
  ])('is unchanged if a tool requests %s', async (_what, ask) => {
    const offloader = newOffloader()
    const model = scriptedModel(calling('read_log'))
    await (await chatWith(agentOf({ model, tools: [toolDoing(ask)] }), [offloadPlugin(offloader)])).say()
    expect(offloader.events).toEqual([])
    expect(offloader.meter().offloaded).toBe(0)
  })

  it("is unchanged if it is a long-running tool's first answer, but the later result is offloaded", async () => {
    const execute = async (): Promise<unknown> => ({ ticket: 7, form: LOG })
    const tool = new LongRunningFunctionTool({ name: 'order', description: 'Order.', execute })
    const model = scriptedModel(calling('order'))
    const chat = await chatWith(agentOf({ model, tools: [tool] }), [offloadPlugin(newOffloader())])
    const parts = (await chat.say()).flatMap(({ content }) => content?.parts ?? [])
    expect(parts.flatMap(({ functionResponse }) => functionResponse?.response ?? [])).toEqual([
      { ticket: 7, form: LOG },
    ])
    const functionResponse = { id: 'call_1', name: 'order', response: { status: 'done', report: LOG } }
    await chat.say([{ functionResponse }])
    expect(lastText(model)).toMatch(/"status":"done","report":"\[Offloaded: /)
    expect(functionResponse.response.report).toBe(LOG)
  })

  it('can transfer to another agent, which gets the retrieval tool and has its results offloaded', async () => {
    const model = scriptedModel(
      calling('transfer_to_agent', { agentName: 'reader' }),
      calling('read_log', {}, 'call_2'),
      (prompt) =>
        calling(
          RETRIEVAL_TOOL_NAME,
          { reference: referenceIn(textOf(prompt.results.at(-1))), pattern: 'line 1321 ' },
          'call_3',
        ),
    )
    const reader = agentOf({ name: 'reader', description: 'Reads logs.', model, tools: [readLog] })
    const chat = await chatWith(agentOf({ model, subAgents: [reader] }), [offloadPlugin(newOffloader())])
    await chat.say()
    expect(model.prompts.map(({ toolNames }) => toolNames)).toEqual([
      ['transfer_to_agent', RETRIEVAL_TOOL_NAME],
      ...[2, 3, 4].map(() => ['transfer_to_agent', 'read_log', RETRIEVAL_TOOL_NAME]),
    ])
    expect(lastText(model)).toContain('> 1322| line 1321 of the log')
  })
})

describe('messages of the user', () => {
  it("have the results of the program's tools offloaded", async () => {
    const model = scriptedModel(calling('read_log'))
    const chat = await chatWith(agentOf({ model, tools: [readLog] }), [offloadPlugin(newOffloader())])
    await chat.say(undefined, { pauseOnToolCalls: true })
    expect(model.prompts).toHaveLength(1)
    const answer = (response: object): object => ({ functionResponse: { id: 'call_1', name: 'read_log', response } })
    await chat.say([answer({ output: LOG })])
    expect(lastText(model)).toMatch(/"output":"\[Offloaded: 1 block/)
    expect(JSON.stringify(await chat.saved()).length).toBeLessThan(10_000)
  })

  it('are passed on unchanged if no part is replaced', async () => {
    const plugin = offloadPlugin(newOffloader({ tools: { read_log: { offload: false } } }))
    const invocationContext = { agent: {}, appName: 'app', userId: 'user', session: { id: 'session' } } as never
    const send = async (userMessage: unknown): Promise<unknown> =>
      plugin.onUserMessageCallback({ invocationContext, userMessage: userMessage as never })
    const response = { payload: LOG }
    for (const name of ['adk_request_confirmation', 'adk_request_credential', 'adk_request_input', 'read_log'])
      expect(await send({ role: 'user', parts: [{ functionResponse: { id: '1', name, response } }] })).toBeUndefined()
    for (const message of [undefined, {}, { parts: [] }, { parts: [{ text: LOG }, { functionResponse: {} }] }])
      expect(await send(message)).toBeUndefined()
    const other = { functionResponse: { id: '1', name: 'other', response } }
    expect(await send({ role: 'user', parts: [{ text: 'Here.' }, other] })).toMatchObject({
      role: 'user',
      parts: [
        { text: 'Here.' },
        { functionResponse: { id: '1', name: 'other', response: { payload: expect.any(String) } } },
      ],
    })
  })
})

describe('the retrieval tool', () => {
  const offered = async (config: Parameters<typeof agentOf>[0]): Promise<readonly string[] | undefined> => {
    let prompt: SeenPrompt | undefined
    const model = new FakeLlm((given) => {
      prompt = given
      return { text: 'done' }
    }, 'gemini-2.5-flash')
    await (await chatWith(agentOf({ ...config, model }), [offloadPlugin(newOffloader())])).say()
    return prompt?.toolNames
  }

  it('is offered once if there are functions', async () => {
    expect(await offered({ tools: [readLog] })).toEqual(['read_log', RETRIEVAL_TOOL_NAME])
    expect(await offered({ tools: [retrievalTool(newOffloader()), readLog] })).toEqual([
      RETRIEVAL_TOOL_NAME,
      'read_log',
    ])
  })

  it('ends the run with an error if the agent has another tool of the same name', async () => {
    const model = scriptedModel()
    const agent = agentOf({ model, tools: [toolReturning(RETRIEVAL_TOOL_NAME, 'mine')] })
    const events = await (await chatWith(agent, [offloadPlugin(newOffloader())])).say()
    expect(events.at(-1)?.errorMessage).toContain('tools has retrieve_offloaded_content already')
    expect(model.prompts).toEqual([])
  })

  it('is not offered to agents without functions, because their models may refuse it', async () => {
    expect(await offered({})).toEqual([])
    expect(await offered({ tools: [GOOGLE_SEARCH] })).toEqual(['googleSearch'])
    expect(await offered({ outputSchema: z.object({ ok: z.boolean() }) })).toEqual([])
  })

  it('is offered to an agent without functions if it sees replaced results', async () => {
    const sessionService = new InMemorySessionService()
    const offloader = newOffloader()
    const first = scriptedModel(calling('read_log'))
    const plugins = [offloadPlugin(offloader)]
    await (await chatWith(agentOf({ model: first, tools: [readLog] }), plugins, { sessionService })).say()
    const model = scriptedModel(() => calling(RETRIEVAL_TOOL_NAME, { pattern: 'line 1321 ' }, 'call_2'))
    await (await chatWith(agentOf({ model }), plugins, { sessionService })).say()
    expect(model.prompts[0]?.toolNames).toEqual([RETRIEVAL_TOOL_NAME])
    expect(lastText(model)).toContain('> 1322| line 1321 of the log')
  })
})

describe('an agent without functions that continues the work of another agent', () => {
  const sequence = async (config: Parameters<typeof agentOf>[0]): Promise<readonly SeenPrompt[]> => {
    const reader = agentOf({ name: 'reader', model: scriptedModel(calling('read_log')), tools: [readLog] })
    const model = scriptedModel(calling(RETRIEVAL_TOOL_NAME, { pattern: 'line 1321 ' }, 'call_2'))
    const subAgents = [reader, agentOf({ ...config, name: 'writer', model })]
    await (await chatWith(new SequentialAgent({ name: 'both', subAgents }), [offloadPlugin(newOffloader())])).say()
    return model.prompts
  }

  it('is offered the retrieval tool that the previews of the other agent name', async () => {
    const [before, after] = await sequence({})
    expect(before?.toolNames).toEqual([RETRIEVAL_TOOL_NAME])
    expect(JSON.stringify(after?.results)).toContain('> 1322| line 1321 of the log')
  })

  it('is offered no tool if its model makes media', async () => {
    const [prompt] = await sequence({ generateContentConfig: { responseModalities: ['IMAGE'] } })
    expect(prompt?.toolNames).toEqual([])
  })
})

describe('workflows', () => {
  it('offload results of agent tools before the next model call', async () => {
    const model = scriptedModel(calling('read_log'))
    const workflow = new Workflow({ name: 'flow', edges: [['START', agentOf({ model, tools: [readLog] })]] })
    await (await chatWith(workflow, [offloadPlugin(newOffloader())])).say()
    expect(model.prompts).toHaveLength(2)
    expect(lastText(model)).toMatch(REPLACED)
  })

  it('keep values between nodes, even in a workflow that is used as a tool', async () => {
    const received: unknown[] = []
    const workflow = (): Workflow => {
      const take = new FunctionNode('take', (_context, input) => void received.push(input))
      return new Workflow({ name: 'flow', edges: [['START', new ToolNode(readLog), take]], inputSchema: z.string() })
    }
    const plugins = [offloadPlugin(newOffloader())]
    await (await chatWith(workflow(), plugins)).say([{ text: '{}' }])
    const model = scriptedModel(calling('flow', { request: '{}' }))
    await (await chatWith(agentOf({ model, tools: [new NodeTool(workflow())] }), plugins)).say()
    expect(received).toEqual([{ result: LOG }, { result: LOG }])
  })

  it('offload the result of a node that is used as a tool', async () => {
    const read = new FunctionNode('read_log', () => LOG, { inputSchema: z.object({}) })
    expect(await seenOf(new NodeTool(read))).toMatch(REPLACED)
  })
})

it('the plugin works as the callbacks of one agent, for example in an AgentTool', async () => {
  const plugin = offloadPlugin(newOffloader())
  const inner = scriptedModel(calling('read_log'))
  const agent = agentOf({
    name: 'reader',
    model: inner,
    tools: [readLog],
    beforeModelCallback: ({ context, request }) =>
      plugin.beforeModelCallback({ callbackContext: context, llmRequest: request }),
    afterToolCallback: ({ tool, args, context, response }) =>
      plugin.afterToolCallback({ tool, toolArgs: args, toolContext: context, result: response }),
  })
  const outer = scriptedModel(calling('reader', { request: 'Read.' }))
  await (await chatWith(agentOf({ model: outer, tools: [new AgentTool({ agent })] }), [])).say()
  expect(lastText(inner)).toMatch(REPLACED)
  expect(inner.prompts[1]?.toolNames).toEqual(['read_log', RETRIEVAL_TOOL_NAME])
})

it('the run continues with the original result if every storage operation throws', async () => {
  const failing = async (): Promise<never> => {
    throw new StorageError('unavailable', 'The disk did not answer. Try again.')
  }
  const storage = Object.assign(new InMemoryStorage(), {
    store: failing,
    endTurn: failing,
    scope: () => storage,
  }) as InMemoryStorage
  const offloader = newOffloader({ storage })
  expect(await seenOf(readLog, offloader)).toBe(LOG)
  expect(new Set(offloader.events.map(({ type }) => type))).toEqual(new Set(['eviction-failed', 'offload-failed']))
})
