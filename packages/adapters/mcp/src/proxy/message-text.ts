import { parseExactJson, parseJsonText, plainNumber } from '@spillway/core/adapter'
import { fieldsOf, type Fields, type Message, type RequestId } from '../relay/message.ts'

/** Prefix of a string for an id that JavaScript cannot represent as a number. */
const EXACT_ID = 'spillway-number:'

/** Key of the received text. Copies lack this key, so only an unchanged message is written as received. */
const TEXT: unique symbol = Symbol('text of a message')

/** Parse JSON text, one message or a batch, so that {@link writeMessage} restores it. Throws a `SyntaxError`. */
export function readMessages(text: string): readonly unknown[] {
  // In very deep JSON, numbers are rounded.
  const value = parseJsonText(text, parseExactJson) ?? (JSON.parse(text) as unknown)
  // Revision 2025-03-26 had batches.
  if (Array.isArray(value)) return value.map((message: unknown) => withIds(message, nameId))
  const message = withIds(value, nameId)
  if (typeof message === 'object' && message !== null) Object.defineProperty(message, TEXT, { value: text })
  return [message]
}

/** An unchanged message is written byte for byte, and all numbers keep their digits. */
export const writeMessage = (message: Message): string =>
  (message as { readonly [TEXT]?: string })[TEXT] ?? JSON.stringify(withIds(message, unnameId))

/** Replace the ids in a message: its own id, and the id of a request that it cancels. */
function withIds(message: unknown, write: (id: unknown) => unknown): unknown {
  const fields = fieldsOf(message)
  const params = fieldsOf(fields['params'])
  const id = write(fields['id'])
  const requestId = write(params['requestId'])
  if (id === fields['id'] && requestId === params['requestId']) return message
  const changed: Fields = { ...fields, ...(id === undefined ? {} : { id }) }
  return requestId === params['requestId'] ? changed : { ...changed, params: { ...params, requestId } }
}

export const readId = (text: string): RequestId => nameId(parseExactJson(text)) as RequestId

/** Servers may answer the id 1.0 with 1. */
function nameId(id: unknown): unknown {
  const number = plainNumber(id)
  return number === id || Number.isSafeInteger(number) ? number : `${EXACT_ID}${JSON.stringify(id)}`
}

const unnameId = (id: unknown): unknown =>
  typeof id === 'string' && id.startsWith(EXACT_ID) ? parseExactJson(id.slice(EXACT_ID.length)) : id
