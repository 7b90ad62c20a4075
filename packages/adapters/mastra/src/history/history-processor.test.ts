import { Agent, type AgentConfig } from '@mastra/core/agent'
import { MockMemory } from '@mastra/core/memory'
import { createTool } from '@mastra/core/tools'
import type { SeenPrompt } from '@spillway-internal/adapter-suite'
import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { fakeModel } from '../../test/fake-model.ts'
import { offloadProcessor } from '../offload-processor.ts'
import { historyProcessor, type HistoryProcessorOptions } from './history-processor.ts'
import { summarizeWith } from './summarize-with.ts'

const PART = Array.from({ length: 100 }, (_, line) => `line ${line} of a part`).join('\n')
const LIMITS = { maxTotalTokens: 2_000, maxToolMessageTokens: 200 } as const
const SNAPSHOT =
  '<state_snapshot><overall_goal>Read.</overall_goal><key_knowledge>A summary.</key_knowledge></state_snapshot>'
const RUN = { memory: { thread: 'a', resource: 'user-1' }, maxSteps: 100 } as const
const readPart = createTool({ id: 'read_part', description: 'Read a part.', execute: async () => PART })
const create = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })

/** A model that reads the given number of parts after the last user message, and then ends. */
function readingModel(prompts: SeenPrompt[], parts = 8): ReturnType<typeof fakeModel> {
  return fakeModel((prompt) => {
    const calls = prompts.push(prompt)
    return calls % (parts + 1) === 0
      ? { text: 'done' }
      : { toolCalls: [{ id: `call_${calls}`, name: 'read_part', input: {} }] }
  }, 'v2')
}

/** A model for summaries, with the number of its calls. */
function summarizer(text = SNAPSHOT): {
  readonly summarize: ReturnType<typeof summarizeWith>
  readonly asked: () => number
} {
  let asked = 0
  const model = fakeModel(() => {
    asked += 1
    return { text }
  }, 'v2')
  return { summarize: summarizeWith(model), asked: () => asked }
}

/** Create an agent without inferring types from its options, which takes the compiler seconds. */
const agentOf = (config: AgentConfig): Agent => new Agent(config)

interface Bench {
  readonly agent: Agent
  readonly prompts: readonly SeenPrompt[]
  readonly memory: MockMemory
}

function bench(options: HistoryProcessorOptions, offloader = create(), parts = 8): Bench {
  const prompts: SeenPrompt[] = []
  const memory = new MockMemory({ options: { lastMessages: 1_000 } })
  const agent = agentOf({
    id: 'agent',
    name: 'agent',
    instructions: 'You are brief.',
    model: readingModel(prompts, parts),
    memory,
    tools: { read_part: readPart },
    inputProcessors: [offloadProcessor(offloader), historyProcessor(offloader, options)],
  })
  return { agent, prompts, memory }
}

const textOf = ({ content: [part] }: SeenPrompt['results'][number]): string =>
  part?.type === 'text' ? part.text : JSON.stringify(part)

it('historyProcessor shows the model references to older results, and leaves memory and program unchanged', async () => {
  const { agent, prompts, memory } = bench(LIMITS)
  const { steps } = await agent.generate('Go.', RUN)
  const last = prompts.at(-1)!.results.map(textOf)
  expect(last.slice(0, 3).every((text) => text.startsWith('[Offloaded: '))).toBe(true)
  expect(last.at(-1)).toBe(PART)
  expect(steps.flatMap((step) => step.toolResults.map(({ payload }) => payload.result))).toEqual(Array(8).fill(PART))
  const { messages } = await memory.recall({ threadId: 'a', perPage: false })
  expect(JSON.stringify(messages).split('line 99 of a part').length).toBe(9)
})

it('historyProcessor keeps the summary in the next run of a thread, and requests it once', async () => {
  const { summarize, asked } = summarizer()
  const { agent, prompts } = bench({ ...LIMITS, mode: 'compress', summarize })
  await agent.generate('Go.', RUN)
  const [before, last] = [asked(), prompts.at(-1)!]
  await agent.generate('Thanks.', RUN)
  expect(before).toBeGreaterThan(0)
  expect(last.system).toMatch(/^You are brief\.\n\n<state_snapshot>[^]*A summary\./)
  expect(prompts[9]?.system).toBe(last.system)
  expect(prompts[9]?.messages.startsWith(last.messages.slice(0, -1))).toBe(true)
  expect(prompts[9]?.messages).toContain('Thanks.')
})

it('historyProcessor marks errors of an MCP server as errors, even if references replace them', async () => {
  const prompts: SeenPrompt[] = []
  const failed = { content: [{ type: 'text', text: PART }], isError: true }
  const offloader = create()
  const agent = agentOf({
    id: 'agent',
    name: 'agent',
    instructions: 'Look.',
    model: readingModel(prompts),
    tools: { read_part: createTool({ id: 'read_part', description: 'Read.', execute: async () => failed }) },
    inputProcessors: [historyProcessor(offloader, LIMITS)],
  })
  await agent.generate('Go.', RUN)
  const [first] = prompts.at(-1)!.results
  expect(textOf(first!)).toMatch(/^\[Offloaded: /)
  expect(first?.isError).toBe(true)
})

it('historyProcessor keeps messages if the summary model fails', async () => {
  const events: OffloadEvent[] = []
  const offloader = new ContextOffloader({
    storage: new InMemoryStorage(),
    onEvent: (event) => void events.push(event),
  })
  const failing = fakeModel(() => {
    throw new Error('overloaded')
  }, 'v2')
  const { agent, prompts } = bench({ ...LIMITS, mode: 'compress', summarize: summarizeWith(failing) }, offloader)
  await agent.generate('Go.', RUN)
  expect(prompts.at(-1)?.results).toHaveLength(8)
  expect(prompts.at(-1)?.system).toBe('You are brief.')
  expect(events.filter(({ type }) => type === 'history').at(-1)).toMatchObject({ fits: false, applied: [] })
})

it('historyProcessor stores in the given scope', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null })
  const scope: HistoryProcessorOptions['scope'] = ({ resourceId = '', threadId = '' }) => [resourceId, threadId]
  await bench({ ...LIMITS, scope }, new ContextOffloader({ storage })).agent.generate('Go.', RUN)
  expect((await Array.fromAsync(storage.scope('user-1', 'a').list())).length).toBeGreaterThan(2)
  expect(await Array.fromAsync(storage.scope('a').list())).toEqual([])
})

it('historyProcessor isolates concurrent threads', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null })
  const offloader = new ContextOffloader({ storage })
  const { agent } = bench(LIMITS, offloader, 1_000)
  const threads = ['a', 'b', 'c']
  const run = (thread: string) => agent.generate('Go.', { memory: { thread, resource: 'user-1' }, maxSteps: 9 })
  await Promise.all(threads.map(run))
  for (const thread of threads) expect((await Array.fromAsync(storage.scope(thread).list())).length).toBeGreaterThan(2)
})

it('historyProcessor rejects invalid arguments at construction', () => {
  const make = (options: unknown) => () => historyProcessor(create(), options as HistoryProcessorOptions)
  expect(() => historyProcessor({} as never)).toThrow(/offloader must be a ContextOffloader/)
  expect(make({ maxTokens: 1 })).toThrow(/Unknown option "maxTokens"/)
  expect(make({ scope: 'a' })).toThrow(/scope must be a function/)
  expect(make(null)).toThrow(/options must be an object/)
  expect(() => summarizeWith('' as never)).toThrow(/model must be a model of Mastra/)
})
