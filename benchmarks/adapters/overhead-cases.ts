import { ToolMessage } from '@langchain/core/messages'
import { Agent, MessageList } from '@mastra/core/agent'
import type {
  InputProcessor,
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessToolResultArgs,
} from '@mastra/core/processors'
import { createTool } from '@mastra/core/tools'
import { offloadMiddleware, offloadPrepareStep, offloadTools, retrievalTool } from '@spillway/ai-sdk'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import * as langchain from '@spillway/langchain'
import { offloadProcessor } from '@spillway/mastra'
import { InMemoryStorage } from '@spillway/memory'
import { generateText, isStepCount, tool, wrapLanguageModel, type ModelMessage } from 'ai'
import type { MockLanguageModelV4 } from 'ai/test'
import {
  AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  tool as langchainTool,
  type AgentMiddleware,
  type BaseMessage,
} from 'langchain'
import { z } from 'zod'
import * as aiSdkModels from './ai-sdk.ts'
import type { Script } from './conversation.ts'
import * as langchainModels from './langchain.ts'
import * as mastraModels from './mastra.ts'
import type { Subject } from './subject.ts'

/** Something without Spillway, and the same with it. */
export interface OverheadCase {
  readonly name: string
  readonly plain: Subject
  readonly wrapped: Subject
}

/** Tool results that pass through a loop before the model ends it. */
const STEPS = 10
const CONFIG = { configurable: { thread_id: 'thread-1' }, recursionLimit: 10_000 }

const script: Script = (index) => (index < STEPS ? { name: 'read', input: { path: 'a' } } : 'Done.')

/** The result of {@link smallResults} that whole runs are measured with. */
export const SHOWN_RESULT = 'text, 2,000 characters'

/** Results with nothing to offload: lines of a log, or records. */
export function smallResults(): Readonly<Record<string, string | object>> {
  const line = (index: number): string => `2026-01-01T00:00:${index % 60} INFO payments request ${index} took 12 ms\n`
  const lines = (count: number): string => Array.from({ length: count }, (_, index) => line(index)).join('')
  const record = (id: number): object => ({ id, name: `user${id}`, plan: 'free', tags: ['a', 'b'], seen: null })
  return {
    'text, 200 characters': lines(4),
    'text, 2,000 characters': lines(38),
    'text, 5,000 characters': lines(94),
    'JSON, 200 characters': Array.from({ length: 3 }, (_, id) => record(id)),
    'JSON, 2,000 characters': Array.from({ length: 28 }, (_, id) => record(id)),
  }
}

/** The hooks of the adapters, called as the frameworks call them, beside what these would have called. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const offloader = newOffloader()
  const session = offloader.forScope('session-1')
  const own = tool({
    inputSchema: z.object({}),
    execute: async () => output,
    toModelOutput: async ({ output: value }) =>
      typeof value === 'string' ? { type: 'text', value } : { type: 'json', value: value as never },
  })
  const { own: ours } = offloadTools({ own }, session)
  const call = { toolCallId: 'call_1', input: {}, output }
  const options = { toolCallId: 'call_1', messages: [], context: {} }

  const content = typeof output === 'string' ? output : JSON.stringify(output)
  const message = new ToolMessage({ content, tool_call_id: 'call_1', name: 'read' })
  const middleware = langchain.offloadMiddleware(offloader)
  const toolCall = { name: 'read', args: {}, id: 'call_1', type: 'tool_call' as const }
  // An agent passes a whole runtime; the hook reads the thread and the signal of it.
  const request = { toolCall, tool: undefined, state: { messages: [] }, runtime: { ...CONFIG, context: undefined } }
  const handler = async (): Promise<ToolMessage> => message
  const read = langchainTool(async () => content, { name: 'read', description: 'Read.', schema: z.object({}) })
  const [wrappedRead] = langchain.offloadTools([read], offloader)
  return [
    {
      name: 'AI SDK `toModelOutput`',
      plain: one(() => own.toModelOutput?.(call)),
      wrapped: one(() => ours.toModelOutput?.(call)),
    },
    {
      name: 'AI SDK `execute`',
      plain: one(() => own.execute?.({}, options)),
      wrapped: one(() => ours.execute?.({}, options)),
    },
    {
      name: 'LangChain `wrapToolCall`',
      plain: one(handler),
      wrapped: one(() => middleware.wrapToolCall?.(request, handler)),
    },
    {
      name: 'LangChain tool `invoke`',
      plain: one(() => read.invoke(toolCall, CONFIG)),
      wrapped: one(() => wrappedRead.invoke(toolCall, CONFIG)),
    },
    ...mastraDirectCases(output),
  ]
}

/** A state of its own for each call makes each result a new one. */
function mastraDirectCases(output: string | object): readonly OverheadCase[] {
  const processor = offloadProcessor(newOffloader())
  const call = { toolCallId: 'call_1', toolName: 'read', args: {} }
  const toolInvocation = { ...call, state: 'result', result: output } as const
  const messageList = new MessageList({ threadId: 'thread-1' }).add('Read the file.', 'input').add(
    {
      id: 'message',
      role: 'assistant',
      createdAt: new Date(),
      threadId: 'thread-1',
      content: { format: 2, parts: [{ type: 'tool-invocation', toolInvocation }] },
    },
    'response',
  )
  const messages = messageList.get.all.db()
  const tools = processor.getLoadedToolsForRequestContext()
  const shown = typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output }
  const prompt = [{ role: 'tool', content: [{ ...call, type: 'tool-result', output: shown }] }]
  const idle = async (): Promise<void> => undefined
  return [
    {
      name: 'Mastra `processInputStep`, `processLLMRequest`',
      plain: one(idle),
      wrapped: one(async () => {
        const state = {}
        await processor.processInputStep({ state, messages, messageList, tools } as unknown as ProcessInputStepArgs)
        await processor.processLLMRequest({ state, prompt } as unknown as ProcessLLMRequestArgs)
      }),
    },
    {
      name: 'Mastra `processToolResult`',
      plain: one(idle),
      wrapped: one(() => {
        const args = { state: {}, messages, messageList, ...call, result: output }
        return processor.processToolResult(args as unknown as ProcessToolResultArgs)
      }),
    },
  ]
}

/** Whole runs with {@link STEPS} small results each, after a history of some messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  return [...aiSdkLoops(history, output), ...langchainLoops(history, output), ...mastraLoops(history, output)]
}

function aiSdkLoops(history: number, output: string): readonly OverheadCase[] {
  const session = newOffloader().forScope('session-1')
  const read = tool({ inputSchema: z.object({ path: z.string() }), execute: async () => output })
  const messages = aiSdkHistory(history, output)
  const stopWhen = isStepCount(STEPS + 1)
  const newModel = (): MockLanguageModelV4 => aiSdkModels.scriptedModel(script, () => undefined)
  const plain = loop(() => generateText({ model: newModel(), tools: { read }, messages, stopWhen }))

  const tools = offloadTools({ read }, session)
  const prepareStep = offloadPrepareStep(session)
  const withRetrieval = { read, [RETRIEVAL_TOOL_NAME]: retrievalTool(session) }
  const middleware = offloadMiddleware(session)
  const wrapped = (): ReturnType<typeof wrapLanguageModel> => wrapLanguageModel({ model: newModel(), middleware })
  return [
    {
      name: 'AI SDK `offloadTools`',
      plain,
      wrapped: loop(() => generateText({ model: newModel(), tools, messages, stopWhen, prepareStep })),
    },
    {
      name: 'AI SDK `offloadMiddleware`',
      plain,
      wrapped: loop(() => generateText({ model: wrapped(), tools: withRetrieval, messages, stopWhen })),
    },
  ]
}

function langchainLoops(history: number, output: string): readonly OverheadCase[] {
  const read = langchainTool(async () => output, {
    name: 'read',
    description: 'Read.',
    schema: z.object({ path: z.string() }),
  })
  const messages = langchainHistory(history, output)
  const agent = (middleware: readonly AgentMiddleware<undefined, undefined, unknown>[]): Subject =>
    loop(() => {
      const model = langchainModels.scriptedModel(script, () => undefined)
      return createAgent({ model, tools: [read], middleware }).invoke({ messages }, CONFIG)
    })
  // What the framework takes for a middleware with a tool, whatever they do.
  const idle = createMiddleware({
    name: 'Idle',
    tools: [langchain.retrievalTool(newOffloader())],
    wrapToolCall: (request, handler) => handler(request),
    wrapModelCall: (request, handler) => handler(request),
  })
  const plain = agent([])
  return [
    { name: 'LangChain, an idle middleware', plain, wrapped: agent([idle]) },
    { name: 'LangChain `offloadMiddleware`', plain, wrapped: agent([langchain.offloadMiddleware(newOffloader())]) },
  ]
}

function mastraLoops(history: number, output: string): readonly OverheadCase[] {
  const read = createTool({ id: 'read', description: 'Read.', execute: async () => output })
  const messages = aiSdkHistory(history, output) as unknown as Parameters<Agent['generate']>[0]
  const agent = (inputProcessors: InputProcessor[]): Subject =>
    loop(() => {
      const model = mastraModels.scriptedModel(script, () => undefined)
      const config = { id: 'agent', name: 'agent', instructions: 'Read.', model, tools: { read } }
      return new Agent({ ...config, inputProcessors }).generate(messages, { maxSteps: STEPS + 1 })
    })
  const processor = offloadProcessor(newOffloader())
  // What the framework takes for a processor that brings a tool along, whatever it does.
  const { getLoadedToolsForRequestContext } = processor
  const idle = { id: 'idle', getLoadedToolsForRequestContext, processInputStep: async () => undefined }
  const plain = agent([])
  return [
    { name: 'Mastra, an idle processor', plain, wrapped: agent([idle]) },
    { name: 'Mastra `offloadProcessor`', plain, wrapped: agent([processor]) },
  ]
}

const one = (run: () => unknown): Subject => ({ run, results: 1 })
const loop = (run: () => unknown): Subject => ({ run, results: STEPS })

const newOffloader = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage() })

/** Pairs of a call and its result, behind one question. */
function aiSdkHistory(length: number, output: string): ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Read the files.' }]
  for (let index = 0; messages.length < length; index += 1) {
    const call = { toolCallId: `past_${index}`, toolName: 'read' }
    messages.push(
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { path: 'a' } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: output } }] },
    )
  }
  return messages
}

function langchainHistory(length: number, output: string): BaseMessage[] {
  const messages: BaseMessage[] = [new HumanMessage('Read the files.')]
  for (let index = 0; messages.length < length; index += 1) {
    const id = `past_${index}`
    messages.push(
      new AIMessage({ content: '', tool_calls: [{ name: 'read', args: { path: 'a' }, id, type: 'tool_call' }] }),
      new ToolMessage({ content: output, tool_call_id: id, name: 'read' }),
    )
  }
  return messages
}
