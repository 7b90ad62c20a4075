import { ToolMessage, type ToolMessageFields } from '@langchain/core/messages'
import type { ContextOffloader, OffloadRequest } from '@spillway/core'
import { offloadParts, offloadThrown, withMetadata } from '@spillway/core/adapter'
import { blockToPart, partToBlock, type ContentPart } from './content-parts.ts'

export interface ToolCall {
  readonly name: string
  readonly id?: string | undefined
  readonly args: unknown
}

/**
 * Run a tool call, and offload a large result or error: its message, the messages of its command, or a thrown error.
 *
 * @param endsRun - Whether the result is the run's answer, which is not offloaded. After an error, the model is called
 *   in any case.
 */
export async function offloadCall<Result>(
  offloader: ContextOffloader,
  toolCall: ToolCall,
  signal: AbortSignal | undefined,
  run: () => Result | Promise<Result>,
  endsRun = false,
  told: Pick<OffloadRequest, 'purpose' | 'callsInTurn'> = {},
): Promise<Result> {
  const call = { toolName: toolCall.name, toolCallId: toolCall.id ?? '', input: toolCall.args, ...told, signal }
  const replace = (message: ToolMessage): Promise<ToolMessage> => offloadMessage(offloader, message, call)
  let result: Result
  try {
    result = await run()
  } catch (error) {
    if (isControlFlow(error, signal)) throw error
    const thrown = rootCause(error)
    const replaced = await offloadThrown(offloader, { ...call, thrown })
    throw replaced === thrown ? error : replaced
  }
  // A message replaces a message, and a command replaces a command, so the type stays the same.
  if (ToolMessage.isInstance(result))
    return endsRun && result.status !== 'error' ? result : ((await replace(result)) as Result)
  return isCommand(result) && !endsRun ? replaceInCommand(result, replace) : result
}

async function offloadMessage(
  offloader: ContextOffloader,
  message: ToolMessage,
  call: Pick<OffloadRequest, 'toolName' | 'input' | 'purpose' | 'callsInTurn' | 'signal'>,
): Promise<ToolMessage> {
  const { content, name, tool_call_id, id, status, artifact, metadata, additional_kwargs, response_metadata } = message
  const { result: outcome, metadata: forProgram } = await withMetadata(offloader, (one) =>
    offloadParts<ContentPart>(one, {
      ...call,
      toolName: name ?? call.toolName,
      toolCallId: tool_call_id,
      isError: status === 'error',
      parts: partsOf(content),
      toBlock: partToBlock,
      fromText: (text) => (typeof content === 'string' ? text : { type: 'text', text }),
      fromBlock: blockToPart,
    }),
  )
  if (outcome.status === 'inline') return message
  const kept = { name, tool_call_id, id, status, metadata, additional_kwargs, response_metadata }
  const replaced = typeof content === 'string' ? outcome.parts[0] : outcome.parts
  // The other fields are copied from the message. Fields that the message lacks are absent in the copy, too.
  return new ToolMessage({ ...kept, artifact: artifact ?? forProgram, content: replaced } as ToolMessageFields)
}

/** Older versions of LangChain also accept an array of plain objects, which counts as one value. */
function partsOf(content: ToolMessage['content']): readonly ContentPart[] {
  const isContent = typeof content !== 'string' && content.some((part) => Object.hasOwn(Object(part) as object, 'type'))
  return isContent ? content : [content as ContentPart]
}

/** Whether a thrown value is an interrupt, a command to another graph, or an abort, none of which is a failure. */
export function isControlFlow(error: unknown, signal: AbortSignal | undefined): boolean {
  const { is_bubble_up: isBubbleUp, name } = Object(error) as { is_bubble_up?: unknown; name?: unknown }
  return isBubbleUp === true || name === 'AbortError' || signal?.aborted === true
}

/** Whether an error comes from middleware. Only some versions of LangChain mark such errors. */
export function isMiddlewareError(error: unknown): error is Error {
  return error instanceof Error && '~brand' in error && error['~brand'] === 'MiddlewareError'
}

/** LangChain wraps errors of middleware in an error with the same message, and shows the inner error to the model. */
function rootCause(error: unknown): unknown {
  return isMiddlewareError(error) && error.cause !== undefined ? rootCause(error.cause) : error
}

type ReplaceMessage = (message: ToolMessage) => Promise<ToolMessage>

/** LangGraph's class. LangGraph is not imported, because LangChain has its own copy of it. */
interface Command {
  readonly lg_name: 'Command'
  readonly update?: unknown
}

/** Whether a value has the mark that LangGraph itself checks. */
export function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && 'lg_name' in value && value.lg_name === 'Command'
}

export async function replaceInCommand<Given extends Command>(command: Given, replace: ReplaceMessage): Promise<Given> {
  const update = await replaceInUpdate(command.update, replace)
  if (update === command.update) return command
  // The class of the tool's command, which may come from another copy of LangGraph.
  const Class = command.constructor as new (fields: object) => Given
  return new Class({ ...command, update })
}

/** An update is an object of channels, an array of name and value pairs, or an array of messages. */
async function replaceInUpdate(update: unknown, replace: ReplaceMessage): Promise<unknown> {
  if (ToolMessage.isInstance(update)) return replace(update)
  if (Array.isArray(update)) {
    const items: readonly unknown[] = update
    if (typeof items[0] === 'string' && items[0] !== 'messages') return update
    const replaced = await Promise.all(items.map((item) => replaceInUpdate(item, replace)))
    return replaced.every((item, index) => item === items[index]) ? update : replaced
  }
  if (typeof update !== 'object' || update === null || !('messages' in update)) return update
  const messages = await replaceInUpdate(update.messages, replace)
  return messages === update.messages ? update : { ...update, messages }
}
