import { AIMessage, type BaseMessage, type ToolMessage } from '@langchain/core/messages'
import { Runnable, RunnableLambda } from '@langchain/core/runnables'
import { StructuredTool, tool } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { FakeChatModel } from '../test/fake-chat-model.ts'
import { offloadTools } from './offload-tools.ts'

const LOG = 'a line of a log\n'.repeat(1_000)
const offloaded = expect.stringMatching(/^\[Offloaded: /)
const call = { type: 'tool_call', id: 'call_1', name: 'read_log', args: {} } as const
const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
const readLog = tool(() => LOG, { name: 'read_log', description: 'Read the log.', schema: z.object({}) })

/** A tool with private fields, for example for its own client. */
class PrivateTool extends StructuredTool {
  override name = 'private_tool'
  override description = 'Has a client.'
  override schema = z.object({ path: z.string() })
  readonly #log = LOG

  protected override async _call(): Promise<string> {
    return this.#log
  }
}

it('offloadTools offloads answers to tool calls, and leaves results of plain invocations unchanged', async () => {
  const [wrapped] = offloadTools([readLog], offloader)
  expect(await wrapped.invoke(call)).toMatchObject({ content: offloaded, tool_call_id: 'call_1', name: 'read_log' })
  expect(await wrapped.invoke({}, { toolCall: call })).toMatchObject({ content: offloaded })
  expect(await wrapped.invoke({})).toBe(LOG)
  expect(await readLog.invoke({})).toBe(LOG)
})

it('offloadTools changes nothing else in a copy of the tool, and nothing in the given tool', () => {
  const before = Object.getOwnPropertyDescriptors(readLog)
  const [wrapped] = offloadTools([readLog], offloader)
  expect(Object.getOwnPropertyDescriptors(readLog)).toEqual(before)
  expect(wrapped).toBeInstanceOf(readLog.constructor)
  expect(Runnable.isRunnable(wrapped)).toBe(true)
  expect(convertToOpenAITool(wrapped)).toEqual(convertToOpenAITool(readLog))
  for (const key of ['name', 'description', 'schema', 'returnDirect', 'responseFormat'] as const)
    expect(wrapped[key]).toBe(readLog[key])
})

it('offloadTools accepts tools with private fields, runnables, and tools that the provider runs', async () => {
  const runnable = RunnableLambda.from(async () => ({ log: LOG })).asTool({ name: 'as_tool', schema: z.object({}) })
  const small = RunnableLambda.from(async () => ({ a: 1 })).asTool({ name: 'small', schema: z.object({}) })
  const provider = { type: 'web_search', name: 'web_search' }
  const tools = offloadTools([new PrivateTool(), runnable, small, provider], offloader)
  expect(tools[3]).toBe(provider)
  const node = new ToolNode(tools.filter((one) => Runnable.isRunnable(one)) as never[])
  const tool_calls = [
    { name: 'private_tool', args: { path: '/a' }, id: 'c1' },
    { name: 'as_tool', args: {}, id: 'c2' },
    { name: 'small', args: {}, id: 'c3' },
  ]
  const { messages } = (await node.invoke({ messages: [new AIMessage({ content: '', tool_calls })] })) as {
    messages: ToolMessage[]
  }
  expect(messages).toMatchObject([
    { content: offloaded, name: 'private_tool', tool_call_id: 'c1' },
    { content: offloaded, name: 'as_tool', tool_call_id: 'c2' },
    { content: '{"a":1}', name: 'small', tool_call_id: 'c3' },
  ])
})

it('offloadTools adds the retrieval tool, unless the offloader has none', () => {
  expect(offloadTools([readLog], offloader).map(({ name }) => name)).toEqual(['read_log', 'retrieve_offloaded_content'])
  const guide = { instructions: () => ['Use the shell.'], formatCall: () => 'cat' }
  const shell = new ContextOffloader({ storage: new InMemoryStorage(), includeRetrievalTool: false, guide })
  expect(offloadTools([readLog], shell)).toHaveLength(1)
})

it('offloadTools rejects wrapped tools, and values that are not arrays', () => {
  const wrapped = offloadTools([readLog], offloader)
  expect(() => offloadTools(wrapped, offloader)).toThrow(/has retrieve_offloaded_content already/)
  expect(() => offloadTools({ readLog } as never, offloader)).toThrow(TypeError)
})

it("offloadTools leaves results of tools with returnDirect, which end an agent's run", async () => {
  const report = tool(() => LOG, {
    name: 'report',
    description: 'Answer with the log.',
    schema: z.object({}),
    returnDirect: true,
  })
  const model = new FakeChatModel(() => ({ toolCalls: [{ id: 'call_1', name: 'report', input: {} }] }))
  const agent = createReactAgent({
    llm: model as never,
    tools: offloadTools([report], offloader) as unknown as never[],
  })
  const { messages } = (await agent.invoke({ messages: [{ role: 'user', content: 'Go.' }] } as never)) as {
    readonly messages: readonly BaseMessage[]
  }
  expect(messages.at(-1)).toMatchObject({ name: 'report', content: LOG })
})

it('offloadTools stores in the scope of the thread, or in the scope of the option', async () => {
  const storage = new InMemoryStorage()
  const own = new ContextOffloader({ storage })
  const [byThread] = offloadTools([readLog], own)
  await byThread.invoke(call, { configurable: { thread_id: 'a' } })
  const [byTenant] = offloadTools([readLog], own, {
    scope: ({ configurable }) => ['tenants', String(configurable['tenant'])],
  })
  await byTenant.invoke(call, { configurable: { tenant: 'b' } })
  for (const scope of [['a'], ['tenants', 'b']]) {
    const references: string[] = []
    for await (const { reference } of storage.scope(...scope).list()) references.push(reference)
    expect(references).toHaveLength(1)
  }
})

it('offloadTools lets a tool interrupt the graph, which can then continue', async () => {
  const ask = tool(() => `${String(interrupt({ question: LOG }))}\n${LOG}`, {
    name: 'ask',
    description: 'Ask.',
    schema: z.object({}),
  })
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('tools', new ToolNode(offloadTools([ask], offloader)))
    .addEdge(START, 'tools')
    .compile({ checkpointer: new MemorySaver() })
  const config = { configurable: { thread_id: 'interrupts' } }
  const messages = [new AIMessage({ content: '', tool_calls: [{ name: 'ask', args: {}, id: 'call_1' }] })]
  const waiting = (await graph.invoke({ messages }, config)) as { __interrupt__?: unknown }
  expect(waiting.__interrupt__).toMatchObject([{ value: { question: LOG } }])
  const { messages: done } = await graph.invoke(new Command({ resume: 'yes' }), config)
  expect(done.at(-1)).toMatchObject({ content: offloaded })
})

it('offloadTools shortens a huge error in a ToolNode, and keeps its last line', async () => {
  const failing = tool(() => Promise.reject(new Error(`${LOG}FATAL: no space left`)), {
    name: 'build',
    description: 'Build.',
    schema: z.object({}),
  })
  const node = new ToolNode(offloadTools([failing], offloader))
  const messages = [new AIMessage({ content: '', tool_calls: [{ name: 'build', args: {}, id: 'call_1' }] })]
  const { messages: results } = (await node.invoke({ messages })) as { messages: ToolMessage[] }
  expect(results[0]?.content).toMatch(/^Error: \[Offloaded: [^]*FATAL: no space left/)
  expect(results[0]?.text.length).toBeLessThan(10_000)
})
