import { fakeModel } from '@langchain/core/testing'
import {
  AIMessage,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  createMiddleware,
  HumanMessage,
  SystemMessage,
  tool,
  ToolMessage,
  type BaseMessage,
} from 'langchain'
import { z } from 'zod'
import { assistantMessage, callsOf, toolCall, type ChatMessage } from '../chat/chat-message.ts'
import { known } from '../../report/known.ts'
import { modelCalls } from '../transcripts/transcript.ts'
import { MAX_TOTAL_TOKENS, type Sent, type Subject } from './subject.ts'

const CONFIG = { recursionLimit: 10_000 }
const ANSWER = 'There is nothing more to do.'

/**
 * `contextEditingMiddleware` of LangChain in a real agent, whose model and tools replay the transcript. It counts
 * tokens in its default way: characters / 4, without the system prompt if that is not one of the messages.
 *
 * @param keep - Number of the last results that stay. Defaults to LangChain's default, which is 3.
 */
export function contextEditing(name: string, keep?: number): Subject {
  const settings = { trigger: { tokens: MAX_TOTAL_TOKENS }, ...(keep !== undefined && { keep: { messages: keep } }) }
  const middleware = () => [contextEditingMiddleware({ edits: [new ClearToolUsesEdit(settings)] })]
  return {
    name,
    compact: async (messages) => {
      const prompts: ChatMessage[][] = []
      const agent = createAgent({ model: playing([], prompts), tools: [], middleware: middleware() })
      await agent.invoke({ messages: messages.map(toLangChain) }, CONFIG)
      return sent(prompts[0] ?? [])
    },
    replay: async ({ messages }) => {
      const calls = modelCalls({ messages })
      const prompts: ChatMessage[][] = []
      const said = calls.map((index) => toAIMessage(known(messages[index])))
      const agent = createAgent({
        model: playing(said, prompts),
        tools: replayedTools(messages),
        middleware: [speaking(messages, calls), ...middleware()],
      })
      let history: BaseMessage[] = []
      // The agent ends if the model calls no tool, and continues with the next message of the user.
      while (prompts.length < calls.length) history = (await agent.invoke({ messages: history }, CONFIG)).messages
      // If a transcript ends with a result, the fake model gives one more answer, which is dropped.
      return prompts.slice(0, calls.length).map(sent)
    },
  }
}

const sent = (messages: readonly ChatMessage[]): Sent => ({ messages, stored: new Map() })

/** Add messages of the user or the system since the last model call before each model call. */
function speaking(messages: readonly ChatMessage[], calls: readonly number[]) {
  let next = 0
  return createMiddleware({
    name: 'Speaking',
    beforeModel: () => {
      const said = messages
        .slice(calls[next - 1] ?? 0, calls[next])
        .filter(({ role }) => role === 'system' || role === 'user')
      next += 1
      return { messages: said.map(toLangChain) }
    },
  })
}

/** Create LangChain's fake model, which returns these messages in order and records its prompts. */
function playing(said: readonly AIMessage[], prompts: ChatMessage[][]): ReturnType<typeof fakeModel> {
  const model = fakeModel()
  for (const message of [...said, new AIMessage(ANSWER)])
    model.respond((prompt) => {
      prompts.push(prompt.map(fromLangChain))
      return message
    })
  return model
}

/** Create tools for all names in a transcript, which return the recorded results of their calls. */
function replayedTools(messages: readonly ChatMessage[]) {
  const results = new Map<string, string[]>()
  for (const message of messages)
    if (message.role === 'tool')
      results.set(message.tool_call_id, [...(results.get(message.tool_call_id) ?? []), message.content])
  const names = new Set(messages.flatMap(callsOf).map((call) => call.function.name))
  return [...names].map((name) =>
    tool(
      async (_, config: { readonly toolCall?: { readonly id?: string } }) =>
        results.get(config.toolCall?.id ?? '')?.shift() ?? '',
      {
        name,
        description: 'Return what the transcript has.',
        schema: z.looseObject({}),
      },
    ),
  )
}

function toLangChain(message: ChatMessage): BaseMessage {
  const { role } = message
  if (role === 'system') return new SystemMessage(message.content)
  if (role === 'user') return new HumanMessage(message.content)
  if (role === 'tool') return new ToolMessage({ content: message.content, tool_call_id: message.tool_call_id })
  return toAIMessage(message)
}

function toAIMessage(message: ChatMessage): AIMessage {
  const calls = callsOf(message).map(({ id, function: called }) => ({
    id,
    name: called.name,
    args: JSON.parse(called.arguments) as Record<string, unknown>,
    type: 'tool_call' as const,
  }))
  return new AIMessage({ content: message.content ?? '', tool_calls: calls })
}

function fromLangChain(message: BaseMessage): ChatMessage {
  if (ToolMessage.isInstance(message))
    return { role: 'tool', tool_call_id: message.tool_call_id, content: message.text }
  if (AIMessage.isInstance(message)) {
    const calls = (message.tool_calls ?? []).map(({ id, name, args }) => toolCall(id ?? '', name, args))
    return assistantMessage(message.text, calls)
  }
  return { role: message.type === 'system' ? 'system' : 'user', content: message.text }
}
