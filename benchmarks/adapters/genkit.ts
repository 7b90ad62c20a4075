import type { ContextOffloader } from '@spillway/core'
import { offloadMiddleware } from '@spillway/genkit'
import { genkit, z, type Genkit, type MessageData, type MiddlewareRef, type ModelArgument, type Part } from 'genkit'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

const MAX_TURNS = 100

/**
 * Define a Genkit model that follows a script, and restarts after its end. `onPrompt` gets its prompts; ids of calls
 * start at `firstId`.
 */
export function scriptedModel(
  ai: Genkit,
  script: Script,
  onPrompt: (messages: readonly MessageData[]) => SeenPrompt | undefined,
  firstId = 0,
): ModelArgument {
  let index = 0
  return ai.defineModel({ name: 'scripted', supports: { tools: true, multiturn: true } }, async ({ messages }) => {
    const turn = script(index, onPrompt(messages) ?? [])
    const ref = `call_${firstId + index}`
    index = typeof turn === 'string' ? 0 : index + 1
    const part: Part =
      typeof turn === 'string' ? { text: turn } : { toolRequest: { name: turn.name, ref, input: turn.input } }
    return { message: { role: 'model', content: [part] }, finishReason: 'stop' }
  })
}

function converse(use: MiddlewareRef[]): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const ai = genkit({})
    const onPrompt = (messages: readonly MessageData[]): SeenPrompt | undefined => {
      prompts.push(messages.map(readMessage))
      return prompts.at(-1)
    }
    const model = scriptedModel(ai, script, onPrompt, past.length)
    const readLog = ai.defineTool(
      { name: 'read_log', description: 'Read the log.', inputSchema: z.object({}) },
      async () => log,
    )
    // This cast is safe, because an earlier run of this file has saved the messages as JSON.
    const messages = past as MessageData[]
    const options = { model, tools: [readLog], messages, prompt: question(past), use, maxTurns: MAX_TURNS }
    const response = await ai.generate(options)
    return { prompts, history: response.messages }
  }
}

/** Genkit without Spillway. */
export const plain: Converse = converse([])

/** With `offloadMiddleware`. */
export function withMiddleware(offloader: ContextOffloader): Converse {
  return converse([offloadMiddleware(offloader)({ scope: ['session-1'] })])
}

function readMessage({ role, content }: MessageData): SeenMessage {
  return { role, text: content.map(textOf).join('\n') }
}

function textOf({ text, toolRequest, toolResponse }: Part): string {
  if (toolRequest !== undefined) return `${toolRequest.name} ${JSON.stringify(toolRequest.input)}`
  if (toolResponse === undefined) return text ?? ''
  return typeof toolResponse.output === 'string' ? toolResponse.output : JSON.stringify(toolResponse.output)
}
