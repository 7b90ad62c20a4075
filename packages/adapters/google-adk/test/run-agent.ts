/** Runs agents in unit tests, with the loop of ADK. */
import {
  FunctionTool,
  InMemorySessionService,
  LlmAgent,
  LogLevel,
  Runner,
  setLogLevel,
  type BasePlugin,
  type BaseTool,
  type Event,
  type LlmAgentConfig,
  type RunConfig,
  type RunnerConfig,
} from '@google/adk'
import type { ModelTurn, SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import { ContextOffloader, type ContextOffloaderOptions, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { FakeLlm } from './fake-llm.ts'

setLogLevel(LogLevel.ERROR)

/** A log of about 80 KB, of which no two lines are equal. */
export const LOG: string = Array.from({ length: 1_500 }, (_, line) => `line ${line} of the log`).join('\n')

/** Matches the start of a replacement. */
export const REPLACED = /^\[Offloaded: /

/** An offloader with its own memory storage, and its events. */
export function newOffloader(
  options: Partial<ContextOffloaderOptions> = {},
): ContextOffloader & { readonly events: readonly OffloadEvent[] } {
  const events: OffloadEvent[] = []
  const onEvent = (event: OffloadEvent): void => void events.push(event)
  return Object.assign(new ContextOffloader({ storage: new InMemoryStorage(), ...options, onEvent }), { events })
}

/** Make a tool without parameters. */
export function toolReturning(name: string, value: unknown): BaseTool {
  return new FunctionTool({ name, description: `The tool ${name}.`, execute: async () => value })
}

/** Make a turn of the model that calls one tool. */
export function calling(name: string, input: unknown = {}, id = 'call_1'): ModelTurn {
  return { toolCalls: [{ id, name, input }] }
}

/** Make a model that takes turns in order, and then says that it is done. The model records its prompts. */
export function scriptedModel(
  ...turns: readonly (ModelTurn | ((prompt: SeenPrompt) => ModelTurn))[]
): FakeLlm & { readonly prompts: readonly SeenPrompt[] } {
  const prompts: SeenPrompt[] = []
  const model = new FakeLlm((prompt) => {
    const turn = turns[prompts.push(prompt) - 1] ?? { text: 'done' }
    return typeof turn === 'function' ? turn(prompt) : turn
  })
  return Object.assign(model, { prompts })
}

/** A session of the app `app`, and a function to send messages. */
export interface Chat {
  /** Send a message, and return all events. */
  readonly say: (parts?: readonly object[], runConfig?: RunConfig) => Promise<readonly Event[]>
  /** The events in the saved session. */
  readonly saved: () => Promise<readonly Event[]>
}

/** The services and the ids of a session. */
export interface ChatPlace {
  readonly sessionService?: InMemorySessionService
  readonly appName?: string
  readonly userId?: string
  readonly sessionId?: string
}

/** Begin a session with an agent, or another value that a runner accepts. */
export async function chatWith(
  agent: NonNullable<RunnerConfig['agent']>,
  plugins: BasePlugin[],
  place: ChatPlace & Pick<RunnerConfig, 'artifactService'> = {},
): Promise<Chat> {
  const { appName = 'app', userId = 'user', sessionId = 'session', artifactService } = place
  const { sessionService = new InMemorySessionService() } = place
  const services = { sessionService, ...(artifactService === undefined ? {} : { artifactService }) }
  const runner = new Runner({ appName, agent, plugins, ...services })
  await sessionService.getOrCreateSession({ appName, userId, sessionId })
  return {
    async say(parts = [{ text: 'Go.' }], runConfig = {}) {
      const events: Event[] = []
      const newMessage = { role: 'user', parts: [...parts] }
      for await (const event of runner.runAsync({ userId, sessionId, newMessage, runConfig })) events.push(event)
      return events
    },
    async saved() {
      return (await sessionService.getSession({ appName, userId, sessionId }))?.events ?? []
    },
  }
}

/** Make an agent. */
export function agentOf(config: Omit<LlmAgentConfig, 'name'> & { readonly name?: string }): LlmAgent {
  return new LlmAgent({ name: 'agent', ...config })
}

/** The text of the last result in the last prompt that a model got. */
export function lastText({ prompts }: { readonly prompts: readonly SeenPrompt[] }): string {
  return textOf(prompts.at(-1)?.results.at(-1))
}

/** The text of a result. */
export function textOf(result: SeenResult | undefined): string {
  return (result?.content ?? []).map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
}

/** The first reference that a text lists. */
export function referenceIn(text: string): string {
  return /^ {2}(\w+) \(/m.exec(text)?.[1] ?? ''
}
