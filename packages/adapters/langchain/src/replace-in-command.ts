import { ToolMessage } from '@langchain/core/messages'

/** Replaces a tool message, or returns the very same. */
export type ReplaceMessage = (message: ToolMessage) => Promise<ToolMessage>

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
