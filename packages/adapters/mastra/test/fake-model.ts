import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import { ReadableStream } from 'node:stream/web'
import type { MastraModelConfig } from '@mastra/core/llm'
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock'
import { readPrompt, type PromptCall } from './read-prompt.ts'

type Part = { readonly type: string } & Readonly<Record<string, unknown>>

/** Versions of the model interface that Mastra accepts. Mastra's own fake has the second, and AI SDK 6 the third. */
export type Specification = 'v2' | 'v3'

/** Make a model that answers by a script, both for generating and for streaming. */
export function fakeModel(turn: (prompt: SeenPrompt) => ModelTurn, specification: Specification): MastraModelConfig {
  const respond = (call: PromptCall): { readonly content: Part[]; readonly finishReason: unknown } => {
    const answer = turn(readPrompt(call))
    const reason = 'text' in answer ? 'stop' : 'tool-calls'
    return {
      content: contentOf(answer),
      finishReason: specification === 'v2' ? reason : { unified: reason, raw: reason },
    }
  }
  const usage = specification === 'v2' ? USAGE : USAGE_3
  const settings = {
    // Mastra does not download URLs that the model supports.
    supportedUrls: { '*/*': [/^https:/] },
    doGenerate: async (call: PromptCall) => ({ ...respond(call), usage, warnings: [] }),
    doStream: async (call: PromptCall) => {
      const { content, finishReason } = respond(call)
      const parts = content.flatMap((part) => (part.type === 'text' ? streamed(part) : [part]))
      const chunks = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }]
      return { stream: ReadableStream.from(chunks) }
    },
  }
  const fake =
    specification === 'v2'
      ? new MastraLanguageModelV2Mock(settings as unknown as ConstructorParameters<typeof MastraLanguageModelV2Mock>[0])
      : { ...settings, specificationVersion: 'v3', provider: 'fake', modelId: 'fake' }
  // The parts are the same in both specifications here, but match the types of neither.
  return fake as unknown as MastraModelConfig
}

const USAGE = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const USAGE_3 = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function contentOf(answer: ModelTurn): Part[] {
  if ('text' in answer) return [{ type: 'text', text: answer.text }]
  return answer.toolCalls.flatMap(({ id, name, input, providerResult }): Part[] => {
    const call = { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(input) }
    if (providerResult === undefined) return [call]
    const result = { type: 'tool-result', toolCallId: id, toolName: name, result: providerResult }
    return [
      { ...call, providerExecuted: true },
      { ...result, providerExecuted: true },
    ]
  })
}

function streamed({ text }: Part): Part[] {
  return [
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: text },
    { type: 'text-end', id: 'text' },
  ]
}
