import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import type { LanguageModel } from 'ai'
import * as testing from 'ai/test'
import { readPrompt, type PromptCall } from './read-prompt.ts'
import { isVersion7 } from './version.ts'

/** A fake model of the SDK that answers by a script. */
export type FakeModel = Exclude<LanguageModel, string>

type Part = { readonly type: string } & Readonly<Record<string, unknown>>

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Make the fake model of the installed version, for `generateText` and `streamText` alike. */
export function fakeModel(turn: (prompt: SeenPrompt) => ModelTurn): FakeModel {
  const respond = (call: PromptCall): { readonly content: Part[]; readonly finishReason: object } => {
    // Check the signal, as a provider's client does.
    call.abortSignal?.throwIfAborted()
    const answer = turn(readPrompt(call))
    const reason = 'text' in answer ? 'stop' : 'tool-calls'
    return { content: contentOf(answer), finishReason: { unified: reason, raw: reason } }
  }
  // Only the newest version types the parts of its specification. Both versions have the same parts here.
  const settings = {
    // The SDK does not download URLs that the model supports.
    supportedUrls: { '*/*': [/^https:/] },
    doGenerate: async (call: PromptCall) => ({ ...respond(call), usage: USAGE, warnings: [] }),
    doStream: async (call: PromptCall) => {
      const { content, finishReason } = respond(call)
      const parts = content.flatMap((part) => (part.type === 'text' ? streamed(part) : [part]))
      const chunks = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage: USAGE }]
      return { stream: testing.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }
    },
  } as ConstructorParameters<typeof testing.MockLanguageModelV4>[0] & object
  return isVersion7
    ? new testing.MockLanguageModelV4(settings)
    : new testing.MockLanguageModelV3(settings as ConstructorParameters<typeof testing.MockLanguageModelV3>[0] & object)
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
