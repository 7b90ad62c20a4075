import type { BaseMessage } from '@langchain/core/messages'
import type { Fields } from '@spillway/history/format'

/**
 * Copy a message with other values of some fields: of its class, and with all else that it has, such as its id. Where no
 * value differs the very message comes back.
 *
 * It is not made by its constructor, which may want other arguments, and adds to some of them.
 */
export function copyMessage<Message extends BaseMessage>(message: Message, fields: Fields): Message {
  const changed = Object.entries(fields).filter(([name, value]) => (message as unknown as Fields)[name] !== value)
  if (changed.length === 0) return message
  const copy = Object.create(
    Object.getPrototypeOf(message) as object,
    Object.getOwnPropertyDescriptors(message),
  ) as Message
  // What the constructor was given is what is written to checkpoints, by its names.
  const given: Record<string, unknown> = { ...message.lc_kwargs }
  for (const [name, value] of changed) {
    define(copy, name, value)
    if (Object.hasOwn(given, name)) given[name] = value
    if (name === 'content' && Object.hasOwn(given, 'contentBlocks')) Object.assign(given, asBlocks(given, value))
  }
  define(copy, 'lc_kwargs', given)
  return copy
}

/** In the standard form of LangChain 1 a message was given its content as blocks, and no `content`. */
const asBlocks = ({ content }: Fields, value: unknown): Fields => ({
  contentBlocks: value,
  ...(content === value ? { content: undefined } : {}),
})

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}
