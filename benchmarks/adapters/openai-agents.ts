import { Agent, MemorySession, Runner, setTracingDisabled, tool, type AgentInputItem, type Tool } from '@openai/agents'
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing'
import type { ContextOffloader } from '@spillway/core'
import { offloadRunner, offloadTools, retrievalTool } from '@spillway/openai-agents'
import { z } from 'zod'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

setTracingDisabled(true)

const MAX_CALLS = 100
const SESSION = 'session-1'

/** Create the SDK's fake model, which follows a script. `onPrompt` gets prompts; ids of calls start at `firstId`. */
export function scriptedModel(
  script: Script,
  onPrompt: (items: readonly AgentInputItem[]) => SeenPrompt | undefined,
  firstId = 0,
): ScriptedModel {
  const respond = modelResponder(({ index, request: { input } }) => {
    const turn = script(index, onPrompt(typeof input === 'string' ? [] : input) ?? [])
    if (typeof turn === 'string') return [assistantMessage(turn)]
    return [functionCall(turn.name, { ...turn.input }, { callId: `call_${firstId + index}` })]
  })
  return new ScriptedModel(Array.from({ length: MAX_CALLS }, () => respond))
}

type ReadLog = ReturnType<typeof makeReadLog>

const makeReadLog = (log: string) =>
  tool({ name: 'read_log', description: 'Read the log.', parameters: z.object({}), execute: async () => log })

/** Setup of a conversation: its runner, and the tools of its agent. */
interface Setup {
  readonly runner: Pick<Runner, 'run'>
  readonly tools: (readLog: ReadLog) => Tool[]
}

function converse({ runner, tools }: Setup): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const model = scriptedModel(
      script,
      (items) => {
        prompts.push(items.map(readItem))
        return prompts.at(-1)
      },
      past.length,
    )
    // This cast is safe, because an earlier run of this file has saved the items as JSON.
    const session = new MemorySession({ sessionId: SESSION, initialItems: past as AgentInputItem[] })
    const agent = new Agent({ name: 'Reader', model, tools: tools(makeReadLog(log)) })
    await runner.run(agent, question(past), { session, maxTurns: MAX_CALLS })
    return { prompts, history: await session.getItems() }
  }
}

/** The SDK without Spillway. */
export const plain: Converse = converse({ runner: new Runner(), tools: (readLog) => [readLog] })

/** With `offloadTools` and `offloadRunner`. */
export function withOffloadTools(offloader: ContextOffloader): Converse {
  const runner = offloadRunner(new Runner(), offloader)
  return converse({ runner, tools: (readLog) => offloadTools([readLog], offloader) })
}

/** With `offloadRunner` and unchanged tools. */
export function withOffloadRunner(offloader: ContextOffloader): Converse {
  const runner = offloadRunner(new Runner(), offloader)
  return converse({ runner, tools: (readLog) => [readLog, retrievalTool(offloader)] })
}

function readItem(item: AgentInputItem): SeenMessage {
  if (item.type === 'function_call') return { role: 'assistant', text: `${item.name} ${item.arguments}` }
  if (item.type === 'function_call_result') return { role: 'tool', text: textOf(item.output) }
  return { role: 'role' in item ? item.role : 'other', text: 'content' in item ? textOf(item.content) : '' }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content]
  return parts.map((part) => (part as { readonly text?: string } | undefined)?.text ?? '').join('\n')
}
