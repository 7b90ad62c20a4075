import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { NativeValue } from '@spillway/history'
import { encodeBase64 } from '@spillway/core/adapter'

export const LANGCHAIN_MESSAGES = 'langchain-messages'

export type AnyMessage = BaseMessage &
  Partial<Pick<AIMessage, 'tool_calls'>> &
  Partial<Pick<ToolMessage, 'tool_call_id' | 'status'>>

export const nativeOfPart = (value: unknown): NativeValue => ({ format: LANGCHAIN_MESSAGES, value })

/** Key of the message in its identity object. Comparisons ignore this key. */
const MESSAGE: unique symbol = Symbol('message of LangChain')

/** The part of a message that a model sees. Equal messages have equal values. */
interface Standing {
  readonly visible: unknown
  readonly [MESSAGE]?: BaseMessage
}

/** Identity objects of messages, with the fields at that time. A changed message gets a new object. */
const known = new WeakMap<BaseMessage, { readonly standing: Standing; readonly fields: readonly unknown[] }>()

/** Return a message's native value: the same object until the message changes, and an equal one for a copy. */
export function standingFor(message: AnyMessage): object {
  const fields = fieldsOf(message)
  const before = known.get(message)
  if (before?.fields.every((field, index) => field === fields[index]) === true) return before.standing
  let visible: unknown
  const standing = Object.defineProperties({} as Standing, {
    visible: { enumerable: true, get: () => (visible ??= visibleText(message.type, fields)) },
    [MESSAGE]: { value: message },
  })
  known.set(message, { standing, fields })
  return standing
}

export const messageOf = (standing: object): BaseMessage | undefined => (standing as Partial<Standing>)[MESSAGE]

export const isEqualMessage = (a: AnyMessage, b: AnyMessage): boolean =>
  a === b || (standingFor(a) as Standing).visible === (standingFor(b) as Standing).visible

const fieldsOf = (message: AnyMessage): readonly unknown[] => [
  message.content,
  message.name,
  message.tool_calls,
  message.tool_call_id,
  message.status,
  message.additional_kwargs,
]

function visibleText(type: string, fields: readonly unknown[]): unknown {
  try {
    return JSON.stringify([type, ...fields], (_key, value: unknown) =>
      value instanceof Uint8Array ? encodeBase64(value) : value,
    )
  } catch (error) {
    // A value with a cycle, a big integer, or too many levels equals only itself.
    if (error instanceof TypeError || error instanceof RangeError) return Symbol('a message that JSON cannot express')
    throw error
  }
}
