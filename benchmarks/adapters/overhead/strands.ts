import { offloadPlugin } from '@spillway/strands'
import {
  AfterToolCallEvent,
  JsonBlock,
  NullConversationManager,
  TextBlock,
  tool,
  ToolResultBlock,
  type JSONValue,
  type LocalAgent,
  type MessageData,
  type Plugin,
} from '@strands-agents/sdk'
import * as models from '../strands.ts'
import type { Subject } from '../subject.ts'
import { loop, newOffloader, one, script, type OverheadCase } from './overhead-case.ts'

/** Cases that call the hook directly like the loop of Strands, compared with an event without a hook. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const json = Array.isArray(output) ? { $value: output } : output
  const block = typeof json === 'string' ? new TextBlock(json) : new JsonBlock({ json: json as JSONValue })
  const result = new ToolResultBlock({ toolUseId: 'call_1', status: 'success', content: [block] })
  const { agent, afterToolCall } = hookedAgent(offloadPlugin(newOffloader()))
  const toolUse = { name: 'read', toolUseId: 'call_1', input: {} }
  const event = new AfterToolCallEvent({ agent, toolUse, tool: undefined, result, invocationState: {} })
  return [
    {
      name: 'Strands `AfterToolCallEvent`',
      plain: one(async () => event.result),
      wrapped: one(() => afterToolCall(event)),
    },
  ]
}

/** Cases of whole runs that begin with `history` messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const read = tool({ name: 'read', description: 'Read.', callback: () => output })
  const messages = historyOf(history, output)
  const conversationManager = new NullConversationManager()
  const agent = (plugins: readonly Plugin[]): Subject =>
    loop(() => {
      const model = new models.ScriptedModel(script, () => undefined)
      return models.agentOf(model, read, messages, { plugins, conversationManager }).invoke('Go.')
    })
  const plugin = offloadPlugin(newOffloader(), { scope: () => ['session-1'] })
  return [{ name: 'Strands `offloadPlugin`', plain: agent([]), wrapped: agent([plugin]) }]
}

/** The part of an agent with which hooks are registered. A run of a real agent takes much longer than the hooks. */
function hookedAgent(plugin: Plugin): {
  readonly agent: LocalAgent
  readonly afterToolCall: (event: AfterToolCallEvent) => unknown
} {
  const hooks = new Map<unknown, (event: AfterToolCallEvent) => unknown>()
  const addHook = (type: unknown, hook: (event: AfterToolCallEvent) => unknown): unknown => hooks.set(type, hook)
  const agent = { id: 'agent', cancelSignal: new AbortController().signal, addHook } as unknown as LocalAgent
  void plugin.initAgent(agent)
  const afterToolCall = hooks.get(AfterToolCallEvent)
  if (afterToolCall === undefined) throw new Error('The plugin has registered no hook for results.')
  return { agent, afterToolCall }
}

/** Return pairs of a call and its result after one question. */
function historyOf(length: number, output: string): MessageData[] {
  const messages: MessageData[] = [{ role: 'user', content: [{ text: 'Read the files.' }] }]
  for (let index = 0; messages.length < length; index += 1) {
    const toolUseId = `past_${index}`
    messages.push(
      { role: 'assistant', content: [{ toolUse: { toolUseId, name: 'read', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId, status: 'success', content: [{ text: output }] } }] },
    )
  }
  return messages
}
