import { SystemMessage, type BaseMessage } from '@langchain/core/messages'
import type { HistoryArchive, HistoryPart } from '@spillway/history'
import { langchainMessages } from './langchain-messages.ts'

/** As much of a request to the model as matters here. Before 1.1 of LangChain its system prompt is a text alone. */
export interface PromptRequest {
  readonly messages: BaseMessage[]
  readonly systemMessage?: SystemMessage | undefined
  readonly systemPrompt?: string | undefined
}

const format = langchainMessages()

/** Return the agent's own system prompt as a message; `undefined` where it has none, which is an empty one for LangChain. */
export function systemOf({ systemMessage, systemPrompt = '' }: PromptRequest): SystemMessage | undefined {
  if (systemMessage === undefined) return systemPrompt === '' ? undefined : new SystemMessage(systemPrompt)
  return systemMessage.text === '' ? undefined : systemMessage
}

/**
 * Put other messages into a request.
 *
 * @param messages - With the system prompt before them, where the agent has one or one was made.
 * @param system - The agent's own system prompt, as it was.
 */
export function withPrompt<Request extends PromptRequest>(
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

/**
 * Move a summary that the messages of the state begin with to the end of the agent's own system prompt: providers take
 * one system message. An agent without one has it in its messages.
 */
export function moveSnapshot<Request extends PromptRequest>(request: Request, archive: HistoryArchive): Request {
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

/** A prompt that is one text stays that; to one of several blocks, one is added. */
function withText(parts: readonly HistoryPart[], text: string): readonly HistoryPart[] {
  const [only] = parts
  if (parts.length !== 1 || only?.type !== 'text') return [...parts, { type: 'text', text }]
  return [{ ...only, text: `${only.text}\n\n${text}` }]
}
