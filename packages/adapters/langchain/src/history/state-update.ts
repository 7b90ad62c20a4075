import { RemoveMessage, type BaseMessage } from '@langchain/core/messages'
import { isEqualMessage } from './native-message.ts'

/** The id by which LangGraph removes all messages of a state; its package is not imported, as LangChain comes with its own. */
const ALL = '__remove_all__'

/**
 * Say what to change of a state so that it has other messages; `undefined` where nothing has changed.
 *
 * Where some were replaced in their places these alone are written, by their ids. Otherwise all of them are.
 */
export function updateOf(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): { readonly messages: BaseMessage[] } | undefined {
  const inPlace = before.length === after.length && after.every((message, index) => isAt(message, before[index]!))
  if (!inPlace) return { messages: [new RemoveMessage({ id: ALL }), ...after] }
  const changed = after.filter((message, index) => !isEqualMessage(message, before[index]!))
  return changed.length === 0 ? undefined : { messages: changed }
}

/** Whether a message stands in the place of another one, or says the same where it has no id. */
const isAt = (message: BaseMessage, before: BaseMessage): boolean =>
  message === before || (message.id !== undefined && message.id === before.id)
