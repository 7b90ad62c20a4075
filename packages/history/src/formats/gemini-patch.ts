import { isAsRead } from '../as-read.ts'
import type {
  HistoryContent,
  HistoryMessage,
  HistoryPart,
  HistoryToolResult,
  HistoryMedia,
  HistoryToolCall,
} from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeContentList, type WrittenPiece } from './content-list.ts'
import { GEMINI_CONTENTS } from './gemini-read.ts'
import { responseTextField } from './response-text.ts'
import { withFields } from './with-fields.ts'
import { argumentsObject, jsonText, resultText } from './json-text.ts'
import { base64Of } from './media-source.ts'

/** Write a content, or the instruction of the system, with the parts that it has now; all other fields stay in their order. */
export function patchGeminiContent(native: Fields, { parts }: HistoryMessage, index: number): Fields {
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

/** The value of a response has a field of its own, and media that come with it another. */
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

/** Write a call or a response, with an id where there is one. */
export function writeGeminiPart(
  part: HistoryToolCall | HistoryToolResult,
  id: string | undefined,
  place: string,
): Fields {
  const known = id === undefined ? {} : { id }
  if (part.type === 'tool-call') return { functionCall: { ...known, name: part.name, args: argumentsObject(part) } }
  const isValue = ({ type }: HistoryContent): boolean => type === 'text' || type === 'json' || type === 'opaque'
  const response = writeResponse(part.content.filter(isValue), part.isError === true, place)
  const media = part.content.filter((piece) => !isValue(piece)).map((piece) => writeGeminiPiece(piece, place))
  const parts = media.length === 0 ? {} : { parts: media }
  return { functionResponse: { ...known, name: part.toolName, response, ...parts } }
}

/** Write what a tool returned as an object: the API takes `output` as the result, and `error` as what went wrong. */
export function writeResponse(values: readonly HistoryContent[], isError: boolean, place: string): Fields {
  const [only] = values
  if (values.length === 1 && only?.type === 'json' && isFields(only.value)) return only.value
  const field = isError ? 'error' : 'output'
  if (values.length === 1 && only?.type === 'json') return { [field]: only.value }
  const text = resultText(values, place)
  if (text === undefined) throw new TypeError(`${place}: a response of a function takes text and JSON alone.`)
  return { [field]: text }
}

/** Write a piece of content as a part. Throws a `TypeError` for what no part can have. */
export function writeGeminiPiece(piece: HistoryContent, place: string): Fields {
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
