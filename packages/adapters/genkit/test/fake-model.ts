import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import type { MessageData, Part } from 'genkit'
import type { GenkitBeta } from 'genkit/beta'
import { readPrompt } from './read-prompt.ts'

/** Answers a prompt. */
export type Answer = (prompt: SeenPrompt) => ModelTurn

/** Define a model that answers with what a function returns, and gives up on an aborted run, as models do. */
export function defineFakeModel(ai: GenkitBeta, answer: Answer): ReturnType<GenkitBeta['defineModel']> {
  const supports = { multiturn: true, tools: true, media: true, systemRole: true }
  return ai.defineModel({ apiVersion: 'v2', name: 'fake', supports }, async (request, { abortSignal, sendChunk }) => {
    abortSignal.throwIfAborted()
    const message: MessageData = { role: 'model', content: partsOf(answer(readPrompt(request))) }
    sendChunk({ role: 'model', content: message.content })
    return { message, finishReason: 'stop' }
  })
}

/** What the provider runs itself stands in the message as a part of its own kind, with its result. */
function partsOf(turn: ModelTurn): Part[] {
  if ('text' in turn) return [{ text: turn.text }]
  return turn.toolCalls.map(({ id, name, input, providerResult }) =>
    providerResult === undefined
      ? { toolRequest: { name, ref: id, input } }
      : { custom: { providerToolResult: { name, id, input, providerResult } } },
  )
}
