import {
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import type { ContextOffloader } from '@spillway/core'
import { offloadMiddleware, offloadTools } from '@spillway/langchain'
import { deepAgentBackend, deepAgentMiddleware } from '@spillway/langchain/deepagents'
import { createDeepAgent } from 'deepagents'
import {
  AIMessage,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  HumanMessage,
  tool,
  type BaseMessage,
} from 'langchain'
import { z } from 'zod'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

const MAX_CALLS = 100
const CONFIG = { configurable: { thread_id: 'thread-1' }, recursionLimit: 10_000 }

/** Trigger of `ClearToolUsesEdit`. The default of 100,000 is never reached here. */
const CLEAR_TRIGGER_TOKENS = 10_000

type FakeModel = ReturnType<typeof fakeModel>

/** Create LangChain's fake model, which follows a script. `onPrompt` gets prompts; ids of calls start at `firstId`. */
export function scriptedModel(
  script: Script,
  onPrompt: (messages: readonly BaseMessage[]) => SeenPrompt | undefined,
  firstId = 0,
): FakeModel {
  const model = fakeModel()
  for (let index = 0; index < MAX_CALLS; index += 1) {
    model.respond((messages) => {
      const turn = script(index, onPrompt(messages) ?? [])
      if (typeof turn === 'string') return new AIMessage(turn)
      const { name, input } = turn
      return new AIMessage({
        content: '',
        tool_calls: [{ name, args: input, id: `call_${firstId + index}`, type: 'tool_call' }],
      })
    })
  }
  return model
}

type ReadLog = ReturnType<typeof makeReadLog>

const makeReadLog = (log: string) =>
  tool(async () => log, { name: 'read_log', description: 'Read the log.', schema: z.object({}) })

interface Input {
  readonly messages: BaseMessage[]
}

type Run = (model: FakeModel, readLog: ReadLog, input: Input) => Promise<Input>

function converse(run: Run): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const model = scriptedModel(
      script,
      (messages) => {
        prompts.push(messages.map(readMessage))
        return prompts.at(-1)
      },
      past.length,
    )
    // This cast is safe, because an earlier run of this file has saved the messages as JSON.
    const messages = mapStoredMessagesToChatMessages(past as StoredMessage[])
    const input = { messages: [...messages, new HumanMessage({ content: question(past), id: `user_${past.length}` })] }
    const result = await run(model, makeReadLog(log), input)
    return { prompts, history: mapChatMessagesToStoredMessages(result.messages) }
  }
}

/** LangChain without Spillway. */
export const plain: Converse = converse((model, readLog, input) =>
  createAgent({ model, tools: [readLog] }).invoke(input, CONFIG),
)

/** LangChain with `ClearToolUsesEdit`, its own way of shortening histories. */
export const withClearToolUses: Converse = converse((model, readLog, input) => {
  const edits = [new ClearToolUsesEdit({ trigger: { tokens: CLEAR_TRIGGER_TOKENS }, keep: { messages: 1 } })]
  const middleware = [contextEditingMiddleware({ edits })]
  return createAgent({ model, tools: [readLog], middleware }).invoke(input, CONFIG)
})

/** With `offloadMiddleware`. */
export function withMiddleware(offloader: ContextOffloader): Converse {
  return converse((model, readLog, input) => {
    const middleware = [offloadMiddleware(offloader)]
    return createAgent({ model, tools: [readLog], middleware }).invoke(input, CONFIG)
  })
}

/** A separate graph with a `ToolNode`, whose tools are wrapped if there is an offloader. */
export function withToolNode(offloader: ContextOffloader | undefined): Converse {
  return converse((model, readLog, input) => {
    const tools = offloader === undefined ? [readLog] : offloadTools([readLog], offloader)
    return new StateGraph(MessagesAnnotation)
      .addNode('model', async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
      .addNode('tools', new ToolNode([...tools]))
      .addEdge('__start__', 'model')
      .addConditionalEdges('model', ({ messages }) => {
        const last = messages.at(-1)
        return AIMessage.isInstance(last) && (last.tool_calls ?? []).length > 0 ? 'tools' : '__end__'
      })
      .addEdge('tools', 'model')
      .compile()
      .invoke(input, CONFIG)
  })
}

/** deepagents without Spillway: results over 80,000 characters are moved to files. */
export const deepAgent: Converse = converse((model, readLog, input) =>
  createDeepAgent({ model, tools: [readLog] }).invoke(input, CONFIG),
)

/** With `deepAgentMiddleware` and `deepAgentBackend`. */
export function withDeepAgent(offloader: ContextOffloader): Converse {
  return converse((model, readLog, input) => {
    const middleware = [deepAgentMiddleware(offloader)]
    const backend = deepAgentBackend(offloader)
    return createDeepAgent({ model, tools: [readLog], middleware, backend }).invoke(input, CONFIG)
  })
}

function readMessage(message: BaseMessage): SeenMessage {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
  const text = [message.text, ...calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`)].join('\n').trim()
  return { role: message.type, text }
}
