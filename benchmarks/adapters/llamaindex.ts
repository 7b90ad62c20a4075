import type { BaseToolWithCall, ToolCallLLM } from '@llamaindex/core/llms'
import { createMemory } from '@llamaindex/core/memory'
import { tool } from '@llamaindex/core/tools'
import { FunctionAgent, multiAgent } from '@llamaindex/workflow'
import type { ContextOffloader } from '@spillway/core'
import { OffloadAgent } from '../../examples/llamaindex/offload-agent.ts'
import { offloadTools } from '../../examples/llamaindex/offload-tools.ts'
import { ScriptedLlm, textOf, type Message } from '../../examples/llamaindex/scripted-llm.ts'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

/** Create a model that follows a script. `onPrompt` gets its prompts; ids of calls start at `firstId`. */
export function scriptedModel(
  script: Script,
  onPrompt: (messages: readonly Message[]) => SeenPrompt | undefined,
  firstId = 0,
): ToolCallLLM {
  let index = 0
  return new ScriptedLlm((messages) => {
    const turn = script(index, onPrompt(messages) ?? [])
    const id = `call_${firstId + index}`
    index += 1
    return typeof turn === 'string'
      ? turn
      : [{ id, name: turn.name, input: { ...turn.input } as Record<string, string> }]
  })
}

/** Run a workflow with one agent, with offloading if there is an offloader. Returns all messages. */
async function runAgent(
  llm: ToolCallLLM,
  tools: BaseToolWithCall[],
  past: Message[],
  text: string,
  session: ContextOffloader | undefined,
): Promise<readonly unknown[]> {
  const agent = session === undefined ? new FunctionAgent({ llm, tools }) : new OffloadAgent(session, { llm, tools })
  const memory = createMemory(past)
  await multiAgent({ agents: [agent], rootAgent: agent, memory }).run(text)
  return (await memory.get()) as readonly unknown[]
}

type Run = (llm: ToolCallLLM, readLog: BaseToolWithCall, past: Message[], text: string) => Promise<readonly unknown[]>

function converse(run: Run): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const onPrompt = (messages: readonly Message[]): SeenPrompt | undefined => {
      prompts.push(messages.map(readMessage))
      return prompts.at(-1)
    }
    const llm = scriptedModel(script, onPrompt, past.length)
    const parameters = { type: 'object', properties: {} }
    const readLog = tool(async () => log, { name: 'read_log', description: 'Read the log.', parameters })
    // This cast is safe, because an earlier run of this file has saved the messages as JSON.
    return { prompts, history: await run(llm, readLog, past as Message[], question(past)) }
  }
}

/** LlamaIndex without Spillway. */
export const plain: Converse = converse((llm, readLog, past, text) => runAgent(llm, [readLog], past, text, undefined))

/** With `OffloadAgent` of the recipe. */
export function withAgent(session: ContextOffloader): Converse {
  return converse((llm, readLog, past, text) => runAgent(llm, [readLog], past, text, session))
}

/** With `offloadTools` of the recipe, in a loop of `llm.exec`. */
export function withTools(session: ContextOffloader): Converse {
  return converse(async (llm, readLog, past, text) => {
    const tools = offloadTools([readLog], session)
    const messages: Message[] = [...past, { role: 'user', content: text }]
    for (;;) {
      const { newMessages, toolCalls } = await llm.exec({ messages, tools })
      await session.endTurn()
      for (const message of newMessages) {
        const { options = {} } = message
        if ('toolResult' in options) message.content = options.toolResult.result
      }
      messages.push(...newMessages)
      if (toolCalls.length === 0) return messages
    }
  })
}

function readMessage({ role, content, options = {} }: Message): SeenMessage {
  const calls = 'toolCall' in options ? options.toolCall : []
  const called = calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)
  const text = [textOf(content), ...called].join('\n').trim()
  return { role: 'toolResult' in options ? 'tool' : role, text }
}
