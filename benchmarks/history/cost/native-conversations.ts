import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import type { ModelMessage } from 'ai'
import type { Said } from './conversations.ts'

type Write<Conversation> = (conversation: readonly Said[]) => Conversation

const SYSTEM = 'You help with a program.'
const withoutSystem = (conversation: readonly Said[]): readonly Said[] =>
  conversation.filter(({ role }) => role !== 'system')

function chat(said: Said): object {
  if (said.role === 'result') return { role: 'tool', tool_call_id: said.id, content: said.text }
  if (said.role !== 'call') return { role: said.role, content: said.text }
  const call = { id: said.id, type: 'function', function: { name: said.name, arguments: JSON.stringify(said.input) } }
  return { role: 'assistant', content: null, tool_calls: [call] }
}

function responses(said: Said): object {
  if (said.role === 'result') return { type: 'function_call_output', call_id: said.id, output: said.text }
  if (said.role !== 'call') return { type: 'message', role: said.role, content: said.text }
  return { type: 'function_call', call_id: said.id, name: said.name, arguments: JSON.stringify(said.input) }
}

function anthropic(said: Said): object {
  if (said.role === 'result')
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: said.id, content: said.text }] }
  if (said.role !== 'call') return { role: said.role, content: said.text }
  return { role: 'assistant', content: [{ type: 'tool_use', id: said.id, name: said.name, input: said.input }] }
}

function gemini(said: Said): object {
  if (said.role === 'result')
    return { role: 'user', parts: [{ functionResponse: { name: said.name, response: { output: said.text } } }] }
  if (said.role === 'call') return { role: 'model', parts: [{ functionCall: { name: said.name, args: said.input } }] }
  return { role: said.role === 'user' ? 'user' : 'model', parts: [{ text: said.text }] }
}

function aiSdk(said: Said): ModelMessage {
  if (said.role === 'result') {
    const output = { type: 'text', value: said.text } as const
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: said.id, toolName: said.name, output }] }
  }
  if (said.role !== 'call') return { role: said.role, content: said.text }
  const { id: toolCallId, name: toolName, input } = said
  return { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] }
}

function langchain(said: Said): BaseMessage {
  if (said.role === 'result') return new ToolMessage({ content: said.text, tool_call_id: said.id, name: said.name })
  if (said.role === 'call')
    return new AIMessage({ content: '', tool_calls: [{ id: said.id, name: said.name, args: { ...said.input } }] })
  if (said.role === 'system') return new SystemMessage(said.text)
  return said.role === 'user' ? new HumanMessage(said.text) : new AIMessage(said.text)
}

/** Functions that write a conversation in the format of an API or a framework. */
export const NATIVE: {
  readonly chat: Write<object[]>
  readonly responses: Write<object[]>
  readonly anthropic: Write<{ system: string; messages: object[] }>
  readonly gemini: Write<{ systemInstruction: string; contents: object[] }>
  readonly aiSdk: Write<ModelMessage[]>
  readonly langchain: Write<readonly BaseMessage[]>
} = {
  chat: (conversation) => conversation.map(chat),
  responses: (conversation) => conversation.map(responses),
  anthropic: (conversation) => ({ system: SYSTEM, messages: withoutSystem(conversation).map(anthropic) }),
  gemini: (conversation) => ({ systemInstruction: SYSTEM, contents: withoutSystem(conversation).map(gemini) }),
  aiSdk: (conversation) => conversation.map(aiSdk),
  langchain: (conversation) => conversation.map(langchain),
}
