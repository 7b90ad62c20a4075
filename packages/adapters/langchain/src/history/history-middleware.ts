import type { ContextOffloader } from '@spillway/core'
import {
  compactorOfRun,
  offloaderArchive,
  type HistoryArchive,
  type HistoryPart,
  type RunHistoryOptions,
} from '@spillway/history'
import { createMiddleware, type AgentMiddleware } from 'langchain'
import { RemoveMessage, SystemMessage, type BaseMessage } from '@langchain/core/messages'
import { threadRuns, type RunScope } from '../run-scope.ts'
import { langchainMessages } from './langchain-messages.ts'
import { isEqualMessage } from './native-message.ts'

/**
 * Make the middleware that keeps the history of an agent within its limit: older tool results become references, and
 * older messages a summary if `summarize` is given.
 *
 * By default only prompts change. With `replaceIn: 'state'`, the messages of the state change, so that checkpoints are
 * small. If storing or summarizing fails, the messages do not change. Put this middleware last, so that it sees prompts
 * as the model gets them.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadMiddleware } from '@spillway/langchain'
 * import { historyMiddleware } from '@spillway/langchain/history'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createAgent, FakeToolCallingModel } from 'langchain'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const middleware = [offloadMiddleware(offloader), historyMiddleware(offloader, { maxTotalTokens: 100_000 })]
 * const agent = createAgent({ model: new FakeToolCallingModel({}), tools: [], middleware })
 * console.assert(typeof agent.invoke === 'function')
 * ```
 */
export function historyMiddleware(
  offloader: ContextOffloader,
  options: HistoryMiddlewareOptions = {},
): AgentMiddleware<undefined, undefined, unknown> {
  const runs = threadRuns(offloader, options, { usage: 'historyMiddleware(offloader, options)', others: 'any' })
  const { scope: _scope, replaceIn = 'prompt', ...limits } = options
  if (replaceIn !== 'prompt' && replaceIn !== 'state')
    throw new TypeError(`replaceIn must be 'prompt' or 'state', got ${String(replaceIn)}.`)
  const compactorOf = compactorOfRun(offloader, runs.segmentsOf, { ...limits, format })
  const name = 'SpillwayHistory'
  if (replaceIn === 'prompt')
    return createMiddleware({
      name,
      wrapModelCall: async (request, handler) => {
        const prompt: PromptRequest = request
        const system = systemOf(prompt)
        const conversation = system === undefined ? prompt.messages : [system, ...prompt.messages]
        const { signal } = request.runtime
        const { messages } = await compactorOf(request.runtime).compact(conversation, { signal })
        return await handler(messages === conversation ? request : withPrompt(request, messages, system))
      },
    })
  return createMiddleware({
    name,
    beforeModel: async ({ messages }, runtime) => {
      const outcome = await compactorOf(runtime).compact(messages, { signal: runtime.signal })
      return updateOf(messages, outcome.messages)
    },
    wrapModelCall: async (request, handler) =>
      await handler(moveSnapshot(request, offloaderArchive(runs.offloaderOf(request.runtime)))),
  })
}

/** Options of {@link historyMiddleware}. */
export interface HistoryMiddlewareOptions extends RunHistoryOptions<readonly BaseMessage[]> {
  /** Returns the scope of a run. Pass the function that `offloadMiddleware` gets. Defaults to the run's `thread_id`. */
  readonly scope?: RunScope | undefined
  /**
   * The place for the shorter history.
   *
   * - `prompt`, the default: the model's prompt. The state does not change.
   * - `state`: the messages of the state. Each round takes one more step of the graph. The tokens of the system prompt
   *   are not counted.
   */
  readonly replaceIn?: 'prompt' | 'state' | undefined
}

/** Before LangChain 1.1, the system prompt is a string. */
interface PromptRequest {
  readonly messages: BaseMessage[]
  readonly systemMessage?: SystemMessage | undefined
  readonly systemPrompt?: string | undefined
}

const format = langchainMessages()

/** LangChain treats an empty system prompt as missing. */
function systemOf({ systemMessage, systemPrompt = '' }: PromptRequest): SystemMessage | undefined {
  if (systemMessage === undefined) return systemPrompt === '' ? undefined : new SystemMessage(systemPrompt)
  return systemMessage.text === '' ? undefined : systemMessage
}

/** @param messages - The new messages, a system prompt first. */
function withPrompt<Request extends PromptRequest>(
  request: Request,
  messages: readonly BaseMessage[],
  system: SystemMessage | undefined,
): Request {
  const [first, ...others] = messages
  const isMade = system === undefined && !SystemMessage.isInstance(request.messages[0])
  if (!SystemMessage.isInstance(first) || (system === undefined && !isMade))
    return { ...request, messages: [...messages] }
  return { ...withSystem(request, first, system), messages: others }
}

function withSystem<Request extends PromptRequest>(
  request: Request,
  changed: SystemMessage,
  system: SystemMessage | undefined,
): Request {
  if (changed === system) return request
  if (request.systemMessage !== undefined) return { ...request, systemMessage: changed }
  return { ...request, systemPrompt: changed.text }
}

/** Move a summary of the state into the system prompt, because providers accept only one system message. */
function moveSnapshot<Request extends PromptRequest>(request: Request, archive: HistoryArchive): Request {
  const [first, ...others] = request.messages
  const system = systemOf(request)
  if (system === undefined || !SystemMessage.isInstance(first)) return request
  const snapshot = archive.readSnapshot(first.text)
  if (snapshot === undefined || snapshot.around !== undefined) return request
  const [read] = format.read([system])
  const parts = withText(read?.parts ?? [], first.text)
  const [appended] = format.write([{ role: 'system', ...read, parts }])
  return { ...withSystem(request, appended as SystemMessage, system), messages: others }
}

/** If the prompt has a single text, the result has a single text, too. */
function withText(parts: readonly HistoryPart[], text: string): readonly HistoryPart[] {
  const [only] = parts
  if (parts.length !== 1 || only?.type !== 'text') return [...parts, { type: 'text', text }]
  return [{ ...only, text: `${only.text}\n\n${text}` }]
}

/** The id with which LangGraph removes all messages. LangChain has its own copy of that package. */
const ALL = '__remove_all__'

/** Returns `undefined` if nothing changed. If no message moved, only changed messages are written, by their ids. */
function updateOf(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): { readonly messages: BaseMessage[] } | undefined {
  const inPlace = before.length === after.length && after.every((message, index) => isAt(message, before[index]!))
  if (!inPlace) return { messages: [new RemoveMessage({ id: ALL }), ...after] }
  const changed = after.filter((message, index) => !isEqualMessage(message, before[index]!))
  return changed.length === 0 ? undefined : { messages: changed }
}

const isAt = (message: BaseMessage, before: BaseMessage): boolean =>
  message === before || (message.id !== undefined && message.id === before.id)
