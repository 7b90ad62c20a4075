import type { HistoryContent, HistoryMedia, HistoryToolCall, HistoryToolResult } from '../history-message.ts'
import type { CallIdRules, CallIds } from './call-ids.ts'
import { isFields, type Fields } from './check-fields.ts'
import { foreignTurns, splitTurn, type ForeignTurn } from './foreign-turns.ts'
import { argumentsObject, jsonText, resultText } from './json-text.ts'
import { base64Of } from './media-source.ts'
import type { ForeignMessages } from './write-messages.ts'

/** The API says nothing about ids; a turn may not have one twice. */
export const GEMINI_ID_RULES: CallIdRules = { maxLength: 128 }
/** A call follows something of the user: this stands for it where the model has spoken first. */
const BEGINNING = { role: 'user', parts: [{ text: '(The conversation begins with the model.)' }] }

/** Write messages of other formats; system messages come as objects that have nothing but `systemInstruction`. */
export function convertToGemini({ messages, start, isBeginning, ids }: ForeignMessages): readonly Fields[] {
  const written = foreignTurns(messages, start, { skipsEmpty: true }).flatMap((turn) => convertTurn(turn, ids))
  const first = written.findIndex((content) => Object.hasOwn(content, 'role'))
  const isOfModel = isBeginning && written[first]?.['role'] === 'model'
  return isOfModel ? written.toSpliced(first, 0, BEGINNING) : written
}

function convertTurn(turn: ForeignTurn, ids: CallIds): readonly Fields[] {
  if (turn.role === 'tool') {
    const parts = turn.parts.map(({ part, place }) => writeGeminiPart(part, ids.ofResult(part.callId), place))
    return [{ role: 'user', parts }]
  }
  const { content, calls } = splitTurn(turn.parts)
  const pieces = content.map(({ part, place }) => writeGeminiPiece(part, place))
  if (turn.role === 'system') return [{ systemInstruction: instruction(pieces) }]
  const parts = [...pieces, ...calls.map(({ part, place }) => writeGeminiPart(part, ids.ofCall(part.id), place))]
  return [{ role: turn.role === 'user' ? 'user' : 'model', parts }]
}

const instruction = (pieces: readonly Fields[]): unknown =>
  pieces.every(({ text }) => typeof text === 'string') ? pieces.map(({ text }) => text).join('\n\n') : { parts: pieces }

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
