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

/** An update is an object of channels, a list of channels by name, or the messages themselves. */
async function replaceInUpdate(update: unknown, replace: ReplaceMessage): Promise<unknown> {
  if (Array.isArray(update))
    return replaceEach(update, async (item: unknown) => {
      if (!Array.isArray(item) || item[0] !== 'messages') return replaceMessages(item, replace)
      const messages = await replaceMessages(item[1], replace)
      return messages === item[1] ? item : ['messages', messages]
    })
  if (typeof update !== 'object' || update === null || !('messages' in update)) return replaceMessages(update, replace)
  const messages = await replaceMessages(update.messages, replace)
  return messages === update.messages ? update : { ...update, messages }
}

async function replaceMessages(messages: unknown, replace: ReplaceMessage): Promise<unknown> {
  if (Array.isArray(messages)) return replaceEach(messages, (message: unknown) => replaceMessages(message, replace))
  return ToolMessage.isInstance(messages) ? replace(messages) : messages
}

async function replaceEach(
  items: readonly unknown[],
  replaceOne: (item: unknown) => Promise<unknown>,
): Promise<unknown> {
  const replaced = await Promise.all(items.map(replaceOne))
  return replaced.every((item, index) => item === items[index]) ? items : replaced
}
