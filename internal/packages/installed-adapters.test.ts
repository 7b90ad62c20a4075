/** Installs the packed adapters with the oldest framework that they support, and uses them like a user would. */
import { afterAll, describe, it } from 'vitest'
import { isFull } from '../test-run/src/test-run.ts'
import { removeProjects, runIn, installProject, typecheckIn } from './consumer-project.ts'
import { chosen } from './public-packages.ts'

/** Imports a framework and then an adapter, prints the packages that the adapter loaded, and runs the agent. */
const MAIN = `
  import { registerHooks } from 'node:module'
  let loaded = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1]
      if (name !== undefined) loaded.add(name)
      return next(url, context)
    },
  })
  const [, , adapter, ...framework] = process.argv
  for (const name of framework) await import(name)
  const before = loaded
  loaded = new Set()
  await import(adapter)
  console.log([...loaded.difference(before)].toSorted().join(' '))
  await import('./agent.ts')
`

const AI_SDK = `
  import { ContextOffloader } from '@spillway/core'
  import { offloadPrepareStep, offloadTools } from '@spillway/ai-sdk'
  import { historyPrepareStep } from '@spillway/ai-sdk/history'
  import { InMemoryStorage } from '@spillway/memory'
  import { tool } from 'ai'
  import { z } from 'zod'

  const session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session')
  const readLog = tool({ inputSchema: z.object({}), execute: async () => 'a line\\n'.repeat(9_000) })
  const tools = offloadTools({ readLog }, session)
  await offloadPrepareStep(session)({})
  await historyPrepareStep(session)({ messages: [] })
  const output = await readLog.execute?.({}, { toolCallId: 'call_1', messages: [] })
  const shown = await tools.readLog.toModelOutput?.({ toolCallId: 'call_1', input: {}, output: String(output) })
  if (shown?.type !== 'text') throw new Error('not offloaded')
  console.log(shown.value.slice(0, 20))
`

const LANGCHAIN = `
  import { ContextOffloader } from '@spillway/core'
  import { offloadMiddleware } from '@spillway/langchain'
  import { historyMiddleware, summarizeWith } from '@spillway/langchain/history'
  import { InMemoryStorage } from '@spillway/memory'
  import { createAgent, FakeToolCallingModel, tool } from 'langchain'
  import { z } from 'zod'

  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const readLog = tool(() => 'a line\\n'.repeat(9_000), { name: 'read_log', description: 'Read.', schema: z.object({}) })
  const model = new FakeToolCallingModel({ toolCalls: [[{ name: 'read_log', args: {}, id: 'call_1' }], []] })
  const history = historyMiddleware(offloader, { summarize: summarizeWith(model) })
  const agent = createAgent({ model, tools: [readLog], middleware: [offloadMiddleware(offloader), history] })
  const { messages } = await agent.invoke({ messages: 'Go.' })
  console.log(messages.map(({ text }) => text.slice(0, 20)).find((text) => text.startsWith('[Offloaded')))
`

const MASTRA = `
  import { Agent } from '@mastra/core/agent'
  import { createTool } from '@mastra/core/tools'
  import { ContextOffloader } from '@spillway/core'
  import { offloadProcessor } from '@spillway/mastra'
  import { historyProcessor, summarizeWith } from '@spillway/mastra/history'
  import { InMemoryStorage } from '@spillway/memory'

  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const model = {
    specificationVersion: 'v2' as const,
    provider: 'fake',
    modelId: 'fake',
    supportedUrls: {},
    async doGenerate({ prompt }: { prompt: { role: string }[] }) {
      const isLast = prompt.some(({ role }) => role === 'tool')
      const call = { type: 'tool-call' as const, toolCallId: 'call_1', toolName: 'read_log', input: '{}' }
      const content = isLast ? [{ type: 'text' as const, text: 'done' }] : [call]
      return { content, finishReason: isLast ? ('stop' as const) : ('tool-calls' as const), usage, warnings: [] }
    },
    doStream: () => Promise.reject(new Error('It does not stream.')),
  }
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const readLog = createTool({ id: 'read_log', description: 'Read.', execute: async () => 'a line\\n'.repeat(9_000) })
  const inputProcessors = [offloadProcessor(offloader), historyProcessor(offloader, { summarize: summarizeWith(model) })]
  const tools = { read_log: readLog }
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'Read.', model, tools, inputProcessors })
  const { messages } = await agent.generate('Go.')
  const parts = messages.flatMap(({ content }) => content.parts)
  for (const part of parts) if (part.type === 'tool-invocation') console.log(String(part.toolInvocation.result).slice(0, 20))
`

const GOOGLE_ADK = `
  import { BaseLlm, FunctionTool, InMemorySessionService, LlmAgent, LogLevel, Runner, setLogLevel } from '@google/adk'
  import type { LlmRequest, LlmResponse } from '@google/adk'
  import { ContextOffloader } from '@spillway/core'
  import { offloadPlugin, StorageArtifactService } from '@spillway/google-adk'
  import { historyPlugin, summarizeWith } from '@spillway/google-adk/history'
  import { InMemoryStorage } from '@spillway/memory'

  class FakeLlm extends BaseLlm {
    override async *generateContentAsync({ contents }: LlmRequest): AsyncGenerator<LlmResponse, void> {
      const [part] = contents.at(-1)?.parts ?? []
      const call = { functionCall: { id: 'call_1', name: 'read_log', args: {} } }
      const seen = { text: String(part?.functionResponse?.response?.['result']).slice(0, 20) }
      yield { content: { role: 'model', parts: [contents.length === 1 ? call : seen] } }
    }
    override async connect(): Promise<never> {
      throw new Error('No live sessions.')
    }
  }

  setLogLevel(LogLevel.ERROR)
  const storage = new InMemoryStorage()
  const readLog = new FunctionTool({ name: 'read_log', description: 'Read.', execute: async () => 'a line\\n'.repeat(9_000) })
  const agent = new LlmAgent({ name: 'agent', model: new FakeLlm({ model: 'fake' }), tools: [readLog] })
  const sessionService = new InMemorySessionService()
  const artifactService = new StorageArtifactService(storage)
  const offloader = new ContextOffloader({ storage })
  const summarize = summarizeWith(new FakeLlm({ model: 'fake' }))
  const plugins = [historyPlugin(offloader, { summarize }), offloadPlugin(offloader)]
  const runner = new Runner({ appName: 'app', agent, sessionService, artifactService, plugins })
  const ids = { userId: 'user', sessionId: 'session' }
  await sessionService.createSession({ appName: 'app', ...ids })
  const newMessage = { role: 'user', parts: [{ text: 'Go.' }] }
  for await (const { content } of runner.runAsync({ ...ids, newMessage })) {
    const text = content?.parts?.[0]?.text
    if (text !== undefined) console.log(text)
  }
`

const ANTHROPIC = `
  import Anthropic from '@anthropic-ai/sdk'
  import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
  import { endTurns, offloadTools } from '@spillway/anthropic'
  import { historyRunner } from '@spillway/anthropic/history'
  import { ContextOffloader } from '@spillway/core'
  import { InMemoryStorage } from '@spillway/memory'
  import { z } from 'zod'

  const session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session')
  const run = () => 'a line\\n'.repeat(9_000)
  const readLog = betaZodTool({ name: 'read_log', description: 'Read.', inputSchema: z.object({}), run })
  const contents = [[{ type: 'tool_use', id: 'call_1', name: 'read_log', input: {} }], [{ type: 'text', text: 'done' }]]
  const fetch = async () =>
    Response.json({ id: 'msg_' + contents.length, role: 'assistant', content: contents.shift(), stop_reason: contents.length > 0 ? 'tool_use' : 'end_turn' })
  const runner = new Anthropic({ apiKey: 'none', fetch }).beta.messages.toolRunner({
    model: 'claude-sonnet-4-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Go.' }],
    tools: offloadTools([readLog], session),
  })
  await endTurns(historyRunner(runner, session), session)
  const [result] = runner.params.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content ?? [])).filter(({ type }) => type === 'tool_result')
  if (result?.type !== 'tool_result' || typeof result.content !== 'string') throw new Error('no result')
  console.log(result.content.slice(0, 20))
`

const STRANDS = `
  import { InMemoryStorage } from '@spillway/memory'
  import { ContextOffloader } from '@spillway/strands'
  import { Agent, Model, tool, type ModelStreamEvent } from '@strands-agents/sdk'

  class Scripted extends Model {
    calls = 0
    getConfig() { return { modelId: 'scripted' } }
    updateConfig() {}
    async *stream(): AsyncGenerator<ModelStreamEvent> {
      const isFirst = this.calls++ === 0
      yield { type: 'modelMessageStartEvent', role: 'assistant' }
      const start = { type: 'toolUseStart', name: 'read_log', toolUseId: 'call_1' } as const
      yield { type: 'modelContentBlockStartEvent', ...(isFirst && { start }) }
      const text = { type: 'textDelta', text: 'done' } as const
      yield { type: 'modelContentBlockDeltaEvent', delta: isFirst ? { type: 'toolUseInputDelta', input: '{}' } : text }
      yield { type: 'modelContentBlockStopEvent' }
      yield { type: 'modelMessageStopEvent', stopReason: isFirst ? 'toolUse' : 'endTurn' }
    }
  }

  const readLog = tool({ name: 'read_log', description: 'Read.', callback: () => 'a line\\n'.repeat(9_000) })
  const plugins = [new ContextOffloader({ storage: new InMemoryStorage() })]
  const agent = new Agent({ model: new Scripted(), tools: [readLog], plugins, printer: false })
  await agent.invoke('Go.')
  console.log(/\\[Offloaded: [^\\]]*/.exec(JSON.stringify(agent.messages))?.[0])
`

const OPENAI_AGENTS = `
  import { Agent, MemorySession, Runner, setTracingDisabled, tool, Usage, type Model } from '@openai/agents'
  import { ContextOffloader } from '@spillway/core'
  import { InMemoryStorage } from '@spillway/memory'
  import { offloadRunner, offloadTools } from '@spillway/openai-agents'
  import { historyInputFilter } from '@spillway/openai-agents/history'
  import { z } from 'zod'

  setTracingDisabled(true)
  const status = 'completed'
  const call = { type: 'function_call', callId: 'call_1', name: 'read_log', arguments: '{}', status } as const
  const answer = (text: string) => ({ type: 'message', role: 'assistant', status, content: [{ type: 'output_text', text }] }) as const
  const model: Model = {
    getResponse: async ({ input }) => {
      const result = Array.isArray(input) ? input.find((item) => item.type === 'function_call_result') : undefined
      const text = /\\[Offloaded: [^\\]]*/.exec(JSON.stringify(result) ?? '')?.[0]
      return { usage: new Usage(), output: [text === undefined ? call : answer(text)] }
    },
    getStreamedResponse: () => { throw new Error('no streams') },
  }

  const execute = async () => 'a line\\n'.repeat(9_000)
  const readLog = tool({ name: 'read_log', description: 'Read.', parameters: z.object({}), execute })
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const agent = new Agent({ name: 'Reader', model, tools: offloadTools([readLog], offloader) })
  const session = new MemorySession({ sessionId: 'session-1' })
  const runner = new Runner({ callModelInputFilter: historyInputFilter(offloader) })
  const { finalOutput } = await offloadRunner(runner, offloader).run(agent, 'Go.', { session })
  console.log(finalOutput)
`

const GENKIT = `
  import { ContextOffloader } from '@spillway/core'
  import { offloadMiddleware } from '@spillway/genkit'
  import { historyMiddleware, summarizeWith } from '@spillway/genkit/history'
  import { InMemoryStorage } from '@spillway/memory'
  import { genkit, z } from 'genkit'

  const ai = genkit({})
  const model = ai.defineModel({ name: 'fake' }, async ({ messages }) => {
    const call = { toolRequest: { name: 'read_log', ref: 'call_1', input: {} } }
    return { message: { role: 'model', content: [messages.length > 1 ? { text: 'done' } : call] } }
  })
  const config = { name: 'read_log', description: 'Read.', inputSchema: z.object({}) }
  const readLog = ai.defineTool(config, async () => 'a line\\n'.repeat(9_000))
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const history = historyMiddleware(offloader, { summarize: summarizeWith(ai, { model }) })
  const use = [offloadMiddleware(offloader)({ scope: ['a'] }), history({ scope: ['a'] })]
  const { messages } = await ai.generate({ model, prompt: 'Go.', tools: [readLog], use })
  console.log(String(messages[2]?.content[0]?.toolResponse?.output).slice(0, 20))
`

const VOLTAGENT = `
  import { ContextOffloader } from '@spillway/core'
  import { InMemoryStorage } from '@spillway/memory'
  import { offloadHooks, offloadTools } from '@spillway/voltagent'
  import { Agent, createTool } from '@voltagent/core'
  import { MockLanguageModelV3 } from 'ai/test'
  import { z } from 'zod'

  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const readLog = createTool({
    name: 'read_log',
    description: 'Read.',
    parameters: z.object({}),
    execute: async () => 'a line\\n'.repeat(9_000),
  })
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const [part] = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
      const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read_log', input: '{}' } as const
      const seen = part?.type === 'tool-result' && part.output.type === 'text' ? part.output.value.slice(0, 20) : ''
      const unified = part === undefined ? 'tool-calls' : 'stop'
      const content = [part === undefined ? call : { type: 'text' as const, text: seen }]
      return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
    },
  })
  const tools = offloadTools([readLog], offloader)
  const agent = new Agent({ name: 'agent', instructions: 'Help.', model, tools, hooks: offloadHooks(offloader), memory: false })
  console.log((await agent.generateText('Go.', { conversationId: 'a' })).text)
  process.exit()
`

const MCP = `
  import { ContextOffloader } from '@spillway/core'
  import { offloadServer, offloadTransport } from '@spillway/mcp'
  import { InMemoryStorage } from '@spillway/memory'
  import { Client } from '@modelcontextprotocol/sdk/client/index.js'
  import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
  import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'

  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const server = offloadServer(new McpServer({ name: 'logs', version: '1.0.0' }), offloader)
  server.tool('read_log', async () => ({ content: [{ type: 'text', text: 'a line\\n'.repeat(9_000) }] }))
  const client = new Client({ name: 'agent', version: '1.0.0' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(offloadTransport(ours, offloader))])
  const { content } = await client.callTool({ name: 'read_log' })
  console.log((content as { text: string }[])[0]?.text.slice(0, 20))
`

afterAll(removeProjects)

const ADAPTERS = [
  { adapter: '@spillway/ai-sdk', peers: ['ai@6.0.0', 'zod@4'], framework: ['ai'], source: AI_SDK },
  {
    adapter: '@spillway/langchain',
    peers: ['langchain@1.0.1', '@langchain/core@1', 'zod@4'],
    framework: ['langchain', '@langchain/core'],
    source: LANGCHAIN,
  },
  {
    adapter: '@spillway/mastra',
    peers: ['@mastra/core@1.57.0', 'zod@4'],
    framework: ['@mastra/core/agent', '@mastra/core/tools'],
    source: MASTRA,
  },
  { adapter: '@spillway/google-adk', peers: ['@google/adk@2.0.0'], framework: ['@google/adk'], source: GOOGLE_ADK },
  {
    adapter: '@spillway/anthropic',
    peers: ['@anthropic-ai/sdk@0.84.0', 'zod@4'],
    framework: ['@anthropic-ai/sdk'],
    source: ANTHROPIC,
  },
  {
    adapter: '@spillway/strands',
    peers: ['@strands-agents/sdk@1.0.0', 'zod@4'],
    framework: ['@strands-agents/sdk'],
    source: STRANDS,
  },
  {
    adapter: '@spillway/openai-agents',
    peers: ['@openai/agents@0.3.8', 'zod@4'],
    framework: ['@openai/agents'],
    source: OPENAI_AGENTS,
  },
  { adapter: '@spillway/genkit', peers: ['genkit@1.33.0'], framework: ['genkit'], source: GENKIT },
  {
    adapter: '@spillway/voltagent',
    peers: ['@voltagent/core@2.2.0', 'ai@6.0.0', 'zod@4'],
    framework: ['@voltagent/core'],
    source: VOLTAGENT,
  },
  {
    adapter: '@spillway/mcp',
    peers: ['@modelcontextprotocol/sdk@1.13.0'],
    framework: ['@modelcontextprotocol/sdk/server/mcp.js', '@modelcontextprotocol/sdk/client/index.js'],
    source: MCP,
  },
]

const adapters = chosen(ADAPTERS, ({ adapter }) => adapter.replace('@spillway/', 'packages/adapters/'))

describe.concurrent.each(adapters)('$adapter beside $peers.0', ({ adapter, peers, framework, source }) => {
  it('installs, loads only its framework and core, type-checks and offloads', async ({ expect }) => {
    const files = { 'agent.ts': source, 'main.mjs': MAIN }
    const folder = await installProject(
      files,
      ['@spillway/core', '@spillway/history', '@spillway/memory', adapter],
      peers,
      isFull ? 'npm' : 'pnpm-links',
    )
    const [added, ...answer] = (await runIn(folder, 'main.mjs', adapter, ...framework)).split('\n')
    // Core loads previews, search, and their dependencies on first use.
    expect(added?.split(' ')).toEqual(['@spillway/core', '@spillway/text', adapter].toSorted())
    expect(answer.join('\n')).toMatch(/^\[Offloaded: 1 block/)
    expect(await typecheckIn(folder, 'agent.ts')).toBe('')
  })
})
