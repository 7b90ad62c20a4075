import { Agent, type MastraDBMessage } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import {
  ToolCallFilter,
  type InputProcessor,
  type OutputProcessor,
  type ProcessLLMRequestArgs,
} from '@mastra/core/processors'
import { createTool } from '@mastra/core/tools'
import type { ContextOffloader } from '@spillway/core'
import { offloadProcessor } from '@spillway/mastra'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

const RUN = { maxSteps: 1_000, memory: { thread: 'thread-1', resource: 'user-1' } }

type Prompt = ProcessLLMRequestArgs['prompt']

const END = { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, warnings: [] }

/** Create a model that follows a script. `onPrompt` gets its prompts; ids of calls start at `firstId`. */
export function scriptedModel(
  script: Script,
  onPrompt: (prompt: Prompt) => SeenPrompt | undefined,
  firstId = 0,
): MastraModelConfig {
  let index = 0
  return {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const turn = script(index, onPrompt(prompt) ?? [])
      const toolCallId = `call_${firstId + index}`
      index += 1
      if (typeof turn === 'string') return { content: [{ type: 'text', text: turn }], finishReason: 'stop', ...END }
      const call = { type: 'tool-call', toolCallId, toolName: turn.name, input: JSON.stringify(turn.input) } as const
      return { content: [call], finishReason: 'tool-calls', ...END }
    },
    doStream: () => Promise.reject(new Error('This model does not stream.')),
  }
}

interface Processors {
  readonly inputProcessors?: InputProcessor[]
  readonly outputProcessors?: OutputProcessor[]
}

/** Run an agent with a tool that reads a log. */
function converse(processors: Processors): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const model = scriptedModel(
      script,
      (prompt) => {
        prompts.push(prompt.map(readMessage))
        return prompts.at(-1)
      },
      // A message holds all calls of a round, so ids start at a multiple of 100.
      past.length * 100,
    )
    const readLog = createTool({ id: 'read_log', description: 'Read the log.', execute: async () => log })
    const tools = { read_log: readLog }
    const agent = new Agent({ id: 'agent', name: 'agent', instructions: 'Answer.', model, tools, ...processors })
    // This cast is safe, because an earlier run of this file has saved the messages as JSON.
    const earlier = (past as MastraDBMessage[]).map((one) => ({ ...one, createdAt: new Date(one.createdAt) }))
    const { messages } = await agent.generate([...earlier, question(past)] as MastraDBMessage[], RUN)
    return { prompts, history: JSON.parse(JSON.stringify(messages)) as unknown[] }
  }
}

/** Mastra without Spillway. */
export const plain: Converse = converse({})

/** Mastra with its own way of shortening prompts: only the results of the last step remain. */
export const withToolCallFilter: Converse = converse({
  inputProcessors: [new ToolCallFilter({ filterAfterToolSteps: 1 })],
})

/** With `offloadProcessor` in `inputProcessors`. */
export function withProcessor(offloader: ContextOffloader): Converse {
  return converse({ inputProcessors: [offloadProcessor(offloader)] })
}

/** With `offloadProcessor` also in `outputProcessors`. */
export function withBothProcessors(offloader: ContextOffloader): Converse {
  const processor = offloadProcessor(offloader)
  return converse({ inputProcessors: [processor], outputProcessors: [processor] })
}

function readMessage({ role, content }: Prompt[number]): SeenMessage {
  const parts = typeof content === 'string' ? [content] : content.map(readPart)
  return { role, text: parts.join('\n') }
}

type Part = Exclude<Prompt[number]['content'], string>[number]

function readPart(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text
    case 'tool-call':
      return `${part.toolName} ${JSON.stringify(part.input)}`
    case 'tool-result':
      return typeof part.output.value === 'string' ? part.output.value : JSON.stringify(part.output.value)
    case 'file':
      return part.mediaType
  }
}
