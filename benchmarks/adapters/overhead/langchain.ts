import { ToolMessage } from '@langchain/core/messages'
import { offloadMiddleware, offloadTools, retrievalTool } from '@spillway/langchain'
import {
  AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  tool,
  type AgentMiddleware,
  type BaseMessage,
} from 'langchain'
import { z } from 'zod'
import * as models from '../langchain.ts'
import type { Subject } from '../subject.ts'
import { loop, newOffloader, one, script, type OverheadCase } from './overhead-case.ts'

const CONFIG = { configurable: { thread_id: 'thread-1' }, recursionLimit: 10_000 }

/** Cases that call the adapter directly like LangChain, compared with the calls without the adapter. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const offloader = newOffloader()
  const content = typeof output === 'string' ? output : JSON.stringify(output)
  const message = new ToolMessage({ content, tool_call_id: 'call_1', name: 'read' })
  const middleware = offloadMiddleware(offloader)
  const toolCall = { name: 'read', args: {}, id: 'call_1', type: 'tool_call' as const }
  // An agent passes a whole runtime, but the hook reads only the thread and the signal.
  const request = { toolCall, tool: undefined, state: { messages: [] }, runtime: { ...CONFIG, context: undefined } }
  const handler = async (): Promise<ToolMessage> => message
  const read = tool(async () => content, { name: 'read', description: 'Read.', schema: z.object({}) })
  const [wrapped] = offloadTools([read], offloader)
  return [
    {
      name: 'LangChain `wrapToolCall`',
      plain: one(handler),
      wrapped: one(() => middleware.wrapToolCall?.(request, handler)),
    },
    {
      name: 'LangChain tool `invoke`',
      plain: one(() => read.invoke(toolCall, CONFIG)),
      wrapped: one(() => wrapped.invoke(toolCall, CONFIG)),
    },
  ]
}

/** Cases of whole runs that begin with `history` messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const read = tool(async () => output, {
    name: 'read',
    description: 'Read.',
    schema: z.object({ path: z.string() }),
  })
  const messages = historyOf(history, output)
  const agent = (middleware: readonly AgentMiddleware<undefined, undefined, unknown>[]): Subject =>
    loop(() => {
      const model = models.scriptedModel(script, () => undefined)
      return createAgent({ model, tools: [read], middleware }).invoke({ messages }, CONFIG)
    })
  // A middleware with a tool and without any effect shows the cost of middleware in the framework.
  const idle = createMiddleware({
    name: 'Idle',
    tools: [retrievalTool(newOffloader())],
    wrapToolCall: (request, handler) => handler(request),
    wrapModelCall: (request, handler) => handler(request),
  })
  const plain = agent([])
  return [
    { name: 'LangChain, an idle middleware', plain, wrapped: agent([idle]) },
    { name: 'LangChain `offloadMiddleware`', plain, wrapped: agent([offloadMiddleware(newOffloader())]) },
  ]
}

/** Return pairs of a call and its result after one question. */
function historyOf(length: number, output: string): BaseMessage[] {
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
