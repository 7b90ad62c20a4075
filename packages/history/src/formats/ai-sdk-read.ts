import { asRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryRole, HistoryToolCall } from '../history-message.ts'
import { checkMessage, checkMessages, checkString, fieldError, isFields, type Fields } from './check-fields.ts'
import { mediaFields, type MediaSource } from './media-source.ts'

/** The name of the format of the AI SDK's model messages. */
export const AI_SDK_MESSAGES = 'ai-sdk-messages'

const nativeOfPart = (value: unknown): { readonly format: string; readonly value: unknown } => ({
  format: AI_SDK_MESSAGES,
  value,
})

const ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
])
const URL_SCHEME = /^(?:https?|data|gs|s3|file):/i

/** Read the messages of a conversation. */
export function readAiSdkMessages(conversation: unknown): HistoryMessage[] {
  /** Ids of calls that the provider executes. */
  const executed = new Set<string>()
  return checkMessages(conversation).map((value, index) => {
    const message = checkMessage(value, index)
    const role = ROLES.get(message['role'])
    if (role === undefined) throw fieldError(`messages[${index}].role`, 'a role of the SDK', message['role'])
    const parts = readContent(message['content'], role, `messages[${index}].content`, executed)
    return asRead({ role, parts, native: nativeOfPart(message) })
  })
}

function readContent(content: unknown, role: HistoryRole, place: string, executed: Set<string>): HistoryPart[] {
  if (typeof content === 'string') return [asRead({ type: 'text', text: content, native: nativeOfPart(content) })]
  if (!Array.isArray(content)) throw fieldError(place, 'a string or an array', content)
  return Array.from(content, (part: unknown, at) => {
    const read = isFields(part) ? readPart(part, role, `${place}[${at}]`, executed) : undefined
    return asRead({ ...(read ?? { type: 'opaque', value: part }), native: nativeOfPart(part) })
  })
}

function readPart(part: Fields, role: HistoryRole, place: string, executed: Set<string>): HistoryPart | undefined {
  switch (part['type']) {
    case 'reasoning':
      return typeof part['text'] === 'string' ? { type: 'reasoning', text: part['text'] } : undefined
    case 'tool-call':
      return readCall(part, place, executed)
    case 'tool-result':
      return role === 'tool' ? readResult(part, place, executed) : undefined
    default:
      return readAiSdkPiece(part) as HistoryPart | undefined
  }
}

function readCall(part: Fields, place: string, executed: Set<string>): HistoryToolCall | undefined {
  const id = checkString(part['toolCallId'], `${place}.toolCallId`)
  const name = checkString(part['toolName'], `${place}.toolName`)
  if (part['providerExecuted'] === true) {
    executed.add(id)
    return undefined
  }
  executed.delete(id)
  return { type: 'tool-call', id, name, input: part['input'], inputIsText: false }
}

function readResult(part: Fields, place: string, executed: ReadonlySet<string>): HistoryPart | undefined {
  const callId = checkString(part['toolCallId'], `${place}.toolCallId`)
  const toolName = checkString(part['toolName'], `${place}.toolName`)
  const { output } = part
  if (executed.has(callId) || !isFields(output)) return undefined
  const { type } = output
  const isError = type === 'error-text' || type === 'error-json'
  return { type: 'tool-result', callId, toolName, content: readOutput(output), ...(isError ? { isError } : {}) }
}

/** Read an output. The native value of a text or of JSON is the whole output, as it may say more. */
function readOutput(output: Fields): HistoryContent[] {
  const { type, value } = output
  const native = nativeOfPart(output)
  if ((type === 'text' || type === 'error-text') && typeof value === 'string')
    return [asRead({ type: 'text', text: value, native })]
  if (type === 'json' || type === 'error-json') return [asRead({ type: 'json', value, native })]
  if (type !== 'content' || !Array.isArray(value)) return [asRead({ type: 'opaque', value: output, native })]
  return Array.from(value, (part: unknown) => {
    const read = isFields(part) ? readAiSdkPiece(part) : undefined
    return asRead({ ...(read ?? { type: 'opaque', value: part }), native: nativeOfPart(part) })
  })
}

/** Return the text of a part, where it is one: a file may have text as well. */
export function aiSdkText({ type, text, data }: Fields): string | undefined {
  if (type === 'text') return typeof text === 'string' ? text : undefined
  if (type !== 'file' || !isFields(data) || data['type'] !== 'text') return undefined
  return typeof data['text'] === 'string' ? data['text'] : undefined
}

function readAiSdkPiece(part: Fields): HistoryContent | undefined {
  const text = aiSdkText(part)
  if (text !== undefined) return { type: 'text', text }
  const { type, mediaType, filename } = part
  const name = typeof filename === 'string' ? filename : undefined
  const isImage = type === 'image' || type === 'image-data' || type === 'image-url'
  const kind = typeof mediaType === 'string' ? mediaType : isImage ? 'image/*' : 'application/octet-stream'
  const source = readSource(SOURCE_FIELDS.get(type), part)
  return source && mediaFields(kind, source, name)
}

/** The field that has the content, of each type of part with media. */
const SOURCE_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['image', 'image'],
  ['file', 'data'],
  ['reasoning-file', 'data'],
  ['media', 'data'],
  ['image-data', 'data'],
  ['file-data', 'data'],
  ['image-url', 'url'],
  ['file-url', 'url'],
])

function readSource(field: string | undefined, part: Fields): MediaSource | undefined {
  const content = field === undefined ? undefined : part[field]
  if (!isFields(content) || content instanceof URL) return readData(content)
  if (content['type'] === 'data') return readData(content['data'])
  if (content['type'] === 'url') return readData(content['url'])
  return readData(content)
}

function readData(data: unknown): MediaSource | undefined {
  if (data instanceof Uint8Array) return { data }
  if (data instanceof ArrayBuffer) return { data: new Uint8Array(data) }
  if (data instanceof URL) return { url: data.href }
  if (typeof data !== 'string') return undefined
  return URL_SCHEME.test(data.slice(0, 16)) ? { url: data } : { base64: data }
}
