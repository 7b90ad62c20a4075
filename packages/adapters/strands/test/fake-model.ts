import type { ModelTurn, SeenPrompt, ToolCall } from '@spillway-internal/adapter-suite'
import {
  Model,
  type BaseModelConfig,
  type Message,
  type ModelStreamEvent,
  type StreamOptions,
} from '@strands-agents/sdk'
import { readPrompt } from './read-prompt.ts'

/** A model that answers with the result of a function. The SDK has no fake model. */
export class FakeModel extends Model {
  readonly #answer: (prompt: SeenPrompt) => ModelTurn

  constructor(answer: (prompt: SeenPrompt) => ModelTurn) {
    super()
    this.#answer = answer
  }

  override getConfig(): BaseModelConfig {
    return { modelId: 'fake' }
  }

  override updateConfig(): void {}

  override async *stream(
    messages: Message[],
    { toolSpecs = [] }: StreamOptions = {},
  ): AsyncGenerator<ModelStreamEvent> {
    const turn = this.#answer(readPrompt(messages, toolSpecs))
    const calls = 'text' in turn ? [] : turn.toolCalls
    const ran = calls.filter(({ providerResult }) => providerResult !== undefined)
    yield { type: 'modelMessageStartEvent', role: 'assistant' }
    // A call that a provider runs has no block of its own, so its result is a text.
    for (const { providerResult } of ran) yield* textEvents(JSON.stringify(providerResult))
    for (const call of calls) if (!ran.includes(call)) yield* callEvents(call)
    if ('text' in turn) yield* textEvents(turn.text)
    yield { type: 'modelMessageStopEvent', stopReason: calls.length > ran.length ? 'toolUse' : 'endTurn' }
  }
}

function* textEvents(text: string): Generator<ModelStreamEvent> {
  yield { type: 'modelContentBlockStartEvent' }
  yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } }
  yield { type: 'modelContentBlockStopEvent' }
}

function* callEvents({ id: toolUseId, name, input }: ToolCall): Generator<ModelStreamEvent> {
  yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId } }
  const delta = { type: 'toolUseInputDelta' as const, input: JSON.stringify(input) }
  yield { type: 'modelContentBlockDeltaEvent', delta }
  yield { type: 'modelContentBlockStopEvent' }
}
