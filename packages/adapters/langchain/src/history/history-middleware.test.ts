import { HumanMessage, SystemMessage, ToolMessage, type AIMessage, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import type { SeenPrompt } from '@spillway-internal/adapter-suite'
import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { expandHistory } from '@spillway/history'
import { InMemoryStorage } from '@spillway/memory'
import { createAgent, createMiddleware, type AgentMiddleware } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FakeChatModel } from '../../test/fake-chat-model.ts'
import { offloadMiddleware } from '../offload-middleware.ts'
import { historyMiddleware, type HistoryMiddlewareOptions } from './history-middleware.ts'
import { langchainMessages } from './langchain-messages.ts'
import { summarizeWith } from './summarize-with.ts'

const PART = Array.from({ length: 100 }, (_, line) => `line ${line} of a part`).join('\n')
const LIMITS = { maxTotalTokens: 2_000, maxToolMessageTokens: 200 } as const
const SNAPSHOT =
  '<state_snapshot><overall_goal>Read.</overall_goal><key_knowledge>A summary.</key_knowledge></state_snapshot>'
const readPart = tool(() => PART, { name: 'read_part', description: 'Read a part.', schema: z.object({}) })
const create = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })

/** A model that reads the given number of parts after the last user message, and then ends. */
function readingModel(prompts: SeenPrompt[] = [], parts = 8): FakeChatModel {
  let calls = 0
  return new FakeChatModel((prompt) => {
    prompts.push(prompt)
    calls += 1
    return calls % (parts + 1) === 0
      ? { text: 'done' }
      : { toolCalls: [{ id: `call_${calls}`, name: 'read_part', input: {} }] }
  })
}

/** A model for summaries, with the number of its calls. */
function summarizer(): { readonly summarize: ReturnType<typeof summarizeWith>; readonly asked: () => number } {
  let asked = 0
  const model = new FakeChatModel(() => {
    asked += 1
    return { text: SNAPSHOT }
  })
  return { summarize: summarizeWith(model), asked: () => asked }
}

interface Agent {
  readonly offloader?: ContextOffloader
  readonly options?: HistoryMiddlewareOptions
  readonly model?: FakeChatModel
  readonly settings?: object
  readonly more?: readonly AgentMiddleware[]
}

const config = { configurable: { thread_id: 'a' }, recursionLimit: 100 }

function agentOf({ offloader = create(), options = LIMITS, model = readingModel(), settings, more = [] }: Agent) {
  const checkpointer = new MemorySaver()
  const middleware = [offloadMiddleware(offloader), ...more, historyMiddleware(offloader, options)]
  const agent = createAgent({ model, tools: [readPart], middleware, checkpointer, ...settings })
  const invoke = async (content: string): Promise<BaseMessage[]> => {
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content }] } as never, config as never)
    return messages
  }
  return { agent, invoke, checkpointer }
}

const saved = async (checkpointer: MemorySaver): Promise<BaseMessage[]> =>
  (await checkpointer.getTuple(config))?.checkpoint.channel_values['messages'] as BaseMessage[]
const isReference = ({ text }: BaseMessage): boolean => text.startsWith('[Offloaded: ')
const resultsOf = (messages: readonly BaseMessage[]): BaseMessage[] =>
  messages.filter((message) => ToolMessage.isInstance(message))
const isText = (text: RegExp) => (one: { content: readonly object[] }) =>
  one.content.some((part) => 'text' in part && text.test(String(part.text)))

describe('historyMiddleware in the prompt', () => {
  it('replaces older results for the model, and leaves the state unchanged', async () => {
    const prompts: SeenPrompt[] = []
    const { invoke, checkpointer } = agentOf({ model: readingModel(prompts) })
    const messages = await invoke('Go.')
    const last = prompts.at(-1)!.results
    expect(last.slice(0, 3).every(isText(/^\[Offloaded: /))).toBe(true)
    expect(isText(/^line 0/)(last.at(-1)!)).toBe(true)
    expect(resultsOf(messages).map(({ text }) => text)).toEqual(Array(8).fill(PART))
    expect(resultsOf(await saved(checkpointer)).map(({ text }) => text)).toEqual(Array(8).fill(PART))
  })

  it('takes as many super-steps as an agent without it', async () => {
    const steps = async (options: HistoryMiddlewareOptions): Promise<number> => {
      const { invoke, checkpointer } = agentOf({ options })
      await invoke('Go.')
      let count = 0
      for await (const _ of checkpointer.list(config)) count += 1
      return count
    }
    expect(await steps(LIMITS)).toBe(await steps({ maxTotalTokens: 1_000_000 }))
    expect(await steps({ ...LIMITS, replaceIn: 'state' })).toBeGreaterThan(await steps(LIMITS))
  })

  it('keeps the summary after a checkpoint, and requests it once', async () => {
    const prompts: SeenPrompt[] = []
    const { summarize, asked } = summarizer()
    const options = { ...LIMITS, mode: 'compress', summarize } as const
    const { invoke } = agentOf({ options, model: readingModel(prompts), settings: { systemPrompt: 'You are brief.' } })
    await invoke('Go.')
    const before = asked()
    const [first] = [prompts.at(-1)!]
    await invoke('Thanks.')
    expect(before).toBeGreaterThan(0)
    expect(prompts[9]?.system).toBe(first.system)
    expect(prompts[9]?.messages.startsWith(first.messages.slice(0, -1))).toBe(true)
    expect(first.system).toMatch(/^You are brief\.\n\n<state_snapshot>[^]*A summary\./)
  })

  it('keeps a system message between other messages in place', async () => {
    const prompts: SeenPrompt[] = []
    const { summarize } = summarizer()
    const options = { ...LIMITS, mode: 'compress', summarize } as const
    const { agent } = agentOf({ options, model: readingModel(prompts) })
    const messages = [new SystemMessage('You are brief.'), new HumanMessage('Go.')]
    await agent.invoke({ messages } as never, config as never)
    expect(prompts.at(-1)?.system).toMatch(/^You are brief\.\n\n<state_snapshot>/)
    expect(prompts.at(-1)?.messages).not.toContain('state_snapshot')
  })

  it('passes on the same request if the history is within its limit', async () => {
    const requests: unknown[] = []
    const spy = createMiddleware({
      name: 'Spy',
      wrapModelCall: async (request, handler) => {
        requests.push(request.messages)
        return await handler(request)
      },
    })
    const offloader = create()
    const middleware = [spy, historyMiddleware(offloader), { ...spy, name: 'Inner' }]
    const agent = createAgent({ model: readingModel([], 0), tools: [], middleware })
    await agent.invoke({ messages: 'Hello' } as never)
    expect(requests[0]).toBe(requests[1])
  })
})

describe('historyMiddleware in the state', () => {
  const options = { ...LIMITS, replaceIn: 'state' } as const

  it('replaces older results permanently, and keeps everything else in their messages', async () => {
    const offloader = create()
    const { invoke, checkpointer } = agentOf({ offloader, options })
    const { invoke: plain } = agentOf({ options: { maxTotalTokens: 1_000_000 } })
    const [messages, whole] = [await invoke('Go.'), await plain('Go.')]
    expect(messages.map(({ type }) => type)).toEqual(whole.map(({ type }) => type))
    const results = resultsOf(messages) as ToolMessage[]
    expect(results.slice(0, 3).every(isReference)).toBe(true)
    expect(results.map(({ tool_call_id, name }) => ({ tool_call_id, name }))).toEqual(
      resultsOf(whole).map((message) => ({ tool_call_id: (message as ToolMessage).tool_call_id, name: 'read_part' })),
    )
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
    const checkpoint = await saved(checkpointer)
    expect(JSON.stringify(checkpoint).length).toBeLessThan(JSON.stringify(whole).length / 2)
    const format = langchainMessages()
    const expanded = await expandHistory(checkpoint, { offloader: offloader.forScope('a'), format })
    expect(resultsOf(expanded.messages).map(({ text }) => text)).toEqual(Array(8).fill(PART))
  })

  it('keeps a summary at the start of the messages, and shows it at the end of the system prompt', async () => {
    const offloader = create()
    const prompts: SeenPrompt[] = []
    const { summarize } = summarizer()
    const { invoke, checkpointer } = agentOf({
      offloader,
      options: { ...options, mode: 'compress', summarize },
      model: readingModel(prompts),
      settings: { systemPrompt: 'You are brief.' },
    })
    await invoke('Go.')
    const messages = await invoke('Thanks.')
    expect(messages.filter((message) => SystemMessage.isInstance(message))).toHaveLength(1)
    expect(messages[0]?.text).toMatch(/^<state_snapshot>[^]*A summary\./)
    expect(messages.length).toBeLessThan(12)
    expect(prompts.at(-1)?.system).toMatch(/^You are brief\.\n\n<state_snapshot>[^]*A summary\./)
    expect(prompts.at(-1)?.messages).not.toContain('state_snapshot')
    const format = langchainMessages()
    const checkpoint = await saved(checkpointer)
    const expanded = await expandHistory(checkpoint, { offloader: offloader.forScope('a'), format })
    expect(expanded.missing).toEqual([])
    expect(expanded.messages.filter(({ type }) => type === 'human').map(({ text }) => text)).toEqual(['Go.', 'Thanks.'])
    const calls = expanded.messages.flatMap((message) => (message as AIMessage).tool_calls ?? [])
    expect(calls.map(({ id }) => id)).toEqual(
      resultsOf(expanded.messages).map((message) => (message as ToolMessage).tool_call_id),
    )
    expect(calls).toHaveLength(16)
  })

  it('continues in another process without the removed messages', async () => {
    const offloader = create()
    const { summarize } = summarizer()
    const summarizing = { ...options, mode: 'compress', summarize } as const
    const { invoke, checkpointer } = agentOf({ offloader, options: summarizing })
    await invoke('Go.')
    const prompts: SeenPrompt[] = []
    const other = agentOf({
      offloader,
      options: { ...summarizing, maxTotalTokens: 100_000 },
      model: readingModel(prompts, 0),
      settings: { checkpointer },
    })
    await other.invoke('Thanks.')
    expect(prompts[0]?.system).toMatch(/^<state_snapshot>[^]*A summary\./)
  })
})

it.each(['prompt', 'state'] as const)(
  'historyMiddleware keeps the output of the summary model out of streams (%s)',
  async (replaceIn) => {
    const { summarize, asked } = summarizer()
    const { agent } = agentOf({ options: { ...LIMITS, mode: 'compress', summarize, replaceIn } })
    const input = { messages: [{ role: 'user', content: 'Go.' }] }
    const seen: string[] = []
    for await (const chunk of await agent.stream(input as never, { ...config, streamMode: 'messages' } as never)) {
      const [message] = chunk as unknown as [BaseMessage]
      if (!SystemMessage.isInstance(message)) seen.push(message.text)
    }
    expect(asked()).toBeGreaterThan(0)
    expect(seen.length).toBeGreaterThan(8)
    expect(seen.filter((text) => text.includes('A summary.'))).toEqual([])
  },
)

it('historyMiddleware stores in the given scope, and reports each pass', async () => {
  const events: OffloadEvent[] = []
  const storage = new InMemoryStorage({ evictAfterTurns: null })
  const offloader = new ContextOffloader({ storage, onEvent: (event) => void events.push(event) })
  const scope: HistoryMiddlewareOptions['scope'] = ({ configurable }) => ['tenant', String(configurable['thread_id'])]
  await agentOf({ offloader, options: { ...LIMITS, scope } }).invoke('Go.')
  const entries = await Array.fromAsync(storage.scope('tenant', 'a').list())
  expect(entries.length).toBeGreaterThan(2)
  expect(await Array.fromAsync(storage.scope('a').list())).toEqual([])
  expect(events.filter(({ type }) => type === 'history').length).toBeGreaterThan(0)
})

it('historyMiddleware continues with the original if the scope of a run is invalid', async () => {
  const prompts: SeenPrompt[] = []
  const scope = (): never => {
    throw new Error('no tenant')
  }
  await agentOf({ options: { ...LIMITS, scope }, model: readingModel(prompts) }).invoke('Go.')
  expect(prompts.at(-1)?.results.every(isText(/^line 0/))).toBe(true)
})

it('historyMiddleware rejects invalid arguments at construction', () => {
  const make = (options: unknown) => () => historyMiddleware(create(), options as HistoryMiddlewareOptions)
  expect(() => historyMiddleware({} as never)).toThrow(/offloader must be a ContextOffloader/)
  expect(make({ maxTokens: 1 })).toThrow(/Unknown option "maxTokens"/)
  expect(make({ replaceIn: 'store' })).toThrow("replaceIn must be 'prompt' or 'state', got store.")
  expect(make({ scope: 'a' })).toThrow(/scope must be a function/)
  expect(make(null)).toThrow(/options must be an object/)
  expect(make({ summarize: new FakeChatModel(() => ({ text: '' })) })).toThrow(/summarize must be a function/)
  expect(() => summarizeWith({} as never)).toThrow(/model must be a chat model of LangChain/)
})
