import { ToolMessage, type ToolMessageFields } from '@langchain/core/messages'
import type { ContextOffloader, OffloadRequest } from '@spillway/core'
import { offloadParts, offloadThrown } from '@spillway/core/adapter'
import { blockToPart, partToBlock, type ContentPart } from './content-parts.ts'

/** A tool call as LangChain hands it to hooks and tools. */
export interface ToolCall {
  readonly name: string
  readonly id?: string | undefined
  readonly args: unknown
}

/**
 * Run a tool call, and offload what is over the limit: its message, those of its command, or what it throws.
 *
 * @param endsRun - Whether the result is the answer of the run, and stays. After an error the model is called all the same.
 */
export async function offloadCall<Result>(
  offloader: ContextOffloader,
  toolCall: ToolCall,
  signal: AbortSignal | undefined,
  run: () => Result | Promise<Result>,
  endsRun = false,
  purpose?: string,
): Promise<Result> {
  const call = { toolName: toolCall.name, toolCallId: toolCall.id ?? '', input: toolCall.args, purpose, signal }
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
  // What replaces a message or a command is one: the type of the result stays.
  if (ToolMessage.isInstance(result))
    return endsRun && result.status !== 'error' ? result : ((await replace(result)) as Result)
  return isCommand(result) && !endsRun ? replaceInCommand(result, replace) : result
}

/** Offload the content of a tool message, and keep all else of it. Returns the very message where it stays. */
async function offloadMessage(
  offloader: ContextOffloader,
  message: ToolMessage,
  call: Pick<OffloadRequest, 'toolName' | 'input' | 'purpose' | 'signal'>,
): Promise<ToolMessage> {
  const { content, name, tool_call_id, id, status, artifact, metadata, additional_kwargs, response_metadata } = message
  const outcome = await offloadParts<ContentPart>(offloader, {
    ...call,
    toolName: name ?? call.toolName,
    toolCallId: tool_call_id,
    isError: status === 'error',
    parts: partsOf(content),
    toBlock: partToBlock,
    fromText: (text) => (typeof content === 'string' ? text : { type: 'text', text }),
    fromBlock: blockToPart,
  })
  if (outcome.status === 'inline') return message
  const kept = { name, tool_call_id, id, status, artifact, metadata, additional_kwargs, response_metadata }
  const replaced = typeof content === 'string' ? outcome.parts[0] : outcome.parts
  // All fields come from a message, or are a text: what is absent is so in a message, too.
  return new ToolMessage({ ...kept, content: replaced } as ToolMessageFields)
}

/** Older versions of LangChain take an array of plain objects for blocks, too: it is a value. */
function partsOf(content: ToolMessage['content']): readonly ContentPart[] {
  const isContent = typeof content !== 'string' && content.some((part) => Object.hasOwn(Object(part) as object, 'type'))
  return isContent ? content : [content as ContentPart]
}

/** Whether nothing has failed: interrupts and commands to other graphs are thrown, and so is the end of a run. */
export function isControlFlow(error: unknown, signal: AbortSignal | undefined): boolean {
  const { is_bubble_up: isBubbleUp, name } = Object(error) as { is_bubble_up?: unknown; name?: unknown }
  return isBubbleUp === true || name === 'AbortError' || signal?.aborted === true
}

/** Whether an error has passed through a middleware, in the versions of LangChain that say so. */
export function isMiddlewareError(error: unknown): error is Error {
  return error instanceof Error && '~brand' in error && error['~brand'] === 'MiddlewareError'
}

/** What a middleware throws LangChain wraps with the same message, and unwraps for the model: the cause goes there. */
function rootCause(error: unknown): unknown {
  return isMiddlewareError(error) && error.cause !== undefined ? rootCause(error.cause) : error
}

/** Replaces a tool message, or returns the very same. */
type ReplaceMessage = (message: ToolMessage) => Promise<ToolMessage>

/** As much of LangGraph's class as matters here; its package is not imported, as LangChain comes with one of its own. */
interface Command {
  readonly lg_name: 'Command'
  readonly update?: unknown
}

/** Whether a value is a `Command`, by the mark that LangGraph itself goes by. */
export function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && 'lg_name' in value && value.lg_name === 'Command'
}

/** Replace the tool messages of a command, and keep all else of it. Returns the very command where none changes. */
export async function replaceInCommand<Given extends Command>(command: Given, replace: ReplaceMessage): Promise<Given> {
  const update = await replaceInUpdate(command.update, replace)
  if (update === command.update) return command
  // The class is the one that the tool took, whichever package it comes from.
  const Class = command.constructor as new (fields: object) => Given
  return new Class({ ...command, update })
}

/** An update is an object of channels, an array of pairs of a channel's name and its value, or the messages themselves. */
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
