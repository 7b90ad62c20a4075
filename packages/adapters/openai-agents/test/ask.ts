import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import { Agent, setTracingDisabled, tool, type AgentInputItem, type FunctionTool } from '@openai/agents'
import { ContextOffloader, type ContextOffloaderOptions, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { z } from 'zod'
import { FakeModel } from './fake-model.ts'

setTracingDisabled(true)

/** A text that is over the limit. */
export const LOG: string = Array.from({ length: 3_000 }, (_, line) => `line ${line + 1} of the log`).join('\n')

/** The start of a replacement. */
export const OFFLOADED = '[Offloaded: '

/** Make an offloader with its own memory storage, and a list of its events. */
export function newOffloader(options: Partial<ContextOffloaderOptions> = {}): {
  readonly offloader: ContextOffloader
  readonly events: OffloadEvent[]
} {
  const events: OffloadEvent[] = []
  const onEvent = (event: OffloadEvent): void => void events.push(event)
  return { offloader: new ContextOffloader({ storage: new InMemoryStorage(), onEvent, ...options }), events }
}

/** Make a tool without parameters. */
export function makeTool<Result>(
  name: string,
  execute: () => Result | Promise<Result>,
  options: Partial<Parameters<typeof tool>[0]> & object = {},
): FunctionTool {
  const common = { name, description: `The tool ${name}.`, parameters: z.object({}), execute }
  return tool({ ...common, ...options } as Parameters<typeof tool>[0])
}

/** Make an agent whose model takes these turns in order, and then says `done`. The model records its prompts. */
export function makeAgent(
  turns: readonly (ModelTurn | ((prompt: SeenPrompt) => ModelTurn))[],
  options: Partial<ConstructorParameters<typeof Agent<unknown, 'text'>>[0]> = {},
): { readonly agent: Agent; readonly prompts: SeenPrompt[] } {
  const prompts: SeenPrompt[] = []
  const model = new FakeModel((prompt) => {
    const turn = turns[prompts.push(prompt) - 1] ?? { text: 'done' }
    return typeof turn === 'function' ? turn(prompt) : turn
  })
  const agent = new Agent({ name: 'Agent', model, ...options })
  return { agent, prompts }
}

/** Make a turn that calls a tool. */
export function calling(name: string, id = 'call_1', input: unknown = {}): ModelTurn {
  return { toolCalls: [{ id, name, input }] }
}

/** Return the text of the last tool result that a model saw. */
export function lastText(prompts: readonly SeenPrompt[]): string {
  const content = prompts.at(-1)?.results.at(-1)?.content ?? []
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('')
}

/** Return the first reference that is named in a text. */
export function referenceIn(text: string): string {
  return /\[Stored references:\]\s+(\w+)/.exec(text)?.[1] ?? ''
}

/** A tool call and its output, as items of a history. */
export function callItems(name: string, callId: string, output: unknown): AgentInputItem[] {
  return [
    { type: 'function_call', name, callId, arguments: '{"path":"a"}', status: 'completed' },
    { type: 'function_call_result', name, callId, status: 'completed', output } as AgentInputItem,
  ]
}
