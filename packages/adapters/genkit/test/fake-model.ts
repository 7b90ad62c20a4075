import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import type { MessageData, Part } from 'genkit'
import type { GenkitBeta } from 'genkit/beta'
import { readPrompt } from './read-prompt.ts'

/** Answers a prompt. */
export type Answer = (prompt: SeenPrompt) => ModelTurn

/** Define a model that answers with the result of a function, and stops if the run is aborted, as models do. */
export function defineFakeModel(ai: GenkitBeta, answer: Answer): ReturnType<GenkitBeta['defineModel']> {
  const supports = { multiturn: true, tools: true, media: true, systemRole: true }
  return ai.defineModel({ apiVersion: 'v2', name: 'fake', supports }, async (request, { abortSignal, sendChunk }) => {
    abortSignal.throwIfAborted()
    const message: MessageData = { role: 'model', content: partsOf(answer(readPrompt(request))) }
    sendChunk({ role: 'model', content: message.content })
    return { message, finishReason: 'stop' }
  })
}

/** Calls that the provider runs are in the message as custom parts, with their results. */
function partsOf(turn: ModelTurn): Part[] {
  if ('text' in turn) return [{ text: turn.text }]
  return turn.toolCalls.map(({ id, name, input, providerResult }) =>
    providerResult === undefined
      ? { toolRequest: { name, ref: id, input } }
      : { custom: { providerToolResult: { name, id, input, providerResult } } },
  )
}
