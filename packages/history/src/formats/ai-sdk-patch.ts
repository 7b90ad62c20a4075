import { isAsRead } from '../as-read.ts'
import type {
  HistoryContent,
  HistoryMessage,
  HistoryPart,
  HistoryToolResult,
  HistoryMedia,
  HistoryToolCall,
} from '../history-message.ts'
import { AI_SDK_MESSAGES, aiSdkText } from './ai-sdk-read.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeContentList, type WrittenPiece } from './content-list.ts'
import { withFields } from './with-fields.ts'
import { argumentsValue, jsonText, resultText } from './json-text.ts'
import { base64Of } from './media-source.ts'

/** Write a message of the SDK with the parts that it has now; all other fields stay, in their order. */
export function patchAiSdkMessage(native: Fields, { role, parts }: HistoryMessage, index: number): Fields {
  const fresh = new Set<WrittenPiece>()
  const pieces = parts.map((part, at) => patchPart(part, fresh, `messages[${index}].parts[${at}]`))
  // The prompt of the system is a text in every version.
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

/** Whether a native value is a whole output, and not a part of one. */
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

/** Write a call or a result. */
export function writeAiSdkPart(part: HistoryToolCall | HistoryToolResult, place: string): Fields {
  if (part.type === 'tool-call')
    return { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: argumentsValue(part) }
  const output = writeOutput(part.content, part.isError === true, place)
  return { type: 'tool-result', toolCallId: part.callId, toolName: part.toolName, output }
}

/** Write the content of a result as an output: text, JSON, or parts. */
export function writeOutput(content: readonly HistoryContent[], isError: boolean, place: string): Fields {
  const [only] = content
  if (content.length === 1 && only?.type === 'json') return { type: isError ? 'error-json' : 'json', value: only.value }
  const text = resultText(content, place)
  if (text !== undefined) return { type: isError ? 'error-text' : 'text', value: text }
  return { type: 'content', value: content.map((piece) => writeOutputPart(piece, place)) }
}

/** Write a piece of a result as a part of an output: media have types of their own there. */
export function writeOutputPart(piece: HistoryContent, place: string): Fields {
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

/** Write a piece of content as a part of a message. Throws a `TypeError` for what no part can have. */
export function writeAiSdkPiece(piece: HistoryContent, place: string): Fields {
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
