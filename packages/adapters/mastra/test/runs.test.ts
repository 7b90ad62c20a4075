/** Tests other kinds of runs than the suite. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as settle } from 'node:timers/promises'
import { Agent, type AgentConfig } from '@mastra/core/agent'
import { createDurableAgent } from '@mastra/core/agent/durable'
import { Mastra } from '@mastra/core/mastra'
import { MockMemory } from '@mastra/core/memory'
import { TokenLimiterProcessor } from '@mastra/core/processors'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { LocalFilesystem, Workspace } from '@mastra/core/workspace'
import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { offloadProcessor } from '../src/index.ts'
import { fakeModel } from './fake-model.ts'

const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line + 1}`).join('\n')
const RUN = { memory: { thread: 'thread-1', resource: 'user-1' } } as const
const OFFLOADED = /^\[Offloaded: 1 block/

const readLog = createTool({ id: 'read_log', description: 'Read the log.', execute: async () => LOG })

interface Scripted {
  readonly model: ReturnType<typeof fakeModel>
  readonly prompts: SeenPrompt[]
}

/** Make a model that calls a tool, searches the stored result, and ends. */
function searching(name: string, input: object = {}, text = 'done'): Scripted {
  const prompts: SeenPrompt[] = []
  const model = fakeModel((prompt): ModelTurn => {
    prompts.push(prompt)
    if (prompts.length === 1) return { toolCalls: [{ id: 'call_1', name, input }] }
    const [, reference] = /^ {2}(\w+) \(/m.exec(textOf(prompt)) ?? []
    if (prompts.length > 2 || reference === undefined) return { text }
    return { toolCalls: [{ id: 'call_2', name: RETRIEVAL_TOOL_NAME, input: { reference, pattern: 'line 1321' } }] }
  }, 'v2')
  return { model, prompts }
}

/** The text of the last result. */
function textOf(prompt: SeenPrompt | undefined): string {
  const [block] = prompt?.results.at(-1)?.content ?? []
  return block?.type === 'text' ? block.text : ''
}

/** Make an agent. The type of all its options is too complex for the compiler. */
function agentWith(own: Pick<AgentConfig, 'model'> & Readonly<Record<string, unknown>>): Agent {
  const processor = offloadProcessor(new ContextOffloader({ storage: new InMemoryStorage() }))
  return new Agent({
    id: 'agent',
    name: 'agent',
    instructions: 'Look.',
    inputProcessors: [processor],
    ...own,
  } as AgentConfig)
}

function expectFound({ prompts }: Scripted): void {
  expect(prompts).toHaveLength(3)
  expect(textOf(prompts[1])).toMatch(OFFLOADED)
  expect(textOf(prompts[2])).toMatch(/> +\d+\| .*line 1321/)
}

it('results of workspace tools are offloaded', async () => {
  const basePath = await mkdtemp(join(tmpdir(), 'spillway-mastra-'))
  try {
    await writeFile(join(basePath, 'app.log'), LOG)
    const scripted = searching('mastra_workspace_read_file', { path: 'app.log' })
    const tools = { mastra_workspace_read_file: { maxOutputTokens: 100_000 } }
    const workspace = new Workspace({ filesystem: new LocalFilesystem({ basePath }), tools })
    await agentWith({ model: scripted.model, workspace }).generate('Go.', RUN)
    expectFound(scripted)
  } finally {
    await rm(basePath, { recursive: true })
  }
})

it('results of a sub-agent are offloaded in its own thread, and its answer in the thread of its caller', async () => {
  const helper = searching('read_log', {}, LOG)
  const caller = searching('agent-helper', { prompt: 'Read the log.' })
  const agents = {
    helper: agentWith({
      id: 'helper',
      name: 'helper',
      description: 'Helps.',
      model: helper.model,
      tools: { read_log: readLog },
    }),
  }
  await agentWith({ model: caller.model, agents, memory: new MockMemory() }).generate('Go.', RUN)
  expectFound(helper)
  expectFound(caller)
})

it('ten concurrent conversations of one agent are isolated', async () => {
  const model = fakeModel((prompt): ModelTurn => {
    const { results } = prompt
    if (results.length === 0) return { toolCalls: [{ id: 'call_1', name: 'read_log', input: {} }] }
    if (results.length > 1) return { text: textOf(prompt) }
    // Without a reference, the whole conversation is searched.
    return { toolCalls: [{ id: 'call_2', name: RETRIEVAL_TOOL_NAME, input: { pattern: 'line 1321' } }] }
  }, 'v2')
  const ownLog = createTool({
    id: 'read_log',
    description: 'Read the log.',
    execute: async (_input, { agent }) => {
      for (let turn = Math.random() * 20; turn > 0; turn -= 1) await settle()
      return LOG.replaceAll('line', `${agent?.threadId} line`)
    },
  })
  const agent = agentWith({ model, tools: { read_log: ownLog }, memory: new MockMemory() })
  const threads = Array.from({ length: 10 }, (_, index) => `thread-${index}`)
  const answers = await Promise.all(
    threads.map((thread) => agent.generate('Go.', { memory: { thread, resource: 'user-1' } })),
  )
  for (const [index, { text }] of answers.entries())
    expect([...text.matchAll(/(thread-\d+) line 1321$/gm)].map(([, thread]) => thread)).toEqual([threads[index]])
})

it('a file of an MCP server is replaced, and an image in the same result is not', async () => {
  const prompts: SeenPrompt[] = []
  const model = fakeModel((prompt): ModelTurn => {
    prompts.push(prompt)
    return prompts.length > 1 ? { text: 'done' } : { toolCalls: [{ id: 'call_1', name: 'draw', input: {} }] }
  }, 'v2')
  const blob = Buffer.alloc(30_000).toString('base64')
  const content = [
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob } },
  ]
  const draw = createTool({ id: 'draw', description: 'Draw.', execute: async () => ({ content }) })
  await agentWith({ model, tools: { draw } }).generate('Go.', RUN)
  expect(prompts[1]?.results[0]?.content).toMatchObject([
    { type: 'text', text: expect.stringMatching(/^\[Offloaded: 1 block/) as string },
    { type: 'image', mediaType: 'image/png' },
  ])
})

it('a retrieval is answered after it waited for an approval', async () => {
  const scripted = searching('read_log')
  const agent = agentWith({ model: scripted.model, tools: { read_log: readLog } })
  const storage = new InMemoryStore()
  const registered = new Mastra({ agents: { agent }, storage, logger: false }).getAgent('agent')
  const options = { ...RUN, requireToolApproval: true }
  let result = await registered.generate('Go.', options)
  const asked: string[] = []
  while (result.finishReason === 'suspended') {
    const { toolCallId, toolName } = result.suspendPayload as { toolCallId: string; toolName: string }
    asked.push(toolName)
    result = await registered.approveToolCallGenerate({ ...options, runId: result.runId ?? '', toolCallId })
  }
  expect(asked).toEqual(['read_log', RETRIEVAL_TOOL_NAME])
  expectFound(scripted)
})

it('a durable agent can offload results', async () => {
  const scripted = searching('read_log')
  const agent = agentWith({ model: scripted.model, tools: { read_log: readLog }, memory: new MockMemory() })
  const durable = createDurableAgent({ agent })
  const mastra = new Mastra({ agents: { durable }, storage: new InMemoryStore(), logger: false })
  expect(mastra.getAgent('durable').id).toBe(durable.id)
  const { output, cleanup } = await durable.stream('Go.', RUN)
  for await (const _chunk of output.fullStream) continue
  cleanup()
  expectFound(scripted)
})

it('a token limiter after the offloader does not drop messages', async () => {
  const scripted = searching('read_log')
  const processor = offloadProcessor(new ContextOffloader({ storage: new InMemoryStorage() }))
  const inputProcessors = [processor, new TokenLimiterProcessor(5_000)]
  await agentWith({ model: scripted.model, tools: { read_log: readLog }, inputProcessors }).generate('Go.', RUN)
  expectFound(scripted)
})

it('the retrieval tool is offered even if an earlier processor replaced all tools', async () => {
  const scripted = searching('read_log')
  const own = { id: 'own-tools', processInputStep: () => ({ tools: { read_log: readLog } }) }
  const processor = offloadProcessor(new ContextOffloader({ storage: new InMemoryStorage() }))
  await agentWith({ model: scripted.model, inputProcessors: [own, processor] }).generate('Go.', RUN)
  expect(scripted.prompts[0]?.toolNames).toEqual(['read_log', RETRIEVAL_TOOL_NAME])
  expectFound(scripted)
})
