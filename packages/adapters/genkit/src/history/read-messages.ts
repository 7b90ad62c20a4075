import type { HistoryContent, HistoryMessage, HistoryPart, HistoryRole, NativeValue } from '@spillway/history'
import {
  asRead,
  checkMessages,
  createNamedCalls,
  fieldError,
  isFields,
  mediaFields,
  responseTextField,
  type Fields,
  type NamedCalls,
} from '@spillway/history/format'

/** The name of the format of Genkit's messages. */
export const GENKIT_MESSAGES = 'genkit-messages'

const nativeOfPart = (value: unknown): NativeValue => ({ format: GENKIT_MESSAGES, value })

const ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['user', 'user'],
  ['model', 'assistant'],
  ['tool', 'tool'],
])
const DATA_URL = /^data:[^,]{1,200};base64,/i

/** Read the messages of a conversation. */
export function readGenkitMessages(conversation: unknown): HistoryMessage[] {
  const messages = checkMessages(conversation)
  const calls = createNamedCalls(() => messages.flatMap(refsOf))
  return messages.map((message, index) => {
    if (!isFields(message)) throw fieldError(`messages[${index}]`, 'an object', message)
    const { role: own, content } = message
    const role = ROLES.get(own)
    if (role === undefined) throw fieldError(`messages[${index}].role`, 'system, user, model or tool', own)
    if (!Array.isArray(content)) throw fieldError(`messages[${index}].content`, 'an array', content)
    const parts = Array.from(content as readonly unknown[], (part, at) =>
      asRead<HistoryPart>({ ...readPart(part, [index, at], calls), native: nativeOfPart(part) }),
    )
    return asRead({ role, parts, native: nativeOfPart(message) })
  })
}

function readPart(part: unknown, place: readonly [number, number], calls: NamedCalls): HistoryPart {
  if (!isFields(part)) return { type: 'opaque', value: part }
  const { toolRequest, toolResponse, reasoning } = part
  if (isFields(toolRequest) && typeof toolRequest['name'] === 'string') {
    const { name, ref, input } = toolRequest
    return { type: 'tool-call', id: calls.ofCall({ id: ref }, name, place), name, input, inputIsText: false }
  }
  if (isFields(toolResponse)) return readResponse(toolResponse, place, calls)
  return typeof reasoning === 'string' ? { type: 'reasoning', text: reasoning } : readPiece(part)
}

function readResponse(response: Fields, place: readonly [number, number], calls: NamedCalls): HistoryPart {
  const { name, ref, output, content } = response
  const callId = calls.ofResponse({ id: ref, name }, place)
  const pieces: HistoryContent[] = output === undefined ? [] : [readOutput(output)]
  if (Array.isArray(content))
    for (const part of content as readonly unknown[])
      pieces.push(asRead({ ...readPiece(part), native: nativeOfPart({ part }) }))
  const toolName = typeof name === 'string' ? name : calls.nameOf(callId)
  return { type: 'tool-result', callId, toolName, content: pieces, ...(isError(output) ? { isError: true } : {}) }
}

/** Genkit has no mark for errors; its plugin for MCP writes them in this way. */
const isError = (output: unknown): boolean =>
  isFields(output) && typeof output['error'] === 'string' && Object.keys(output).length === 1

/** Read an output as a medium where it is one, as a text where that is about all that it has, as JSON otherwise. */
function readOutput(output: unknown): HistoryContent {
  const native = nativeOfPart({ output })
  if (typeof output === 'string')
    return asRead(
      DATA_URL.test(output)
        ? { ...mediaFields('application/octet-stream', { url: output }), native }
        : { type: 'text', text: output, native },
    )
  const field = isFields(output) ? responseTextField(output) : undefined
  const text = field === undefined ? undefined : (output as Fields)[field]
  return asRead(typeof text === 'string' ? { type: 'text', text, native } : { type: 'json', value: output, native })
}

function readPiece(part: unknown): Exclude<HistoryContent, { type: 'json' }> {
  const { text, media } = Object(part ?? {}) as Fields
  if (typeof text === 'string') return { type: 'text', text }
  const { url, contentType } = Object(media ?? {}) as Fields
  if (typeof url !== 'string') return { type: 'opaque', value: part }
  return mediaFields(typeof contentType === 'string' ? contentType : 'application/octet-stream', { url })
}

function refsOf(message: unknown): readonly unknown[] {
  const { content } = Object(message ?? {}) as Fields
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  return parts.flatMap((part) => {
    const { toolRequest, toolResponse } = Object(part ?? {}) as Fields
    return [toolRequest, toolResponse].map((one) => (Object(one ?? {}) as Fields)['ref'])
  })
}
