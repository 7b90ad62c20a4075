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
  fieldError,
  isFields,
  withFields,
  writeMessages,
  type Fields,
} from './check-fields.ts'
import {
  argumentsObject,
  jsonText,
  responseTextField,
  resultText,
  writeContentList,
  type WrittenPiece,
} from './content-list.ts'
import { base64Of, mediaFields } from './media-source.ts'
import { createNamedCalls, type NamedCalls } from './named-calls.ts'

/** The conversation of a Gemini request. */
export interface GeminiConversation<Content, Instruction> {
  readonly systemInstruction?: Instruction | undefined
  readonly contents: Content[]
}

/**
 * Create the format for the Gemini API: the system instruction is the first message.
 *
 * A response is paired with its call by id, or by name and order in the next turn. An object whose only long field is
 * text is read as that text. Thoughts, executed code, signatures and unknown parts stay unchanged.
 *
 * Reading throws a `TypeError` that names content and field if a content is invalid.
 *
 * @example
 * ```ts
 * import { geminiContents } from '@spillway/history'
 *
 * const format = geminiContents<{ role: string; parts: { text: string }[] }>()
 * const conversation = { contents: [{ role: 'user', parts: [{ text: 'Why did the build fail?' }] }] }
 * const messages = format.read(conversation)
 * console.assert(messages[0]?.role === 'user')
 * console.assert(format.write(messages).contents[0] === conversation.contents[0])
 * ```
 */
export function geminiContents<Content extends object, Instruction = string | object>(): HistoryFormat<
  GeminiConversation<Content, Instruction>
> {
  return {
    name: GEMINI_CONTENTS,
    read: readGeminiConversation,
    write: (messages) => writeConversation(messages) as GeminiConversation<Content, Instruction>,
  }
}

function writeConversation(messages: readonly HistoryMessage[]): unknown {
  const written = writeMessages(messages, {
    format: GEMINI_CONTENTS,
    patch: patchGeminiContent,
    makeSystem: (text) => ({ systemInstruction: text }),
  })
  const isInstruction = (content: Fields): boolean => Object.hasOwn(content, 'systemInstruction')
  const instructions = written.filter(isInstruction).map(({ systemInstruction }) => systemInstruction)
  const contents = written.filter((content) => !isInstruction(content))
  return instructions.length === 0 ? { contents } : { systemInstruction: joinInstructions(instructions), contents }
}

function joinInstructions(instructions: readonly unknown[]): unknown {
  if (instructions.length === 1) return instructions[0]
  const texts = instructions.filter((instruction) => typeof instruction === 'string')
  if (texts.length === instructions.length) return texts.filter((text) => text !== '').join('\n\n')
  const whole = instructions.find(
    (instruction): instruction is Fields => isFields(instruction) && 'parts' in instruction,
  )
  return { ...whole, parts: instructions.flatMap(partsOf) }
}

function partsOf(instruction: unknown): readonly unknown[] {
  if (typeof instruction === 'string') return instruction === '' ? [] : [{ text: instruction }]
  if (Array.isArray(instruction)) return instruction.flatMap(partsOf)
  if (!isFields(instruction) || !('parts' in instruction)) return [instruction]
  return Array.isArray(instruction['parts']) ? instruction['parts'] : []
}

const GEMINI_CONTENTS = 'gemini-contents'

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

function readGeminiConversation(conversation: unknown): HistoryMessage[] {
  if (!isFields(conversation)) throw fieldError('The conversation', 'an object with `contents`', conversation)
  const { systemInstruction } = conversation
  const contents = checkMessages(conversation['contents'], 'contents')
  const calls = createNamedCalls(() => contents.flatMap(idsOf))
  const read = contents.map((value, index) => readContent(checkMessage(value, index, 'contents'), index, calls))
  if (systemInstruction === undefined) return read
  const parts = readInstruction(systemInstruction)
  return [asRead({ role: 'system', parts, native: nativeOfPart({ systemInstruction }) }), ...read]
}

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

function patchGeminiContent(native: Fields, { parts }: HistoryMessage, index: number): Fields {
  const fresh = new Set<WrittenPiece>()
  const pieces = parts.map((part, at) => patchPart(part, fresh, `contents[${index}].parts[${at}]`))
  const join = (original: unknown): unknown =>
    writeContentList({ original, pieces, fresh, toPart, separator: '\n\n', marks: [] })
  if (!Object.hasOwn(native, 'systemInstruction')) {
    const parts = pieces.length === 0 && native['parts'] === undefined ? undefined : join(native['parts'] ?? [])
    return withFields(native, { parts })
  }
  const { systemInstruction: whole } = native
  const isContent = isFields(whole) && 'parts' in whole
  const systemInstruction = isContent ? withFields(whole, { parts: join(whole['parts']) }) : join(whole)
  return withFields(native, { systemInstruction })
}

const toPart = (text: string): Fields => ({ text })

function patchPart(part: HistoryPart, fresh: Set<WrittenPiece>, place: string): WrittenPiece {
  const own = part.native?.format === GEMINI_CONTENTS ? part.native.value : undefined
  if (own !== undefined && isAsRead(part)) return own as WrittenPiece
  if (part.type === 'text') {
    if (isFields(own)) return withFields(own, { text: part.text })
    if (typeof own === 'string') return part.text
    const written = toPart(part.text)
    fresh.add(written)
    return written
  }
  if (!isFields(own)) {
    if (part.type === 'tool-call' || part.type === 'tool-result') return writeGeminiPart(part, undefined, place)
    return own === undefined ? writeGeminiPiece(part as HistoryContent, place) : (own as WrittenPiece)
  }
  const { functionCall, functionResponse } = own
  if (part.type === 'tool-call' && isFields(functionCall)) {
    const isNothing = functionCall['args'] === undefined && isFields(part.input) && Object.keys(part.input).length === 0
    return isNothing ? own : withFields(own, { functionCall: withFields(functionCall, { args: part.input }) })
  }
  if (part.type !== 'tool-result' || !isFields(functionResponse)) return own
  return withFields(own, { functionResponse: patchResponse(functionResponse, part, place) })
}

function patchResponse(native: Fields, part: HistoryToolResult, place: string): Fields {
  const values: HistoryContent[] = []
  const parts: unknown[] = []
  for (const piece of part.content) {
    const own = nativeOf(piece)
    if (own !== undefined && Object.hasOwn(own, 'part')) parts.push(own['part'])
    else if (own !== undefined || piece.type === 'text' || piece.type === 'json' || piece.type === 'opaque')
      values.push(piece)
    else parts.push(writeGeminiPiece(piece, place))
  }
  const before: readonly unknown[] = Array.isArray(native['parts']) ? native['parts'] : []
  const isSame = parts.length === before.length && parts.every((one, at) => one === before[at])
  const response = patchValue(native['response'], values, part.isError === true, place)
  return withFields(native, { response, ...(isSame ? {} : { parts: parts.length === 0 ? undefined : parts }) })
}

const nativeOf = ({ native }: HistoryContent): Fields | undefined =>
  native?.format === GEMINI_CONTENTS && isFields(native.value) ? native.value : undefined

function patchValue(original: unknown, values: readonly HistoryContent[], isError: boolean, place: string): unknown {
  const [only] = values
  if (only === undefined) return original === undefined ? undefined : {}
  const own = values.length === 1 ? nativeOf(only)?.['response'] : undefined
  if (own !== undefined && (isAsRead(only) || only.type !== 'text')) return only.type === 'json' ? only.value : own
  const response = own ?? original
  const field = isFields(response) ? responseTextField(response) : undefined
  if (values.length === 1 && only.type === 'text' && field !== undefined)
    return withFields(response as Fields, { [field]: only.text })
  return writeResponse(values, isError, place)
}

function writeGeminiPart(part: HistoryToolCall | HistoryToolResult, id: string | undefined, place: string): Fields {
  const known = id === undefined ? {} : { id }
  if (part.type === 'tool-call') return { functionCall: { ...known, name: part.name, args: argumentsObject(part) } }
  const isValue = ({ type }: HistoryContent): boolean => type === 'text' || type === 'json' || type === 'opaque'
  const response = writeResponse(part.content.filter(isValue), part.isError === true, place)
  const media = part.content.filter((piece) => !isValue(piece)).map((piece) => writeGeminiPiece(piece, place))
  const parts = media.length === 0 ? {} : { parts: media }
  return { functionResponse: { ...known, name: part.toolName, response, ...parts } }
}

function writeResponse(values: readonly HistoryContent[], isError: boolean, place: string): Fields {
  const [only] = values
  if (values.length === 1 && only?.type === 'json' && isFields(only.value)) return only.value
  const field = isError ? 'error' : 'output'
  if (values.length === 1 && only?.type === 'json') return { [field]: only.value }
  const text = resultText(values, place)
  if (text === undefined) throw new TypeError(`${place}: a response of a function takes text and JSON alone.`)
  return { [field]: text }
}

function writeGeminiPiece(piece: HistoryContent, place: string): Fields {
  if (piece.type === 'text') return { text: piece.text }
  if (piece.type === 'json') return { text: jsonText(piece.value, place) }
  const part = piece.type === 'opaque' ? undefined : writeMedia(piece)
  if (part !== undefined) return part
  throw new TypeError(`${place}: a content has no place for this ${piece.type} in the Gemini API.`)
}

function writeMedia(media: HistoryMedia): Fields | undefined {
  const { mediaType: mimeType, url } = media
  const data = base64Of(media)
  if (data !== undefined) return { inlineData: { mimeType, data } }
  return url === undefined ? undefined : { fileData: { fileUri: url, mimeType } }
}
