import type { HistoryFormat } from '../history-format.ts'
import {
  asRead,
  isAsRead,
  type HistoryContent,
  type HistoryMessage,
  type HistoryPart,
  type HistoryToolResult,
} from '../history-message.ts'
import {
  checkObjects,
  checkRole,
  fieldError,
  isFields,
  nativeIn,
  nativeOf,
  withFields,
  writeWithSystem,
  type Fields,
} from './check-fields.ts'
import { readAs, responseTextField, resultText, writeBlock, writeContent, type ContentRules } from './content-list.ts'
import { base64Of, mediaFields } from './media-source.ts'
import { createNamedCalls, type NamedCalls } from './named-calls.ts'

/** The conversation of a Gemini request. */
export interface GeminiConversation<Content, Instruction> {
  readonly systemInstruction?: Instruction | undefined
  readonly contents: Content[]
}

/**
 * Create the format for the Gemini API. The system instruction is read as the first message.
 *
 * A response is paired with its call by id. A response without an id is paired by name and order in the next turn. If a
 * response has only one long text, it is read as this text. Thoughts, executed code, signatures and unknown parts do
 * not change.
 *
 * Reading an invalid content throws a `TypeError` that names the content and the field.
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
    write: (messages) => writeConversation(messages) as unknown as GeminiConversation<Content, Instruction>,
  }
}

function writeConversation(messages: readonly HistoryMessage[]): Fields {
  const writer = { format: GEMINI_CONTENTS, patch: patchGeminiContent }
  return writeWithSystem(messages, ['systemInstruction', 'contents'], writer, (instructions) => {
    const whole = instructions.find((one): one is Fields => isFields(one) && 'parts' in one)
    return { ...whole, parts: instructions.flatMap(partsOf) }
  })
}

function partsOf(instruction: unknown): readonly unknown[] {
  if (typeof instruction === 'string') return instruction === '' ? [] : [{ text: instruction }]
  if (Array.isArray(instruction)) return instruction.flatMap(partsOf)
  if (!isFields(instruction) || !('parts' in instruction)) return [instruction]
  return Array.isArray(instruction['parts']) ? instruction['parts'] : []
}

const GEMINI_CONTENTS = 'gemini-contents'

const nativeOfPart = nativeIn(GEMINI_CONTENTS)

const ROLES = { user: 'user', model: 'assistant', function: 'tool', tool: 'tool' } as const

function readGeminiConversation(conversation: unknown): HistoryMessage[] {
  if (!isFields(conversation)) throw fieldError('The conversation', 'an object with `contents`', conversation)
  const { systemInstruction } = conversation
  const contents = checkObjects(conversation['contents'], 'contents')
  const calls = createNamedCalls(() => contents.flatMap(idsOf))
  const read = contents.map((content, index) => readContent(content, index, calls))
  if (systemInstruction === undefined) return read
  const parts = readInstruction(systemInstruction)
  return [asRead({ role: 'system', parts, native: nativeOfPart({ systemInstruction }) }), ...read]
}

function readInstruction(instruction: unknown): HistoryPart[] {
  const whole = isFields(instruction) && 'parts' in instruction ? instruction['parts'] : instruction
  if (whole == null || (typeof whole !== 'string' && typeof whole !== 'object'))
    throw fieldError('systemInstruction', 'a string, a part, an array or a content', whole)
  const parts: readonly unknown[] = Array.isArray(whole) ? whole : [whole]
  return parts.map((part) => readAs(GEMINI_CONTENTS, part, readPiece(part) as HistoryPart))
}

function readContent(content: Fields, index: number, calls: NamedCalls): HistoryMessage {
  const { role: own = 'user' } = content
  const role = checkRole(ROLES, own, `contents[${index}]`, 'user or model')
  const list = content['parts'] ?? []
  if (!Array.isArray(list)) throw fieldError(`contents[${index}].parts`, 'an array', list)
  const parts = Array.from(list, (part: unknown, at) =>
    readAs(GEMINI_CONTENTS, part, readPart(part, [index, at], calls)),
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

function idsOf(content: Fields): unknown[] {
  const parts = Array.isArray(content['parts']) ? (content['parts'] as readonly unknown[]) : []
  return parts.flatMap((part) => {
    const { functionCall, functionResponse } = Object(part ?? {}) as Fields
    return [functionCall, functionResponse].map((one) => (Object(one ?? {}) as Fields)['id'])
  })
}

function patchGeminiContent(native: Fields, { parts }: HistoryMessage, index: number): Fields {
  const join = (original: unknown): unknown => writeContent(original, parts, '\n\n', `contents[${index}]`, CONTENT)
  if (!Object.hasOwn(native, 'systemInstruction')) {
    const isEmpty = parts.length === 0 && native['parts'] === undefined
    return withFields(native, { parts: isEmpty ? undefined : join(native['parts'] ?? []) })
  }
  const { systemInstruction: whole } = native
  const isContent = isFields(whole) && 'parts' in whole
  const systemInstruction = isContent ? withFields(whole, { parts: join(whole['parts']) }) : join(whole)
  return withFields(native, { systemInstruction })
}

const CONTENT: ContentRules = {
  format: GEMINI_CONTENTS,
  place: ['a content', ' in the Gemini API'],
  toPart: (text) => ({ text }),
  marks: [],
  withText: (part, text) => withFields(part, { text }),
  writeMedia: (media) => {
    const { mediaType: mimeType, url } = media
    const data = base64Of(media)
    if (data !== undefined) return { inlineData: { mimeType, data } }
    return url === undefined ? undefined : { fileData: { fileUri: url, mimeType } }
  },
  patchTool: (native, part, place) => {
    const { functionCall: call, functionResponse } = native
    if (part.type === 'tool-result')
      return isFields(functionResponse)
        ? withFields(native, { functionResponse: patchResponse(functionResponse, part, place) })
        : native
    const isNothing = isFields(part.input) && Object.keys(part.input).length === 0
    if (!isFields(call) || (isNothing && call['args'] === undefined)) return native
    return withFields(native, { functionCall: withFields(call, { args: part.input }) })
  },
}

function patchResponse(native: Fields, part: HistoryToolResult, place: string): Fields {
  const values: HistoryContent[] = []
  const parts: unknown[] = []
  for (const piece of part.content) {
    const own = nativeOf(GEMINI_CONTENTS, piece)
    if (own !== undefined && Object.hasOwn(own, 'part')) parts.push(own['part'])
    else if (own !== undefined || piece.type === 'text' || piece.type === 'json' || piece.type === 'opaque')
      values.push(piece)
    else parts.push(writeBlock(piece, place, CONTENT))
  }
  const before: readonly unknown[] = Array.isArray(native['parts']) ? native['parts'] : []
  const isSame = parts.length === before.length && parts.every((one, at) => one === before[at])
  const response = patchValue(native['response'], values, part.isError === true, place)
  return withFields(native, { response, ...(isSame ? {} : { parts: parts.length === 0 ? undefined : parts }) })
}

function patchValue(original: unknown, values: readonly HistoryContent[], isError: boolean, place: string): unknown {
  const [only] = values
  if (only === undefined) return original === undefined ? undefined : {}
  const own = values.length === 1 ? nativeOf(GEMINI_CONTENTS, only)?.['response'] : undefined
  if (own !== undefined && (isAsRead(only) || only.type !== 'text')) return only.type === 'json' ? only.value : own
  const response = own ?? original
  const field = isFields(response) ? responseTextField(response) : undefined
  if (values.length === 1 && only.type === 'text' && field !== undefined)
    return withFields(response as Fields, { [field]: only.text })
  return writeResponse(values, isError, place)
}

function writeResponse(values: readonly HistoryContent[], isError: boolean, place: string): Fields {
  const [only] = values
  if (values.length === 1 && only?.type === 'json' && isFields(only.value)) return only.value
  const field = isError ? 'error' : 'output'
  if (values.length === 1 && only?.type === 'json') return { [field]: only.value }
  const text = resultText(values, place)
  if (text === undefined) throw new TypeError(`${place}: a function response can only contain text and JSON.`)
  return { [field]: text }
}
