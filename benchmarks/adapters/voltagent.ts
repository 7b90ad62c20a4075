import type { ContextOffloader } from '@spillway/core'
import { offloadHooks, offloadTools } from '@spillway/voltagent'
import {
  Agent,
  AgentRegistry,
  createTool,
  createVoltAgentObservability,
  InMemoryObservabilityAdapter,
  InMemoryStorageAdapter,
  Memory,
  type AgentHooks,
  type AgentOptions,
  type Tool,
} from '@voltagent/core'
import { z } from 'zod'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

const IDS = { userId: 'user-1', conversationId: 'session-1' }
/** Option that silences a warning of the AI SDK in each run, because VoltAgent passes instructions as a message. */
export const QUIET = { allowSystemInMessages: true }
const MAX_STEPS = 100
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

type Model = Exclude<AgentOptions['model'], string | readonly unknown[] | ((...context: never) => unknown)>
type Generate = Extract<Model, { readonly doGenerate: unknown; readonly specificationVersion: 'v3' }>['doGenerate']
type Prompt = Parameters<Generate>[0]['prompt']

/** Create a model that follows a script. `onPrompt` gets its prompts; ids of calls start at `firstId`. */
export function scriptedModel(
  script: Script,
  onPrompt: (prompt: Prompt) => SeenPrompt | undefined,
  firstId = 0,
): AgentOptions['model'] {
  let index = 0
  const doGenerate: Generate = async ({ prompt }) => {
    const turn = script(index, onPrompt(prompt) ?? [])
    const toolCallId = `call_${firstId + index}`
    index += 1
    const common = { usage: USAGE, warnings: [] }
    if (typeof turn === 'string')
      return { ...common, content: [{ type: 'text', text: turn }], finishReason: { unified: 'stop', raw: undefined } }
    const call = { type: 'tool-call' as const, toolCallId, toolName: turn.name, input: JSON.stringify(turn.input) }
    return { ...common, content: [call], finishReason: { unified: 'tool-calls', raw: undefined } }
  }
  const doStream = async (): Promise<never> => {
    throw new Error('This model does not stream.')
  }
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate,
    doStream,
  }
}

/** Settings in which agents differ. */
export interface AgentSetup {
  readonly model: AgentOptions['model']
  readonly tools: readonly Tool[]
  readonly hooks?: AgentHooks | undefined
  readonly memory: Memory | false
}

/** Create an agent that stores little for VoltAgent's console, and whose timers do not keep the process running. */
export function newAgent({ model, tools, hooks = {}, memory }: AgentSetup): Agent {
  const registry = AgentRegistry.getInstance()
  if (registry.getGlobalObservability() === undefined) {
    const storage = new InMemoryObservabilityAdapter({ maxSpans: 100, maxLogs: 100 })
    const voltOpsSync = { sampling: { strategy: 'never' as const } }
    registry.setGlobalObservability(createVoltAgentObservability({ storage, voltOpsSync }))
  }
  const settings = { name: 'agent', instructions: 'Help.', maxSteps: MAX_STEPS, maxRetries: 0 }
  return new Agent({ ...settings, model, tools: [...tools], hooks, memory })
}

function converse(wrap: (tool: Tool) => Pick<AgentSetup, 'tools' | 'hooks'>): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const model = scriptedModel(
      script,
      (prompt) => {
        prompts.push(prompt.flatMap(readMessage))
        return prompts.at(-1)
      },
      past.length,
    )
    const readLog = createTool({
      name: 'read_log',
      description: 'Read the log.',
      parameters: z.object({}),
      execute: async () => log,
    })
    const memory = new Memory({ storage: new InMemoryStorageAdapter() })
    const { userId, conversationId } = IDS
    await memory.createConversation({ id: conversationId, userId, resourceId: 'agent', title: '', metadata: {} })
    // This cast is safe, because an earlier run of this file has saved the messages as JSON.
    await memory.addMessages(past as Parameters<Memory['addMessages']>[0], userId, conversationId)
    await newAgent({ model, memory, ...wrap(readLog) }).generateText(question(past), { ...IDS, ...QUIET })
    return { prompts, history: await memory.getMessages(userId, conversationId) }
  }
}

/** VoltAgent without Spillway. */
export const plain: Converse = converse((tool) => ({ tools: [tool] }))

/** With `offloadTools` and `offloadHooks`. */
export function withOffloadTools(offloader: ContextOffloader): Converse {
  return converse((tool) => ({ tools: offloadTools([tool], offloader), hooks: offloadHooks(offloader) }))
}

function readMessage({ role, content }: Prompt[number]): SeenMessage[] {
  if (typeof content === 'string') return [{ role, text: content }]
  return content.map((part) => ({ role, text: textOf(part) }))
}

function textOf(part: Exclude<Prompt[number]['content'], string>[number]): string {
  if (part.type === 'text') return part.text
  if (part.type === 'tool-call') return `${part.toolName} ${JSON.stringify(part.input)}`
  if (part.type !== 'tool-result') return JSON.stringify(part)
  return 'value' in part.output && typeof part.output.value === 'string'
    ? part.output.value
    : JSON.stringify(part.output)
}
