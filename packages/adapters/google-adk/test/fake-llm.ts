import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk'
import type { ModelTurn, SeenPrompt, ToolCall } from '@spillway-internal/adapter-suite'
import { readPrompt } from './read-prompt.ts'

/** A model that answers with the result of a function. In streams, a partial response comes first, as in Gemini. */
export class FakeLlm extends BaseLlm {
  readonly #answer: (prompt: SeenPrompt) => ModelTurn

  constructor(answer: (prompt: SeenPrompt) => ModelTurn, model = 'fake') {
    super({ model })
    this.#answer = answer
  }

  override async *generateContentAsync(request: LlmRequest, stream?: boolean): AsyncGenerator<LlmResponse, void> {
    const turn = this.#answer(readPrompt(request))
    const parts = 'text' in turn ? [{ text: turn.text }] : turn.toolCalls.flatMap(partsOf)
    if (stream === true)
      yield { content: { role: 'model', parts: [{ text: 'Let me think.', thought: true }] }, partial: true }
    yield { content: { role: 'model', parts } }
  }

  override connect(): Promise<BaseLlmConnection> {
    return Promise.reject(new Error('This model has no live sessions.'))
  }
}

type Part = NonNullable<NonNullable<LlmResponse['content']>['parts']>[number]

/** Calls that the provider runs are in the response, with their results. Models write only objects as arguments. */
function partsOf({ id, name, input, providerResult }: ToolCall): Part[] {
  if (providerResult === undefined) return [{ functionCall: { id, name, args: input as Record<string, unknown> } }]
  return [
    { executableCode: { id, code: `${name}(${JSON.stringify(input)})` } },
    { codeExecutionResult: { id, output: JSON.stringify(providerResult) } },
  ]
}
