import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { readPrompt, type PromptCall } from './read-prompt.ts'

type Part = { readonly type: string } & Readonly<Record<string, unknown>>

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Make a fake model of the AI SDK that answers by a script, for `generateText` and `streamText`. */
export function fakeModel(turn: (prompt: SeenPrompt) => ModelTurn): MockLanguageModelV3 {
  const respond = (call: PromptCall): { readonly content: Part[]; readonly finishReason: object } => {
    const answer = turn(readPrompt(call))
    const reason = 'text' in answer ? 'stop' : 'tool-calls'
    return { content: contentOf(answer), finishReason: { unified: reason, raw: reason } }
  }
  return new MockLanguageModelV3({
    // The SDK does not download URLs that the model supports.
    supportedUrls: { '*/*': [/^https:/] },
    doGenerate: async (call: PromptCall) => ({ ...respond(call), usage: USAGE, warnings: [] }),
    doStream: async (call: PromptCall) => {
      const { content, finishReason } = respond(call)
      const parts = content.flatMap((part) => (part.type === 'text' ? streamed(part) : [part]))
      const chunks = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage: USAGE }]
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }
    },
  } as ConstructorParameters<typeof MockLanguageModelV3>[0] & object)
}

function contentOf(answer: ModelTurn): Part[] {
  if ('text' in answer) return [{ type: 'text', text: answer.text }]
  return answer.toolCalls.flatMap(({ id, name, input, providerResult }): Part[] => {
    const call = { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(input) }
    if (providerResult === undefined) return [call]
    const result = { type: 'tool-result', toolCallId: id, toolName: name, result: providerResult }
    return [{ ...call, providerExecuted: true }, result]
  })
}

function streamed({ text }: Part): Part[] {
  return [
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: text },
    { type: 'text-end', id: 'text' },
  ]
}
