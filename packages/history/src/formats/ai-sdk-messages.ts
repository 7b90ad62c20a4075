import type { HistoryFormat } from '../history-format.ts'
import {
  asRead,
  isAsRead,
  type HistoryContent,
  type HistoryMedia,
  type HistoryMessage,
  type HistoryPart,
  type HistoryRole,
  type HistoryToolCall,
  type HistoryToolResult,
} from '../history-message.ts'
import {
  checkMessage,
  checkMessages,
  checkString,
  fieldError,
  isFields,
  withFields,
  writeMessages,
  type Fields,
} from './check-fields.ts'
import { argumentsValue, jsonText, resultText, writeContentList, type WrittenPiece } from './content-list.ts'
import { base64Of, mediaFields, type MediaSource } from './media-source.ts'

/**
 * Create the format for model messages of the AI SDK, versions 6 and 7.
 *
 * Provider-executed tools, approvals, denials and unknown parts stay unchanged.
 *
 * Reading throws a `TypeError` that names message and field if a message is invalid.
 *
 * @example
 * ```ts
 * import { aiSdkMessages } from '@spillway/history'
 *
 * const format = aiSdkMessages<{ role: string; content: string }>()
 * const messages = [{ role: 'user', content: 'Why did the build fail?' }]
 * console.assert(format.read(messages)[0]?.parts[0]?.type === 'text')
 * console.assert(format.write(format.read(messages))[0] === messages[0])
 * ```
 */
export function aiSdkMessages<Message extends object>(): HistoryFormat<Message[]> {
  return {
    name: AI_SDK_MESSAGES,
    read: readAiSdkMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: AI_SDK_MESSAGES,
        patch: patchAiSdkMessage,
        makeSystem: (text) => ({ role: 'system', content: text }),
      }) as Message[],
  }
}

const AI_SDK_MESSAGES = 'ai-sdk-messages'

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

function readAiSdkMessages(conversation: unknown): HistoryMessage[] {
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

/** The native value of text or JSON is the whole output, which may have other fields. */
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

function aiSdkText({ type, text, data }: Fields): string | undefined {
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

function patchAiSdkMessage(native: Fields, { role, parts }: HistoryMessage, index: number): Fields {
  const fresh = new Set<WrittenPiece>()
  const pieces = parts.map((part, at) => patchPart(part, fresh, `messages[${index}].parts[${at}]`))
  // The system prompt is text in every version.
  const content = joinContent(role === 'system' ? String(native['content']) : native['content'], pieces, fresh, '\n\n')
  return withFields(native, { content })
}

function patchPart(part: HistoryPart, fresh: Set<WrittenPiece>, place: string): WrittenPiece {
  const own = part.native?.format === AI_SDK_MESSAGES ? part.native.value : undefined
  if (part.type === 'tool-call')
    return isFields(own) ? withFields(own, { input: part.input }) : writeAiSdkPart(part, place)
  if (part.type !== 'tool-result') return patchPiece(part, fresh, place)
  if (!isFields(own) || !isFields(own['output'])) return writeAiSdkPart(part, place)
  return isAsRead(part) ? own : withFields(own, { output: patchOutput(own['output'], part, place) })
}

function patchPiece(
  piece: HistoryContent | HistoryPart,
  fresh: Set<WrittenPiece>,
  place: string,
  write: typeof writeAiSdkPiece = writeAiSdkPiece,
): WrittenPiece {
  const own = piece.native?.format === AI_SDK_MESSAGES ? piece.native.value : undefined
  if (own !== undefined && !isOutput(own)) {
    if (isAsRead(piece) || piece.type !== 'text') return own as WrittenPiece
    if (typeof own === 'string') return piece.text
    if (isFields(own)) return patchText(own, piece.text)
  }
  const part = write(piece as HistoryContent, place)
  if (part['type'] === 'text') fresh.add(part)
  return part
}

function patchText(part: Fields, text: string): Fields {
  if (aiSdkText(part) === text) return part
  if (isFields(part['data'])) return { ...part, data: { ...part['data'], text } }
  return { ...part, text }
}

const isOutput = (own: unknown): own is Fields =>
  isFields(own) && (Object.hasOwn(own, 'value') || own['type'] === 'execution-denied')

function patchOutput(output: Fields, { content, isError }: HistoryToolResult, place: string): Fields {
  const [only] = content
  const own = only?.native?.format === AI_SDK_MESSAGES ? only.native.value : undefined
  if (only !== undefined && content.length === 1 && isOutput(own)) return patchWhole(own, only)
  if (output['type'] === 'content' || content.some(({ native }) => native?.format === AI_SDK_MESSAGES)) {
    const fresh = new Set<WrittenPiece>()
    const pieces = content.map((piece) => patchPiece(piece, fresh, place, writeOutputPart))
    const value = joinContent(Array.isArray(output['value']) ? output['value'] : [], pieces, fresh, '\n')
    return withFields(output, { type: 'content', value })
  }
  return withFields(output, { reason: undefined, ...writeOutput(content, isError === true, place) })
}

function patchWhole(own: Fields, piece: HistoryContent): Fields {
  if (piece.type === 'text') return withFields(own, { value: piece.text })
  return piece.type === 'json' ? withFields(own, { value: piece.value }) : own
}

function joinContent(
  original: unknown,
  pieces: readonly WrittenPiece[],
  fresh: ReadonlySet<WrittenPiece>,
  separator: string,
): unknown {
  const toPart = (text: string): Fields => ({ type: 'text', text })
  return writeContentList({ original, pieces, fresh, toPart, separator, marks: ['providerOptions'] })
}

function writeAiSdkPart(part: HistoryToolCall | HistoryToolResult, place: string): Fields {
  if (part.type === 'tool-call')
    return { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: argumentsValue(part) }
  const output = writeOutput(part.content, part.isError === true, place)
  return { type: 'tool-result', toolCallId: part.callId, toolName: part.toolName, output }
}

function writeOutput(content: readonly HistoryContent[], isError: boolean, place: string): Fields {
  const [only] = content
  if (content.length === 1 && only?.type === 'json') return { type: isError ? 'error-json' : 'json', value: only.value }
  const text = resultText(content, place)
  if (text !== undefined) return { type: isError ? 'error-text' : 'text', value: text }
  return { type: 'content', value: content.map((piece) => writeOutputPart(piece, place)) }
}

function writeOutputPart(piece: HistoryContent, place: string): Fields {
  if (piece.type === 'text' || piece.type === 'json' || piece.type === 'opaque') return writeAiSdkPiece(piece, place)
  const { type, mediaType, url, name } = piece
  const data = base64Of(piece)
  const kind = type === 'image' ? 'image' : 'file'
  if (data !== undefined) {
    const filename = name === undefined || kind === 'image' ? {} : { filename: name }
    return { type: `${kind}-data`, data, mediaType, ...filename }
  }
  if (url === undefined) throw new TypeError(`${place}: this ${type} has neither content nor an address.`)
  return { type: `${kind}-url`, url }
}

function writeAiSdkPiece(piece: HistoryContent, place: string): Fields {
  if (piece.type === 'text') return { type: 'text', text: piece.text }
  if (piece.type === 'json') return { type: 'text', text: jsonText(piece.value, place) }
  const part = piece.type === 'opaque' ? undefined : writeMedia(piece)
  if (part !== undefined) return part
  throw new TypeError(`${place}: a message of the AI SDK has no place for this ${piece.type}.`)
}

function writeMedia(media: HistoryMedia): Fields | undefined {
  const { type, mediaType, data: bytes, url, name } = media
  const data = bytes ?? base64Of(media) ?? url
  if (data === undefined) return undefined
  const isKnown = !mediaType.endsWith('/*')
  if (type === 'image') return { type: 'image', image: data, ...(isKnown ? { mediaType } : {}) }
  return { type: 'file', data, mediaType, ...(name === undefined ? {} : { filename: name }) }
}
