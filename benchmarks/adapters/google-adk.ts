import {
  BaseLlm,
  BaseSessionService,
  createEvent,
  createSession,
  FunctionTool,
  LlmAgent,
  LogLevel,
  Runner,
  setLogLevel,
  type BasePlugin,
  type Event,
  type LlmRequest,
  type LlmResponse,
  type Session,
} from '@google/adk'
import type { ContextOffloader } from '@spillway/core'
import { offloadPlugin } from '@spillway/google-adk'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

// By default, ADK prints each event.
setLogLevel(LogLevel.ERROR)

const IDS = { userId: 'user-1', sessionId: 'session-1' }

type Content = LlmRequest['contents'][number]

/** A model that follows a script. `onPrompt` gets its prompts; ids of calls start at `firstId`. */
export class ScriptedLlm extends BaseLlm {
  readonly #script: Script
  readonly #onPrompt: (contents: readonly Content[]) => SeenPrompt | undefined
  readonly #firstId: number
  #calls = 0

  constructor(script: Script, onPrompt: (contents: readonly Content[]) => SeenPrompt | undefined, firstId = 0) {
    super({ model: 'scripted' })
    this.#script = script
    this.#onPrompt = onPrompt
    this.#firstId = firstId
  }

  override async *generateContentAsync({ contents }: LlmRequest): AsyncGenerator<LlmResponse, void> {
    const index = this.#calls
    this.#calls += 1
    const turn = this.#script(index, this.#onPrompt(contents) ?? [])
    const id = `call_${this.#firstId + index}`
    const part = typeof turn === 'string' ? { text: turn } : { functionCall: { id, name: turn.name, args: turn.input } }
    yield { content: { role: 'model', parts: [part] } }
  }

  override async connect(): Promise<never> {
    throw new Error('This model has no live sessions.')
  }
}

/** A service with one session, which starts with the same events in each run, and is returned without a copy. */
class OneSession extends BaseSessionService {
  readonly session: Session

  constructor(events: readonly Event[]) {
    super()
    this.session = createSession({ id: IDS.sessionId, appName: 'app', userId: IDS.userId, events: [...events] })
  }

  override async createSession(): Promise<Session> {
    return this.session
  }

  override async getSession(): Promise<Session> {
    return this.session
  }

  override async listSessions(): Promise<never> {
    throw new Error('There is one session.')
  }

  override async deleteSession(): Promise<void> {}
}

/** Run an agent with one tool, by default `read_log`. Returns all events of the session. */
export async function runAgent(
  model: BaseLlm,
  tool: FunctionTool,
  plugins: BasePlugin[],
  text: string,
  past: readonly Event[] = [],
): Promise<readonly Event[]> {
  const sessionService = new OneSession(past)
  const agent = new LlmAgent({ name: 'agent', model, tools: [tool] })
  const runner = new Runner({ appName: 'app', agent, sessionService, plugins })
  for await (const { errorMessage } of runner.runAsync({ ...IDS, newMessage: { role: 'user', parts: [{ text }] } }))
    if (errorMessage !== undefined) throw new Error(errorMessage)
  return sessionService.session.events
}

function converse(plugins: BasePlugin[]): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const model = new ScriptedLlm(
      script,
      (contents) => {
        prompts.push(contents.flatMap(readContent))
        return prompts.at(-1)
      },
      past.length,
    )
    const readLog = new FunctionTool({ name: 'read_log', description: 'Read the log.', execute: async () => log })
    // This cast is safe, because an earlier run of this file has saved the events as JSON.
    const events = (past as Event[]).map((event) => createEvent(event))
    return { prompts, history: await runAgent(model, readLog, plugins, question(past), events) }
  }
}

/** ADK without Spillway. */
export const plain: Converse = converse([])

/** With `offloadPlugin`. */
export function withPlugin(offloader: ContextOffloader): Converse {
  return converse([offloadPlugin(offloader)])
}

/** Return pairs of a call and its result after one question. */
export function pastEvents(length: number, output: string): Event[] {
  const event = (author: string, role: string, part: object): Event =>
    createEvent({ author, content: { role, parts: [part] } })
  const events = [event('user', 'user', { text: 'Read the files.' })]
  for (let index = 0; events.length < length; index += 1) {
    const call = { id: `past_${index}`, name: 'read' }
    events.push(
      event('agent', 'model', { functionCall: { ...call, args: { path: 'a' } } }),
      event('agent', 'user', { functionResponse: { ...call, response: { result: output } } }),
    )
  }
  return events
}

function readContent({ role = '', parts = [] }: Content): SeenMessage[] {
  return parts.map(({ text, functionCall, functionResponse }) => {
    if (functionResponse === undefined)
      return { role, text: text ?? `${functionCall?.name} ${JSON.stringify(functionCall?.args)}` }
    const { result, error = functionResponse.response } = functionResponse.response ?? {}
    return { role: 'tool', text: typeof result === 'string' ? result : JSON.stringify(result ?? error) }
  })
}
