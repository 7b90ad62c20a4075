import type { Conversation, ModelTurn, SeenPrompt } from '../harness.ts'

/** A turn of the fake model, or a function that creates the turn from the prompt. */
export type ScriptedTurn = ModelTurn | ((prompt: SeenPrompt) => ModelTurn)

/** Create a fake model that takes these turns in order, and then ends with `done`. */
export function scripted(...turns: readonly ScriptedTurn[]): Conversation['model'] {
  return (prompt, call) => {
    const turn = turns[call] ?? { text: 'done' }
    return typeof turn === 'function' ? turn(prompt) : turn
  }
}
