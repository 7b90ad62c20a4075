import type { HistoryContent, HistoryMedia, HistoryToolCall } from '../history-message.ts'
import type { CallIdRules, CallIds } from './call-ids.ts'
import type { Fields } from './check-fields.ts'
import { foreignTurns, splitTurn, type ForeignTurn } from './foreign-turns.ts'
import { jsonText, resultText } from './json-text.ts'
import { base64Of, urlOf } from './media-source.ts'
import type { ForeignMessages } from './write-messages.ts'

/** "string too long. Expected a string with maximum length 40" */
export const CHAT_ID_RULES: CallIdRules = { maxLength: 40 }
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

/** Write messages of other formats. */
export function convertToChat({ messages, start, ids }: ForeignMessages): readonly Fields[] {
  return foreignTurns(messages, start).flatMap((turn) => convertTurn(turn, ids))
}

function convertTurn(turn: ForeignTurn, ids: CallIds): readonly Fields[] {
  if (turn.role === 'tool') {
    return turn.parts.map(({ part, place }) => ({
      role: 'tool',
      tool_call_id: ids.ofResult(part.callId),
      content: contentText(part.content, place),
    }))
  }
  const { content: parts, calls } = splitTurn(turn.parts)
  const texts = parts.map(({ part }) => (part.type === 'text' ? part.text : undefined))
  const content = texts.every((text) => text !== undefined)
    ? texts.join('\n\n')
    : parts.map(({ part, place }) => writeChatContentPart(part, place, turn.role))
  if (turn.role !== 'assistant') return [{ role: turn.role, content }]
  const toolCalls = calls.map(({ part, place }) => writeChatCall(part, ids.ofCall(part.id), place))
  if (toolCalls.length === 0) return [{ role: 'assistant', content }]
  return [{ role: 'assistant', content: parts.length === 0 ? null : content, tool_calls: toolCalls }]
}

/** Results of this API are text. */
function contentText(content: readonly HistoryContent[], place: string): string {
  const text = resultText(content, place)
  if (text !== undefined) return text
  const other = content.find(({ type }) => type !== 'text' && type !== 'json')
  throw new TypeError(`${place}: a message of a tool takes text alone, and no ${other?.type}.`)
}

/** Write a call with an id of the API. */
export function writeChatCall(part: HistoryToolCall, id: string, place: string): Fields {
  return { id, type: 'function', function: { name: part.name, arguments: writeChatInput(part, place) } }
}

/** Write the arguments of a call as the text that the API has. */
export const writeChatInput = ({ input }: HistoryToolCall, place: string): string =>
  typeof input === 'string' ? input : jsonText(input, place)

/** Write a piece of content as a part of a message. */
export function writeChatContentPart(piece: HistoryContent, place: string, role = 'user'): Fields {
  if (piece.type === 'text') return { type: 'text', text: piece.text }
  if (piece.type === 'json') return { type: 'text', text: jsonText(piece.value, place) }
  const media = piece.type === 'opaque' || role !== 'user' ? undefined : writeMedia(piece)
  if (media !== undefined) return media
  const whose = role === 'assistant' ? 'the model' : role === 'system' ? 'the system' : 'the user'
  throw new TypeError(`${place}: a message of ${whose} has no place for this ${piece.type} in Chat Completions.`)
}

function writeMedia(media: HistoryMedia): Fields | undefined {
  const url = urlOf(media)
  const base64 = base64Of(media)
  const format = AUDIO_FORMATS.get(media.mediaType)
  if (media.type === 'image') return url === undefined ? undefined : { type: 'image_url', image_url: { url } }
  if (base64 === undefined) return undefined
  if (media.type === 'audio' && format !== undefined)
    return { type: 'input_audio', input_audio: { data: base64, format } }
  if (media.type !== 'document') return undefined
  return { type: 'file', file: { filename: media.name ?? 'document', file_data: url } }
}
