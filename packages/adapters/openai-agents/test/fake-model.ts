import type { ModelTurn, SeenPrompt, ToolCall } from '@spillway-internal/adapter-suite'
import {
  Usage,
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
} from '@openai/agents'
import { readPrompt } from './read-prompt.ts'

/** A model that answers with the result of a function. The oldest version of the SDK has no fake model. */
export class FakeModel implements Model {
  readonly #answer: (prompt: SeenPrompt) => ModelTurn

  constructor(answer: (prompt: SeenPrompt) => ModelTurn) {
    this.#answer = answer
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    // Check the signal, as a provider's client does.
    request.signal?.throwIfAborted()
    return { usage: new Usage(), output: outputOf(this.#answer(readPrompt(request))), responseId: 'response' }
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const { output } = await this.getResponse(request)
    yield { type: 'response_started' }
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
    yield { type: 'response_done', response: { id: 'response', usage, output } } as StreamEvent
  }
}

function outputOf(turn: ModelTurn): AgentOutputItem[] {
  if ('toolCalls' in turn) return turn.toolCalls.map(callItem)
  return [
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: turn.text }] },
  ]
}

/** A call that the provider runs is one item, with its result. */
function callItem({ id, name, input, providerResult }: ToolCall): AgentOutputItem {
  const args = JSON.stringify(input)
  if (providerResult === undefined)
    return { type: 'function_call', callId: id, name, arguments: args, status: 'completed' }
  const output = JSON.stringify(providerResult)
  return { type: 'hosted_tool_call', name, arguments: args, status: 'completed', output }
}
