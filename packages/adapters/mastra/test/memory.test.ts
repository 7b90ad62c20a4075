/** Tests the outputs that memory keeps, and those that the model sees in the next run. */
import { Agent } from '@mastra/core/agent'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { Memory } from '@mastra/memory'
import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { historyProcessor } from '../src/history/index.ts'
import { offloadProcessor } from '../src/index.ts'
import { fakeModel } from './fake-model.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const PNG = Buffer.alloc(1_300_000, 'png').toString('base64')
const RUN = { memory: { thread: 'thread-1', resource: 'user-1' } } as const

const tool = (id: string, execute: () => unknown, toModelOutput?: (output: unknown) => unknown): object =>
  createTool({
    id,
    description: `Do ${id}.`,
    execute: async () => execute(),
    ...(toModelOutput !== undefined && { toModelOutput }),
  })

const TOOLS = {
  text: tool('text', () => LOG),
  json: tool('json', () => ({ lines: LOG.split('\n') })),
  mcp: tool('mcp', () => ({ content: [{ type: 'text', text: LOG }] })),
  image: tool(
    'image',
    () => ({ png: PNG }),
    () => ({ type: 'content', value: [{ type: 'media', mediaType: 'image/png', data: PNG }] }),
  ),
  error: tool('error', () => {
    throw new Error(LOG)
  }),
}

interface Bench {
  readonly agent: Agent
  readonly prompts: readonly SeenPrompt[]
  /** The number of characters of each message in memory. */
  readonly kept: () => Promise<readonly number[]>
}

/** An agent that calls every tool in the first step of its first run. */
function bench({ isOutputProcessor = false }: { readonly isOutputProcessor?: boolean } = {}): Bench {
  const prompts: SeenPrompt[] = []
  const model = fakeModel((prompt): ModelTurn => {
    prompts.push(prompt)
    if (prompts.length > 1) return { text: 'done' }
    return { toolCalls: Object.keys(TOOLS).map((name) => ({ id: `call_${name}`, name, input: {} })) }
  }, 'v2')
  const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 100 } })
  const processor = [offloadProcessor(new ContextOffloader({ storage: new InMemoryStorage() }))]
  const agent = new Agent({
    id: 'agent',
    name: 'agent',
    instructions: 'Look.',
    model,
    memory,
    tools: TOOLS as never,
    inputProcessors: processor,
    outputProcessors: isOutputProcessor ? processor : [],
  })
  const kept = async (): Promise<readonly number[]> => {
    const { messages } = await memory.recall({ threadId: 'thread-1', resourceId: 'user-1', perPage: false })
    return messages.map((message) => JSON.stringify(message).length)
  }
  return { agent, prompts, kept }
}

const small = (sizes: readonly number[]): boolean => sizes.every((size) => size < 20_000)

// Peer sets have no memory package, and the newest memory package needs the newest Mastra.
describe.skipIf(process.env['SPILLWAY_TEST_PEERS'] !== undefined)("Mastra's memory", () => {
  it('keeps the outputs for the model, and gives the next run the same bytes', async () => {
    const { agent, prompts, kept } = bench()
    const { steps } = await agent.generate('Go.', RUN)
    const outputs = steps[0]?.toolResults.map(({ payload }) => JSON.stringify(payload.result).length) ?? []
    expect(Math.min(...outputs)).toBeGreaterThan(50_000)
    expect(await kept()).toHaveLength(2)
    expect(small(await kept())).toBe(true)

    await agent.generate('Go on.', RUN)
    const shown = prompts[1]?.messages ?? ''
    expect(shown.length).toBeLessThan(40_000)
    expect(prompts[2]?.messages.startsWith(shown.slice(0, -1))).toBe(true)
    expect(prompts[2]?.results).toEqual(prompts[1]?.results)
  })

  it('keeps the same outputs if it saves each step, and in streams', async () => {
    const saving = bench()
    await saving.agent.generate('Go.', { ...RUN, savePerStep: true })
    const streaming = bench()
    const { fullStream } = await streaming.agent.stream('Go.', RUN)
    for await (const _chunk of fullStream) continue
    for (const { kept } of [saving, streaming]) expect(small(await kept())).toBe(true)
  })

  it('keeps originals after the last model call, and gives the next run previews', async () => {
    const { agent, prompts, kept } = bench()
    await agent.generate('Go.', { ...RUN, maxSteps: 1 })
    expect(small(await kept())).toBe(false)
    await agent.generate('Go on.', RUN)
    for (const { content } of prompts[1]?.results ?? []) expect(JSON.stringify(content).length).toBeLessThan(10_000)
    expect(prompts[1]?.results).toHaveLength(5)
  })

  it('keeps no originals if the processor is also in outputProcessors', async () => {
    const { agent, kept } = bench({ isOutputProcessor: true })
    await agent.generate('Go.', { ...RUN, maxSteps: 1 })
    expect(await kept()).toHaveLength(2)
    expect(small(await kept())).toBe(true)
  })

  it('a memory keeps the whole history that a summary replaces, and the next run requests no second summary', async () => {
    const part = Array.from({ length: 100 }, (_, line) => `line ${line} of a part`).join('\n')
    const prompts: SeenPrompt[] = []
    let summaries = 0
    const model = fakeModel((prompt): ModelTurn => {
      const calls = prompts.push(prompt)
      return calls % 9 === 0 ? { text: 'done' } : { toolCalls: [{ id: `call_${calls}`, name: 'read', input: {} }] }
    }, 'v2')
    const history = historyProcessor(
      new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) }),
      {
        mode: 'compress',
        maxTotalTokens: 2_000,
        summarize: async () => {
          summaries += 1
          return '<state_snapshot><overall_goal>Read.</overall_goal><key_knowledge>All.</key_knowledge></state_snapshot>'
        },
      },
    )
    const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 100 } })
    const tools = { read: tool('read', () => part) } as never
    const agent = new Agent({
      id: 'agent',
      name: 'agent',
      instructions: 'Look.',
      model,
      memory,
      tools,
      inputProcessors: [history],
    })
    await agent.generate('Go.', { ...RUN, maxSteps: 100 })
    const before = summaries
    const [last] = [prompts.at(-1)!]
    expect(before).toBeGreaterThan(0)
    expect(last.system).toContain('<state_snapshot>')
    const { messages } = await memory.recall({ threadId: 'thread-1', resourceId: 'user-1', perPage: false })
    expect(JSON.stringify(messages).split('line 99 of a part')).toHaveLength(9)
    await agent.generate('Go on.', RUN)
    expect(prompts[9]?.system).toBe(last.system)
    expect(prompts[9]?.messages.startsWith(last.messages.slice(0, -1))).toBe(true)
  })
})
