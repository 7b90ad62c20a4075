import { asRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryRole } from '../history-message.ts'
import { checkMessage, checkMessages, fieldError, isFields, type Fields } from './check-fields.ts'
import { createNamedCalls, type NamedCalls } from './named-calls.ts'
import { mediaFields } from './media-source.ts'
import { responseTextField } from './response-text.ts'

/** The name of the format of the Gemini API. */
export const GEMINI_CONTENTS = 'gemini-contents'

const nativeOfPart = (value: unknown): { readonly format: string; readonly value: unknown } => ({
  format: GEMINI_CONTENTS,
  value,
})

const ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  [undefined, 'user'],
  ['user', 'user'],
  ['model', 'assistant'],
  ['function', 'tool'],
  ['tool', 'tool'],
])

/** Read a conversation. The native value of the instruction is an object that has it as `systemInstruction`. */
export function readGeminiConversation(conversation: unknown): HistoryMessage[] {
  if (!isFields(conversation)) throw fieldError('The conversation', 'an object with `contents`', conversation)
  const { systemInstruction } = conversation
  const contents = checkMessages(conversation['contents'], 'contents')
  const calls = createNamedCalls(() => contents.flatMap(idsOf))
  const read = contents.map((value, index) => readContent(checkMessage(value, index, 'contents'), index, calls))
  if (systemInstruction === undefined) return read
  const parts = readInstruction(systemInstruction)
  return [asRead({ role: 'system', parts, native: nativeOfPart({ systemInstruction }) }), ...read]
}

/** An instruction is a text, a part, a list of both, or a content. */
function readInstruction(instruction: unknown): HistoryPart[] {
  const whole = isFields(instruction) && 'parts' in instruction ? instruction['parts'] : instruction
  if (whole == null || (typeof whole !== 'string' && typeof whole !== 'object'))
    throw fieldError('systemInstruction', 'a string, a part, an array or a content', whole)
  const parts: readonly unknown[] = Array.isArray(whole) ? whole : [whole]
  return parts.map((part) => asRead({ ...readPiece(part), native: nativeOfPart(part) }) as HistoryPart)
}

function readContent(content: Fields, index: number, calls: NamedCalls): HistoryMessage {
  const role = ROLES.get(content['role'])
  if (role === undefined) throw fieldError(`contents[${index}].role`, 'user or model', content['role'])
  const list = content['parts'] ?? []
  if (!Array.isArray(list)) throw fieldError(`contents[${index}].parts`, 'an array', list)
  const parts = Array.from(list, (part: unknown, at) =>
    asRead<HistoryPart>({ ...readPart(part, [index, at], calls), native: nativeOfPart(part) }),
  )
  const isOfTools = role === 'user' && parts.length > 0 && parts.every(({ type }) => type === 'tool-result')
  return asRead({ role: isOfTools ? 'tool' : role, parts, native: nativeOfPart(content) })
}

function readPart(part: unknown, place: readonly [number, number], calls: NamedCalls): HistoryPart {
  if (!isFields(part)) return { type: 'opaque', value: part }
  const { functionCall, functionResponse, thought, text } = part
  if (thought === true && typeof text === 'string') return { type: 'reasoning', text }
  if (isFields(functionCall) && typeof functionCall['name'] === 'string') {
    const { name, args: input = {} } = functionCall
    return { type: 'tool-call', id: calls.ofCall(functionCall, name, place), name, input, inputIsText: false }
  }
  return isFields(functionResponse) ? readResponse(functionResponse, place, calls) : (readPiece(part) as HistoryPart)
}

function readResponse(functionResponse: Fields, place: readonly [number, number], calls: NamedCalls): HistoryPart {
  const { name, response, parts } = functionResponse
  const callId = calls.ofResponse(functionResponse, place)
  const content: HistoryContent[] = response === undefined ? [] : [readValue(response)]
  if (Array.isArray(parts)) {
    for (const part of parts as readonly unknown[])
      content.push(asRead({ ...readPiece(part), native: nativeOfPart({ part }) }))
  }
  const toolName = typeof name === 'string' ? name : calls.nameOf(callId)
  const isError = isFields(response) && Boolean(response['error'])
  return { type: 'tool-result', callId, toolName, content, ...(isError ? { isError } : {}) }
}

/** Read the response of a function as a text where it is about all that it has, as JSON otherwise. */
function readValue(response: unknown): HistoryContent {
  const native = nativeOfPart({ response })
  const field = isFields(response) ? responseTextField(response) : undefined
  const text = field === undefined ? undefined : (response as Fields)[field]
  return asRead(typeof text === 'string' ? { type: 'text', text, native } : { type: 'json', value: response, native })
}

function readPiece(part: unknown): HistoryContent {
  if (typeof part === 'string') return { type: 'text', text: part }
  const { text, inlineData, fileData } = Object(part ?? {}) as Fields
  if (typeof text === 'string') return { type: 'text', text }
  const { mimeType, data, fileUri: url, displayName } = Object(inlineData ?? fileData ?? {}) as Fields
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream'
  const name = typeof displayName === 'string' ? displayName : undefined
  if (typeof data === 'string') return mediaFields(type, { base64: data }, name)
  return typeof url === 'string' ? mediaFields(type, { url }, name) : { type: 'opaque', value: part }
}

function idsOf(content: unknown): unknown[] {
  const parts = isFields(content) && Array.isArray(content['parts']) ? (content['parts'] as readonly unknown[]) : []
  return parts.flatMap((part) => {
    const { functionCall, functionResponse } = Object(part ?? {}) as Fields
    return [functionCall, functionResponse].map((one) => (Object(one ?? {}) as Fields)['id'])
  })
}
