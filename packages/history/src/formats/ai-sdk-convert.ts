import type { HistoryContent, HistoryMedia, HistoryToolCall, HistoryToolResult } from '../history-message.ts'
import type { CallIdRules, CallIds } from './call-ids.ts'
import type { Fields } from './check-fields.ts'
import { foreignTurns, splitTurn, type ForeignTurn } from './foreign-turns.ts'
import { argumentsValue, jsonText, resultText } from './json-text.ts'
import { base64Of } from './media-source.ts'
import type { ForeignMessages } from './write-messages.ts'

/** The SDK says nothing about ids; providers that it speaks to refuse some. */
export const AI_SDK_ID_RULES: CallIdRules = { maxLength: 64 }

/** Write messages of other formats. */
export function convertToAiSdk({ messages, start, ids }: ForeignMessages): readonly Fields[] {
  const names = new Map<string, string>()
  return foreignTurns(messages, start).map((turn) => convertTurn(turn, ids, names))
}

function convertTurn(turn: ForeignTurn, ids: CallIds, names: Map<string, string>): Fields {
  if (turn.role === 'tool') {
    const named = turn.parts.map(({ part, place }) => {
      const callId = ids.ofResult(part.callId)
      const toolName = part.toolName || names.get(callId) || 'unknown'
      return writeAiSdkPart({ ...part, callId, toolName }, place)
    })
    return { role: 'tool', content: named }
  }
  const { content, calls } = splitTurn(turn.parts)
  const texts = content.map(({ part }) => (part.type === 'text' ? part.text : undefined))
  const isText = calls.length === 0 && texts.every((text) => text !== undefined)
  if (isText && (texts.length < 2 || turn.role === 'system')) return { role: turn.role, content: texts.join('\n\n') }
  if (turn.role === 'system') throw new TypeError(`${turn.parts[0]?.place}: a system message of the AI SDK is text.`)
  const written = content.map(({ part, place }) => writeAiSdkPiece(part, place))
  const called = calls.map(({ part, place }) => {
    const id = ids.ofCall(part.id)
    names.set(id, part.name)
    return writeAiSdkPart({ ...part, id }, place)
  })
  return { role: turn.role, content: [...written, ...called] }
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
