import type { ModelTurn, SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import { ContextOffloader, type ContextOffloaderOptions, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { Agent, AgentRegistry, createTool, createVoltAgentObservability } from '@voltagent/core'
import type { AgentHooks, AgentOptions, Memory, Tool, ToolOptions } from '@voltagent/core'
import { z } from 'zod'
import { fakeModel } from './fake-model.ts'

// Otherwise, each agent would create its own, with timers.
AgentRegistry.getInstance().setGlobalObservability(createVoltAgentObservability())

/** A log of 1,500 lines, of which only line 1,321 contains `FAILED`. */
export const LOG: string = Array.from(
  { length: 1_500 },
  (_, line) => `line ${line + 1}: ${line === 1_320 ? 'FAILED' : 'done'} in ${(line * 7) % 90} ms`,
).join('\n')

/** Matches the start of a replacement. */
export const OFFLOADED: RegExp = /^\[Offloaded: \d/

/** Make a model that takes these turns in order, and then ends with `done`. The model records its prompts. */
export function scriptedModel(...turns: readonly (ModelTurn | ((prompt: SeenPrompt) => ModelTurn))[]): {
  readonly model: ReturnType<typeof fakeModel>
  readonly prompts: SeenPrompt[]
} {
  const prompts: SeenPrompt[] = []
  const model = fakeModel((prompt) => {
    const turn = turns[prompts.push(prompt) - 1] ?? { text: 'done' }
    return typeof turn === 'function' ? turn(prompt) : turn
  })
  return { model, prompts }
}

/** Make a model turn with calls of these tools, with the ids `call_0`, `call_1` … */
export function calling(...names: readonly string[]): ModelTurn {
  return { toolCalls: names.map((name, index) => ({ id: `call_${index}`, name, input: {} })) }
}

/** Make a model turn with a call of the retrieval tool, for the reference in the last result of a prompt. */
export function retrieving(input: object = {}, id = 'retrieval'): (prompt: SeenPrompt) => ModelTurn {
  return ({ results }) => {
    const call = { id, name: 'retrieve_offloaded_content', input: { reference: referenceIn(results.at(-1)), ...input } }
    return { toolCalls: [call] }
  }
}

/** Make a tool without parameters. */
export function toolOf(name: string, execute: ToolOptions['execute'], others: Partial<ToolOptions> = {}): Tool {
  return createTool({
    name,
    description: `The tool ${name}.`,
    parameters: z.object({}),
    ...others,
    ...(execute && { execute }),
  })
}

/** Make an agent with these options, which must include a model. */
export function agentOf(options: ScriptedAgentOptions): Agent {
  const settings: ScriptedAgentOptions = { name: 'agent', memory: false, ...options }
  // The union of all agent options is too large for the compiler to spread.
  return new Agent({ instructions: 'Help.', maxSteps: 20, maxRetries: 0, ...(settings as object) } as AgentOptions)
}

/** The options in which test agents differ. */
export interface ScriptedAgentOptions {
  readonly model: ReturnType<typeof fakeModel>
  readonly name?: string
  readonly tools?: readonly unknown[]
  readonly hooks?: AgentHooks
  readonly memory?: Memory | false
  readonly subAgents?: readonly Agent[]
  readonly toolRouting?: object
}

/** Make an offloader with its own memory storage, and record its events. */
export function createOffloader(options: Partial<ContextOffloaderOptions> = {}): {
  readonly offloader: ContextOffloader
  readonly events: OffloadEvent[]
} {
  const events: OffloadEvent[] = []
  const onEvent = (event: OffloadEvent): void => void events.push(event)
  return { offloader: new ContextOffloader({ storage: new InMemoryStorage(), onEvent, ...options }), events }
}

/** Return the text of a result, values as JSON. */
export function textOf(result: SeenResult | undefined): string {
  const texts = result?.content.map((block) => {
    if (block.type === 'text') return block.text
    return block.type === 'json' ? JSON.stringify(block.value) : ''
  })
  return texts?.join('') ?? ''
}

/** Return the first reference that a result names. */
export function referenceIn(result: SeenResult | undefined): string {
  return /\[Stored references:\]\s+(\w+)/.exec(textOf(result))?.[1] ?? ''
}

/** Return the stored content of a reference in a scope, as text. */
export async function storedText(offloader: ContextOffloader, reference: string, ...scope: string[]): Promise<string> {
  const { content } = await offloader.forScope(...scope).options.storage.retrieve(reference)
  return new TextDecoder().decode(content)
}
