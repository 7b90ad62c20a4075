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
 * `contextEditingMiddleware` of LangChain in a real agent, whose model says what the transcript has and whose tools return it.
 * It counts tokens as it does by default: characters / 4, without those of the system prompt where that is none of the messages.
 *
 * @param keep - How many of the last results stay; absent for its default, which is 3.
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
      // It ends where the model calls no tool, and goes on with what the user then says.
      while (prompts.length < calls.length) history = (await agent.invoke({ messages: history }, CONFIG)).messages
      // A transcript that ends with a result gets an answer that it does not have.
      return prompts.slice(0, calls.length).map(sent)
    },
  }
}

const sent = (messages: readonly ChatMessage[]): Sent => ({ messages, stored: new Map() })

/** Adds before each call of the model what the user, or the system, said since the last. */
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

/** LangChain's own fake model, which says what it is told to, one after another, and keeps what it was sent. */
function playing(said: readonly AIMessage[], prompts: ChatMessage[][]): ReturnType<typeof fakeModel> {
  const model = fakeModel()
  for (const message of [...said, new AIMessage(ANSWER)])
    model.respond((prompt) => {
      prompts.push(prompt.map(fromLangChain))
      return message
    })
  return model
}

/** Tools of all names in a transcript, which return what it has for their call. */
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
