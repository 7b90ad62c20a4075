import { offloadMiddleware, offloadPrepareStep, offloadTools, retrievalTool } from '@spillway/ai-sdk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { generateText, isStepCount, pruneMessages, tool, wrapLanguageModel } from 'ai'
import type { LanguageModel, ModelMessage, PrepareStepFunction, ToolSet } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

type DoGenerate = MockLanguageModelV4['doGenerate']
type Prompt = Parameters<DoGenerate>[0]['prompt']

const MAX_STEPS = 100
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Create the SDK's fake model, which follows a script. `onPrompt` gets prompts; ids of calls start at `firstId`. */
export function scriptedModel(
  script: Script,
  onPrompt: (prompt: Prompt) => SeenPrompt | undefined,
  firstId = 0,
): MockLanguageModelV4 {
  let index = 0
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const turn = script(index, onPrompt(prompt) ?? [])
      const toolCallId = `call_${firstId + index}`
      index += 1
      const common = { usage: USAGE, warnings: [] }
      if (typeof turn === 'string')
        return { ...common, content: [{ type: 'text', text: turn }], finishReason: { unified: 'stop', raw: undefined } }
      const call = { type: 'tool-call' as const, toolCallId, toolName: turn.name, input: JSON.stringify(turn.input) }
      return { ...common, content: [call], finishReason: { unified: 'tool-calls', raw: undefined } }
    },
  })
}

/** Setup of a conversation: tools, model, and code before each step. */
interface Setup {
  readonly model?: (model: MockLanguageModelV4) => LanguageModel
  readonly tools?: (tools: ToolSet) => ToolSet
  readonly prepareStep?: PrepareStepFunction<ToolSet>
}

function converse({ model: wrap, tools: extend, prepareStep }: Setup): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const model = scriptedModel(
      script,
      (prompt) => {
        prompts.push(readPrompt(prompt))
        return prompts.at(-1)
      },
      past.length,
    )
    const readLog = tool({ description: 'Read the log.', inputSchema: z.object({}), execute: async () => log })
    const tools: ToolSet = { read_log: readLog }
    // This cast is safe, because an earlier run of this file has saved the messages as JSON.
    const messages = [...(past as ModelMessage[]), { role: 'user' as const, content: question(past) }]
    const { responseMessages } = await generateText({
      model: wrap?.(model) ?? model,
      tools: extend?.(tools) ?? tools,
      messages,
      stopWhen: isStepCount(MAX_STEPS),
      ...(prepareStep && { prepareStep }),
    })
    return { prompts, history: [...messages, ...responseMessages] }
  }
}

/** The SDK without Spillway. */
export const plain: Converse = converse({})

/** The SDK with `pruneMessages`, its own way of shortening histories. */
export const withPruneMessages: Converse = converse({
  prepareStep: ({ messages }) => ({ messages: pruneMessages({ messages, toolCalls: 'before-last-2-messages' }) }),
})

/** With `offloadTools` and `offloadPrepareStep`. */
export function withOffloadTools(session: ContextOffloader): Converse {
  return converse({ tools: (tools) => offloadTools(tools, session), prepareStep: offloadPrepareStep(session) })
}

/** With `offloadMiddleware`. */
export function withMiddleware(session: ContextOffloader): Converse {
  return converse({
    model: (model) => wrapLanguageModel({ model, middleware: offloadMiddleware(session) }),
    tools: (tools) => ({ ...tools, [RETRIEVAL_TOOL_NAME]: retrievalTool(session) }),
  })
}

function readPrompt(prompt: Prompt): SeenPrompt {
  return prompt.map(({ role, content }): SeenMessage => {
    if (typeof content === 'string') return { role, text: content }
    return { role, text: content.map(textOf).join('\n') }
  })
}

function textOf(part: Exclude<Prompt[number]['content'], string>[number]): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'tool-call':
      return `${part.toolName} ${JSON.stringify(part.input)}`
    case 'tool-result':
      return part.output.type === 'text' || part.output.type === 'error-text'
        ? part.output.value
        : JSON.stringify(part.output)
    default:
      return JSON.stringify(part)
  }
}
