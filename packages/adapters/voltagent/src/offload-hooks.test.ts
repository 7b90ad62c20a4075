import { isDeepStrictEqual } from 'node:util'
import { Agent, createHooks, InMemoryStorageAdapter, Memory, type AgentHooks } from '@voltagent/core'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ContextOffloader } from '@spillway/core'
import { writeModelOutput } from '@spillway/core/adapter'
import type { UIMessage } from 'ai'
import {
  agentOf,
  calling,
  createOffloader,
  LOG,
  OFFLOADED,
  referenceIn,
  retrieving,
  scriptedModel,
  storedText,
  textOf,
  toolOf,
} from '../test/scripted-agent.ts'
import { isEarly } from '../test/version.ts'
import {
  isReplacedOutput,
  offloadHistory,
  offloadHooks,
  readModelOutput,
  type OffloadHooksOptions,
} from './offload-hooks.ts'
import { offloadTools } from './offload-tools.ts'
import { retrievalTool } from './retrieval-tool.ts'
import { resolveOptions, type Settings } from './offload-options.ts'

const IN_A = { conversationId: 'a' }
const USERS = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `user ${id}` }))
const readLog = toolOf('read_log', async () => LOG)

/** Run an unwrapped tool, and return its results for the model and for the program. */
async function runBare(
  tool: ReturnType<typeof toolOf>,
  { options = {}, hooks }: { options?: OffloadHooksOptions; hooks?: AgentHooks } = {},
  { offloader } = createOffloader(),
) {
  const { model, prompts } = scriptedModel(calling(tool.name))
  const agent = agentOf({ model, tools: [tool, retrievalTool(offloader)], hooks: offloadHooks(offloader, options) })
  const { steps } = await agent.generateText('Go.', hooks === undefined ? IN_A : { ...IN_A, hooks })
  return { seen: prompts[1]?.results[0], output: steps[0]?.toolResults[0]?.output as unknown }
}

describe('tools that are not wrapped', () => {
  it('have their results offloaded, for the program too', async () => {
    const { offloader } = createOffloader()
    const { seen, output } = await runBare(readLog, {}, { offloader, events: [] })
    expect(textOf(seen)).toMatch(OFFLOADED)
    expect(output).toBe(textOf(seen))
    expect(await storedText(offloader, referenceIn(seen), 'a')).toBe(LOG)
  })

  it('pass their name, call id and input to the offloader', async () => {
    const told: unknown[] = []
    const { offloader } = createOffloader({ shouldOffload: (candidate) => told.push(candidate) > 0 })
    const tool = toolOf('read_log', async () => LOG, { parameters: z.object({ path: z.string() }) as never })
    const { model } = scriptedModel({ toolCalls: [{ id: 'call_7', name: 'read_log', input: { path: '/var' } }] })
    await agentOf({ model, tools: [tool], hooks: offloadHooks(offloader) }).generateText('Go.', IN_A)
    expect(told).toMatchObject([
      { toolName: 'read_log', toolCallId: 'call_7', input: { path: '/var' }, isError: false },
    ])
  })

  it('have values and results of MCP servers offloaded', async () => {
    const { seen: users } = await runBare(toolOf('list_users', async () => USERS))
    expect(textOf(users)).toMatch(OFFLOADED)
    const data = Buffer.alloc(900, 7).toString('base64')
    const content = [
      { type: 'text', text: LOG },
      { type: 'image', data, mimeType: 'image/png' },
    ]
    const { output } = await runBare(toolOf('server_read', async () => ({ content })))
    expect(output).toEqual({
      content: [
        { type: 'text', text: expect.stringMatching(OFFLOADED) },
        { type: 'image-data', data, mediaType: 'image/png' },
      ],
    })
  })

  it('keep the mark of an error', async () => {
    const { seen } = await runBare(toolOf('build', async () => ({ error: true, message: LOG })))
    expect(seen).toMatchObject({
      isError: true,
      content: [{ value: { error: true, message: expect.stringMatching(OFFLOADED), toolName: 'build' } }],
    })
  })

  it.skipIf(isEarly)('have their errors offloaded', async () => {
    const tool = toolOf('build', async () => {
      throw new RangeError(`${LOG}\nFATAL: no space left`)
    })
    const { seen } = await runBare(tool)
    expect(seen?.isError).toBe(true)
    expect(textOf(seen)).toMatch(/\[Offloaded: 1 block[^]*FATAL: no space left/)
    expect(textOf(seen).length).toBeLessThan(10_000)
  })

  it('keep small results, and all results with offload: false', async () => {
    const value = { a: 1 }
    expect((await runBare(toolOf('read', async () => value))).output).toBe(value)
    const exempt = createOffloader({ tools: { read_log: { offload: false } } })
    expect((await runBare(readLog, {}, exempt)).output).toBe(LOG)
  })

  it('keep outputs that they validate or map, because a text would be invalid', async () => {
    const outputSchema = z.array(z.object({ id: z.number(), name: z.string() })) as never
    expect((await runBare(toolOf('list', async () => USERS, { outputSchema }))).output).toEqual(USERS)
    const toModelOutput = ({ output }: { output: unknown }) => ({
      type: 'text' as const,
      value: `${(output as []).length}`,
    })
    const { seen, output } = await runBare(toolOf('count', async () => USERS, { toModelOutput }))
    expect(output).toBe(USERS)
    expect(textOf(seen)).toBe('3000')
  })
})

describe('hooks of your own', () => {
  it('run first, and the outputs that they replaced are offloaded', async () => {
    const onToolEnd = vi.fn<NonNullable<AgentHooks['onToolEnd']>>(async () => ({ output: `redacted\n${LOG}` }))
    const { offloader } = createOffloader()
    const { seen } = await runBare(
      toolOf('read', async () => 'secret'),
      { options: { hooks: { onToolEnd } } },
      { offloader, events: [] },
    )
    expect(await storedText(offloader, referenceIn(seen), 'a')).toBe(`redacted\n${LOG}`)
    expect(onToolEnd).toHaveBeenCalledTimes(1)
  })

  it('pass on their result if nothing is offloaded', async () => {
    const hooks = createHooks({ onToolEnd: async () => ({ output: 'redacted' }) })
    const { seen } = await runBare(
      toolOf('read', async () => 'secret'),
      { options: { hooks } },
    )
    expect(textOf(seen)).toBe('redacted')
    const { seen: cleared } = await runBare(
      toolOf('read', async () => LOG),
      {
        options: { hooks: { onToolEnd: async () => ({ output: undefined }) } },
      },
    )
    expect(cleared?.content).toEqual([{ type: 'json', value: null }])
  })

  it.skipIf(isEarly)('run first for errors, too, and their result is offloaded', async () => {
    const tool = toolOf('build', async () => {
      throw new Error('failed')
    })
    const hooks: AgentHooks = { onToolError: async () => ({ output: { error: true, message: LOG } }) }
    const { seen } = await runBare(tool, { options: { hooks } })
    expect(textOf(seen)).toContain('[Offloaded: 1 block')
    const small: AgentHooks = { onToolError: async () => ({ output: 'mended' }) }
    expect(textOf((await runBare(tool, { options: { hooks: small } })).seen)).toBe('mended')
  })

  it('are all called, together with the hooks of an operation', async () => {
    const names = [
      'onStart',
      'onToolStart',
      'onToolEnd',
      'onPrepareMessages',
      'onPrepareModelMessages',
      'onStepFinish',
      'onEnd',
    ]
    const called: string[] = []
    const spy = (name: string) => async (): Promise<never> => called.push(name) as never
    const hooks = Object.fromEntries(names.map((name) => [name, spy(name)])) as AgentHooks
    const { seen } = await runBare(readLog, { options: { hooks }, hooks: { onToolEnd: spy('of the operation') } })
    expect(new Set(called)).toEqual(new Set([...names, 'of the operation']))
    expect(textOf(seen)).toMatch(OFFLOADED)
  })

  it('prepare the messages with which the offloader continues', async () => {
    const { offloader } = createOffloader()
    const { model, prompts } = scriptedModel()
    const hooks = createHooks({
      onPrepareModelMessages: async () => ({ modelMessages: [{ role: 'user', content: 'Prepared.' }] }),
    })
    await agentOf({ model, hooks: offloadHooks(offloader, { hooks }) }).generateText('Go.', IN_A)
    expect(JSON.parse(prompts[0]?.messages ?? '')).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Prepared.' }] },
    ])
  })
})

describe('subagents', () => {
  it('have their answers offloaded, which the supervisor can read', async () => {
    const { offloader } = createOffloader()
    const helper = agentOf({ name: 'helper', model: scriptedModel({ text: LOG }).model })
    const { model, prompts } = scriptedModel(delegating(), retrieving({ pattern: 'FAILED' }))
    const hooks = offloadHooks(offloader)
    const agent = agentOf({ model, subAgents: [helper], tools: [retrievalTool(offloader)], hooks })
    await agent.generateText('Go.', IN_A)
    expect(textOf(prompts[1]?.results[0])).toMatch(OFFLOADED)
    expect(textOf(prompts[2]?.results[1])).toContain('FAILED')
  })

  it('share content with their supervisor in the same conversation', async () => {
    const { offloader } = createOffloader()
    const tools = offloadTools([readLog], offloader)
    const hooks = offloadHooks(offloader)
    const report = scriptedModel(calling('read_log'), ({ results }) => ({ text: `See ${referenceIn(results[0])}.` }))
    const helper = agentOf({ name: 'helper', model: report.model, tools, hooks })
    const { model, prompts } = scriptedModel(delegating(), ({ results }) => {
      const reference = /See (\w+)\./.exec(textOf(results[0]))?.[1]
      const input = { reference, pattern: 'FAILED' }
      return { toolCalls: [{ id: 'retrieval', name: 'retrieve_offloaded_content', input }] }
    })
    const agent = agentOf({ model, subAgents: [helper], tools: [retrievalTool(offloader)], hooks })
    await agent.generateText('Go.', { ...IN_A, userId: 'u' })
    expect(textOf(prompts[2]?.results[1])).toContain('1321')
  })

  it('keep an answer that ends the run', async () => {
    const { offloader } = createOffloader()
    const own = createHooks({ onHandoffComplete: async ({ bail }) => bail() })
    const runs = []
    for (const hooks of [own, offloadHooks(offloader, { hooks: own })]) {
      const helper = agentOf({ name: 'helper', model: scriptedModel({ text: LOG }).model })
      const { model, prompts } = scriptedModel(delegating())
      const { text } = await agentOf({ model, subAgents: [helper], hooks }).generateText('Go.', IN_A)
      runs.push({ text, prompts: prompts.map(({ messages }) => messages) })
    }
    expect(runs[1]).toEqual(runs[0])
    // In early versions, such an answer ends only streams.
    expect(runs[1]?.prompts).toHaveLength(isEarly ? 2 : 1)
  })

  function delegating(): { toolCalls: { id: string; name: string; input: unknown }[] } {
    return { toolCalls: [{ id: 'call_0', name: 'delegate_task', input: { task: 'Read.', targetAgents: ['helper'] } }] }
  }
})

describe.skipIf(isEarly)('tool routing', () => {
  it("has the result of a routed tool offloaded once, under the id of the model's call", async () => {
    const { offloader, events } = createOffloader()
    for (const tool of [readLog, ...offloadTools([readLog], offloader).slice(0, 1)]) {
      const { model, prompts } = scriptedModel(routed('read_log', 'call_0'), retrieving({ pattern: 'FAILED' }))
      const agent = agentOf({
        model,
        toolRouting: { pool: [tool], expose: [retrievalTool(offloader)], enforceSearchBeforeCall: false },
        hooks: offloadHooks(offloader),
      })
      await agent.generateText('Go.', IN_A)
      expect(referenceIn(prompts[1]?.results[0])).toMatch(/^call_0_/)
      expect(textOf(prompts[2]?.results[1])).toContain('FAILED')
    }
    expect(events.filter(({ type }) => type === 'offload')).toHaveLength(2)
  })

  it('keeps an answer of the retrieval tool that was routed', async () => {
    const { offloader, events } = createOffloader({ maxResultTokens: 500, maxRetrievalTokens: 10_000 })
    const { model, prompts } = scriptedModel(routed('read_log', 'call_0'), ({ results }) =>
      routed('retrieve_offloaded_content', 'call_1', {
        reference: referenceIn(results[0]),
        line_range: { start: 1, end: 300 },
      }),
    )
    const agent = agentOf({
      model,
      toolRouting: { pool: offloadTools([readLog], offloader), enforceSearchBeforeCall: false },
      hooks: offloadHooks(offloader),
    })
    await agent.generateText('Go.', IN_A)
    expect(textOf(prompts[2]?.results[1])).toContain('300| line 300')
    expect(events.filter(({ type }) => type === 'offload')).toHaveLength(1)
  })

  function routed(
    name: string,
    id: string,
    args: object = {},
  ): { toolCalls: { id: string; name: string; input: unknown }[] } {
    return { toolCalls: [{ id, name: 'callTool', input: { name, args } }] }
  }
})

describe('scopes', () => {
  it.each([
    [{ conversationId: 'a', userId: 'u' }, ['u', 'a']],
    [{ conversationId: 'a' }, ['a']],
    [{}, []],
  ])('for %o are %o, with their own turns', async (operation, scope) => {
    const { offloader } = createOffloader()
    const { model, prompts } = scriptedModel(calling('read_log'))
    const tools = offloadTools([readLog], offloader)
    await agentOf({ model, tools, hooks: offloadHooks(offloader) }).generateText('Go.', operation)
    const { storage } = scope.length === 0 ? offloader.options : offloader.forScope(...scope).options
    const reference = referenceIn(prompts[1]?.results[0])
    expect(new TextDecoder().decode((await storage.retrieve(reference)).content)).toBe(LOG)
  })

  it("may depend on the caller's values, with the option scope", async () => {
    const { offloader } = createOffloader()
    const runs: unknown[] = []
    const options = {
      scope: (run: { context: ReadonlyMap<string | symbol, unknown>; conversationId: string | undefined }) => {
        runs.push({ ...run, context: run.context.get('tenant') })
        return [String(run.context.get('tenant')), String(run.conversationId)]
      },
    }
    const { model, prompts } = scriptedModel(calling('read_log'), retrieving({ pattern: 'FAILED' }))
    const agent = agentOf({
      model,
      tools: offloadTools([readLog], offloader, options),
      hooks: offloadHooks(offloader, options),
    })
    await agent.generateText('Go.', { ...IN_A, context: new Map([['tenant', 't']]) })
    expect(await storedText(offloader, referenceIn(prompts[1]?.results[0]), 't', 'a')).toBe(LOG)
    expect(textOf(prompts[2]?.results[1])).toContain('FAILED')
    for (const run of runs) expect(run).toEqual({ conversationId: 'a', userId: undefined, context: 't' })
  })

  it('leave the original and report an event if they are invalid', async () => {
    const { offloader, events } = createOffloader()
    const options = {
      scope: () => {
        throw new Error('no tenant')
      },
    }
    const { model, prompts } = scriptedModel(calling('read_log'))
    const agent = agentOf({
      model,
      tools: offloadTools([readLog], offloader, options),
      hooks: offloadHooks(offloader, options),
    })
    await agent.generateText('Go.', IN_A)
    expect(textOf(prompts[1]?.results[0])).toBe(LOG)
    expect(events).toMatchObject([{ type: 'offload-failed', toolName: 'read_log' }])
  })
})

it('each model call ends one turn, even if there is a hook for the next step', async () => {
  const order: string[] = []
  const { offloader } = createOffloader()
  const { storage } = offloader.forScope('a').options
  const forScope = () =>
    Object.assign(Object.create(offloader), { endTurn: async () => void order.push('turn') }) as never
  const observed = Object.create(offloader, { forScope: { value: forScope } }) as typeof offloader
  const hooks = createHooks({ onStepFinish: async () => void order.push('step') })
  const { model } = scriptedModel(calling('read_log', 'read_log'), calling('read_log'))
  await agentOf({ model, tools: [readLog], hooks: offloadHooks(observed, { hooks }) }).generateText('Go.', IN_A)
  expect(order).toEqual(['turn', 'step', 'turn', 'step', 'turn', 'step'])
  expect(storage).toBeDefined()
})

it.each([
  [() => offloadHooks({} as never), /offloader must be a ContextOffloader/],
  [
    () => offloadHooks(createOffloader().offloader, { onToolEnd: async () => undefined } as never),
    /Unknown option "onToolEnd". Known: scope, hooks/,
  ],
  [
    () => offloadHooks(createOffloader().offloader, { hooks: null } as never),
    /hooks must be an object of hooks, got null/,
  ],
  [() => offloadHooks(createOffloader().offloader, { scope: 'a' } as never), /scope must be a function/],
])('invalid arguments are rejected when hooks are made: %s', (make, message) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

it('the hooks are accepted by an agent', () => {
  const { offloader } = createOffloader()
  expect(
    new Agent({ name: 'a', instructions: 'i', model: scriptedModel().model, hooks: offloadHooks(offloader) }).name,
  ).toBe('a')
})

describe('offloadHistory', () => {
  const IN_A = { conversationId: 'a', userId: 'u' }
  const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Uint8Array(1_200_000)])
  const readLog = toolOf('read_log', async () => LOG)
  const capture = toolOf('capture', async () => Buffer.from(PNG).toString('base64'), {
    toModelOutput: ({ output }) => ({
      type: 'content',
      value: [{ type: 'media', data: String(output), mediaType: 'image/png' }],
    }),
  })

  it('shows saved replacements, answers and retrieved images unchanged', async () => {
    const { offloader, events } = createOffloader()
    const memory = new Memory({ storage: new InMemoryStorageAdapter() })
    const options = { memory, tools: offloadTools([readLog, capture], offloader), hooks: offloadHooks(offloader) }
    const first = scriptedModel(calling('read_log', 'capture'), retrieving({}, 'retrieval_1'), ({ results }) =>
      retrieving({ pattern: 'FAILED' }, 'retrieval_2')({ results: results.slice(0, 1) } as never),
    )
    await agentOf({ model: first.model, ...options }).generateText('Go.', IN_A)
    const second = scriptedModel()
    await agentOf({ model: second.model, ...options }).generateText('Go on.', IN_A)
    const shown = first.prompts.at(-1)?.results
    expect(shown).toHaveLength(4)
    const [image] = shown?.[2]?.content ?? []
    expect(image?.type === 'image' && image.data !== undefined && Buffer.from(PNG).equals(image.data)).toBe(true)
    expect(isDeepStrictEqual(second.prompts[0]?.results, shown)).toBe(true)
    expect(events.filter(({ type }) => type === 'offload')).toHaveLength(2)
  })

  it('does not change small results in the memory of VoltAgent', async () => {
    const { offloader } = createOffloader()
    const run = async (hooks: AgentHooks) => {
      const memory = new Memory({ storage: new InMemoryStorageAdapter() })
      const tools = [toolOf('status', async () => 'well'), toolOf('users', async () => ({ users: 2 }))]
      const options = { memory, tools, hooks }
      await agentOf({ model: scriptedModel(calling('status', 'users')).model, ...options }).generateText('Go.', IN_A)
      const { model, prompts } = scriptedModel()
      await agentOf({ model, ...options }).generateText('Go on.', IN_A)
      const messages: readonly { readonly role: string }[] = JSON.parse(prompts[0]?.messages ?? '[]')
      // VoltAgent saves the request in the background, so its place varies.
      return messages.filter(({ role }) => role === 'tool')
    }
    const shown = await run(offloadHooks(offloader))
    expect(shown).toHaveLength(1)
    expect(shown).toEqual(await run({}))
  })

  it('offloads earlier results in memory', async () => {
    const { offloader } = createOffloader()
    const memory = new Memory({ storage: new InMemoryStorageAdapter() })
    const before = scriptedModel(calling('read_log'))
    await agentOf({ model: before.model, memory, tools: [readLog] }).generateText('Go.', IN_A)
    const { model, prompts } = scriptedModel(retrieving({ pattern: 'FAILED' }))
    const options = { memory, tools: offloadTools([readLog], offloader), hooks: offloadHooks(offloader) }
    await agentOf({ model, ...options }).generateText('Go on.', IN_A)
    expect(textOf(prompts[0]?.results[0])).toMatch(OFFLOADED)
    expect(textOf(prompts[1]?.results[1])).toContain('FAILED')
  })

  it('offloads the raw outputs of a chat to the same bytes as in the run', async () => {
    const { offloader } = createOffloader()
    const options = { tools: offloadTools([readLog], offloader), hooks: offloadHooks(offloader) }
    const first = scriptedModel(calling('read_log'))
    const asked: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }
    const { steps } = await agentOf({ model: first.model, ...options }).generateText([asked], IN_A)
    const { toolCallId, output } = steps[0]?.toolResults[0] ?? {}
    const part = { type: 'tool-read_log', toolCallId, state: 'output-available', input: {}, output }
    const answered = { id: '2', role: 'assistant', parts: [part] } as UIMessage
    const second = scriptedModel()
    await agentOf({ model: second.model, ...options }).generateText([asked, answered, { ...asked, id: '3' }], IN_A)
    expect(JSON.stringify(answered)).toContain('line 1499')
    expect(second.prompts[0]?.results).toEqual(first.prompts[1]?.results)
  })

  type Event = Parameters<typeof offloadHistory>[1]

  /** An event with only the fields that the hook reads. */
  const eventOf = (modelMessages: Event['modelMessages']): Event =>
    ({ modelMessages, context: { abortController: new AbortController() } }) as Event

  const settingsOf = (offloader: ContextOffloader): Settings =>
    resolveOptions(offloader, {}, { usage: 'offloadHooks(offloader, options)' })

  const replaceIn = (offloader: ContextOffloader, messages: Event['modelMessages']) =>
    offloadHistory(settingsOf(offloader), eventOf(messages))

  const call = { type: 'tool-call', toolCallId: 'call_0', toolName: 'read_log', input: { path: '/' } } as const
  const resultOf = (output: object, toolName = 'read_log'): never =>
    ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_0', toolName, output }] }) as never

  it('passes the input of the call to the offloader, even if it is in another message', async () => {
    const inputs: unknown[] = []
    const { offloader } = createOffloader({ shouldOffload: ({ input }) => inputs.push(input) > 0 })
    const messages = [{ role: 'assistant' as const, content: [call] }, resultOf({ type: 'text', value: LOG })]
    await replaceIn(offloader, messages)
    expect(inputs).toEqual([{ path: '/' }])
  })

  /** An output of a hostile tool that becomes content when its conversation continues. */
  const lookAlike = (part: object): object => ({
    type: 'content',
    value: [{ type: 'text', text: '[Offloaded: 1 block, ~9 tokens]' }, part],
  })

  it.each([
    ['a small text', resultOf({ type: 'text', value: 'well' })],
    ['a small text of the memory', resultOf({ type: 'json', value: { type: 'text', value: 'well' } })],
    ['a value that looks like an output', resultOf({ type: 'json', value: { type: 'text', value: 7 } })],
    ['content that is not a list', resultOf({ type: 'json', value: { type: 'content', value: 'a' } })],
    ['content with a URL', resultOf({ type: 'json', value: lookAlike({ type: 'image-url', url: 'http://10.0.0.1' }) })],
    ['content of unknown parts', resultOf({ type: 'json', value: lookAlike({ type: 'image-data', data: 7 }) })],
    ['null', resultOf({ type: 'json', value: null })],
    ['a denied call', resultOf({ type: 'execution-denied', reason: 'no' })],
    ['an output without a type', resultOf({})],
    ['an answer of the retrieval tool', resultOf({ type: 'text', value: LOG }, 'retrieve_offloaded_content')],
    [
      'an answer to an approval',
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] } as never,
    ],
    ['a text of the user', { role: 'user', content: LOG } as never],
    ['a text of the model', { role: 'assistant', content: [{ type: 'text', text: LOG }] } as never],
  ])('keeps a message with %s as the same object', async (_, message) => {
    const { offloader } = createOffloader()
    expect((await replaceIn(offloader, [message]))[0]).toBe(message)
  })

  it('offloads a large value that only looks like a replacement', async () => {
    const value = `[Offloaded: 1 block, ~7 tokens]\n${LOG}`
    const { offloader } = createOffloader()
    for (const alike of [
      { type: 'text', value },
      { type: 'content', value: [{ type: 'text', text: value }] },
    ]) {
      const replaced = await replaceIn(offloader, [resultOf({ type: 'json', value: alike })])
      expect(JSON.stringify(replaced).length).toBeLessThan(10_000)
      expect(JSON.stringify(replaced)).not.toContain('~7 tokens]","')
    }
  })

  it('counts a small text once for all operations, and a large text in each', async () => {
    let counts = 0
    const countTokens = (text: string): number => {
      counts += 1
      return text.length / 4
    }
    const { offloader, events } = createOffloader({ countTokens })
    const settings = settingsOf(offloader)
    // New objects each time, as in VoltAgent.
    const small = () => [
      resultOf({ type: 'text', value: 'well' }),
      resultOf({ type: 'json', value: { type: 'text', value: 'well' } }),
    ]
    const first = small()
    const kept = await offloadHistory(settings, eventOf(first))
    for (const [index, message] of kept.entries()) expect(message).toBe(first[index])
    expect(counts).toBeGreaterThan(0)
    counts = 0
    await offloadHistory(settings, eventOf(small()))
    expect(counts).toBe(0)
    for (let operation = 0; operation < 2; operation += 1)
      await offloadHistory(settings, eventOf([resultOf({ type: 'text', value: LOG })]))
    expect(events.map(({ type }) => type)).toEqual(['offload', 'offload'])
  })

  it('keeps results of tools with offload: false', async () => {
    const message = resultOf({ type: 'text', value: LOG })
    const { offloader } = createOffloader({ tools: { read_log: { offload: false } } })
    expect((await replaceIn(offloader, [message]))[0]).toBe(message)
  })

  it('keeps other results in a message as the same objects', async () => {
    const small = {
      type: 'tool-result',
      toolCallId: 'call_1',
      toolName: 'status',
      output: { type: 'text', value: 'well' },
    }
    const large = { ...small, toolCallId: 'call_0', output: { type: 'text', value: LOG } }
    const message = { role: 'tool', content: [large, small] } as never
    const { offloader } = createOffloader()
    const [replaced] = (await replaceIn(offloader, [message])) as unknown as [{ content: object[] }]
    expect(replaced.content[0]).toMatchObject({
      toolCallId: 'call_0',
      output: { type: 'text', value: expect.stringMatching(OFFLOADED) },
    })
    expect(replaced.content[1]).toBe(small)
    expect(large.output.value).toBe(LOG)
  })

  describe('readModelOutput', () => {
    const TEXT = { type: 'text', text: 'two users' } as const
    const IMAGE = { type: 'image', mediaType: 'image/png', data: new Uint8Array([104, 105]) } as const

    it.each([
      ['a text', [TEXT], false],
      ['an error', [TEXT], true],
      ['parts', [TEXT, IMAGE], false],
    ] as const)('reads %s back as the same object', (_name, blocks, isError) => {
      for (const form of ['media', 'file-data', 'file'] as const) {
        const saved: unknown = JSON.parse(JSON.stringify(writeModelOutput(blocks, { isError, form })))
        expect(readModelOutput(saved)).toBe(saved)
      }
    })

    it.each([
      [undefined],
      [null],
      ['text'],
      [[]],
      [{ type: 'text', value: 7 }],
      [{ type: 'json', value: 'text' }],
      [{ type: 'execution-denied', value: 'text' }],
      [{ type: 'content', value: 'text' }],
      [{ type: 'content', value: [TEXT, 'text'] }],
      [{ type: 'content', value: [{ type: 'image-data', data: 'no base64!', mediaType: 'image/png' }] }],
      [{ type: 'content', value: [{ type: 'image-url', url: 'http://10.0.0.1/a.png' }] }],
      [
        {
          type: 'content',
          value: [{ type: 'file', mediaType: 'image/png', data: { type: 'url', url: 'http://10.0.0.1' } }],
        },
      ],
    ])('reads %o as a plain value', (saved) => {
      expect(readModelOutput(saved)).toBeUndefined()
    })
  })

  describe('isReplacedOutput', () => {
    const text = '[Offloaded: 1 block, ~20,000 tokens]\nThe tool result was offloaded.'
    const image = { type: 'image-data', data: 'aGk=', mediaType: 'image/png' } as const

    it.each([
      [{ type: 'text', value: text }],
      [{ type: 'error-text', value: text }],
      [{ type: 'content', value: [{ type: 'text', text }, image] }],
    ] as const)('recognizes an offloaded output by its first text: %o', (output) => {
      expect(isReplacedOutput(output as Parameters<typeof isReplacedOutput>[0])).toBe(true)
    })

    it.each([
      [{ type: 'text', value: 'two users' }],
      [{ type: 'content', value: [] }],
      [{ type: 'content', value: [image, { type: 'text', text }] }],
    ] as const)('treats %o as an ordinary output', (output) => {
      expect(isReplacedOutput(output as Parameters<typeof isReplacedOutput>[0])).toBe(false)
    })
  })
})
